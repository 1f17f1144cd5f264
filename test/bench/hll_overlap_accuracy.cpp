// Measures hll/overlap.hpp on pairs of dense HyperLogLogs, beside inclusion and
// exclusion (the counts of both less that of the union): Markdown to standard
// output, points to plot to a file.
//
//   hll_overlap_accuracy TRIALS POINTS.tsv
//
// Registers are drawn one by one, independent of each other, for Poisson numbers of
// values with the given means. What those deviate from their means by, the square
// root, counts as an error of both ways. Fails if a figure misses what
// docs/ACCURACY.md promises.
#include <cstdio>
#include <cstdlib>

#include "hll/joint.hpp"
#include "rising.hpp"
#include "trial.hpp"

namespace bloomsketch::test {
namespace {

// Promised at Jaccard 0.01: how many times smaller our error is.
constexpr double promised_gain = 2;
constexpr double promised_jaccard = 0.01;

struct Pair {
	int precision;
	double a, b;  // numbers of values
	double jaccard;

	double both() const { return jaccard / (1 + jaccard) * (a + b); }
};

// Errors of the intersection relative to the union; of total and Jaccard as such.
struct Measured {
	Errors ours, plain, total, jaccard;
	double negative = 0;  // how often inclusion and exclusion gives less than 0
};

// The highest rank of a Poisson number of values: at most k with chance
// exp(-load 2^-k).
std::uint8_t draw_rank(double load, int highest, Random &random)
{
	const double reach = load / -std::log(random.unit());
	if (reach <= 1)
		return 0;
	return static_cast<std::uint8_t>(std::min(std::ilogb(reach) + 1, highest));
}

hll::JointHistogram draw(const Pair &pair, Random &random)
{
	const std::uint32_t m = hll::register_count(pair.precision);
	const int highest = hll::max_rank(pair.precision);
	hll::JointCounter counter;
	for (std::uint32_t i = 0; i < m; ++i) {
		const std::uint8_t both = draw_rank(pair.both() / m, highest, random);
		const std::uint8_t a = std::max(both, draw_rank((pair.a - pair.both()) / m, highest, random));
		const std::uint8_t b = std::max(both, draw_rank((pair.b - pair.both()) / m, highest, random));
		counter.add(&a, &b, 1);
	}
	return counter.histogram();
}

Measured measure(const Pair &pair, int trials)
{
	Measured measured;
	Random random(static_cast<std::uint64_t>(pair.precision * 1e6 + pair.b + pair.jaccard * 1e3));
	const double total = pair.a + pair.b - pair.both();
	for (int trial = 0; trial < trials; ++trial) {
		const hll::JointHistogram joint = draw(pair, random);
		const auto count = [&](const hll::Histogram &ranks) { return hll::estimate_registers(ranks, pair.precision); };
		const double plain = count(joint.a()) + count(joint.b()) - count(joint.either());
		const hll::Parts parts = hll::estimate_parts(joint, pair.precision);
		const double sum = parts.a + parts.b + parts.x;
		measured.ours.add((parts.x - pair.both()) / total);
		measured.plain.add((plain - pair.both()) / total);
		measured.total.add(sum / total - 1);
		measured.jaccard.add(parts.x / sum - pair.jaccard);
		measured.negative += plain < 0;
	}
	return measured;
}

// Prints one row; false if a promise is missed.
bool print_row(const Pair &pair, int trials, std::FILE *file)
{
	const Measured measured = measure(pair, trials);
	const double ours = measured.ours.root_mean_square(), plain = measured.plain.root_mean_square();
	std::printf("| %d | %.0e | %.0e | %g | %.0f | %.3f %% | %.3f %% | %.2f | %+.3f ± %.3f %% | %.3f %% | %.4f | %.1f %% |\n",
	            pair.precision, pair.a, pair.b, pair.jaccard, pair.both(), 100 * ours, 100 * plain, plain / ours,
	            100 * measured.ours.mean(), 300 * measured.ours.noise(), 100 * measured.total.root_mean_square(),
	            measured.jaccard.root_mean_square(), 100 * measured.negative / trials);
	std::fprintf(file, "%g\t%.5f\t%.5f\n", pair.jaccard, 100 * ours, 100 * plain);
	// A ratio of two root mean squares is uncertain by 1 / sqrt(trials) at most.
	if (pair.jaccard != promised_jaccard || plain / ours >= promised_gain * (1 - 3 / std::sqrt(trials)))
		return true;
	std::fprintf(stderr, "missed at precision %d, %.0f and %.0f values: %.2f times better\n", pair.precision, pair.a,
	             pair.b, plain / ours);
	return false;
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	const int trials = argc == 3 ? std::atoi(argv[1]) / 5 : 0;  // registers one by one take their time
	std::FILE *file = trials > 1 ? std::fopen(argv[2], "w") : nullptr;
	if (file == nullptr) {
		std::fprintf(stderr, "usage: hll_overlap_accuracy TRIALS POINTS.tsv\n");
		return 2;
	}
	std::printf("| p | values of a | of b | Jaccard | both | RMSE | inclusion and exclusion | / ours | bias ± 3 sigma | "
	            "RMSE of the total | of Jaccard | negative |\n|");
	for (int column = 0; column < 12; ++column)
		std::printf("---:|");
	std::printf("\n");
	bool kept = true;
	for (const double b : {1e6, 1e5}) {
		for (const double jaccard : {0., 0.001, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99, 1.})
			if (const Pair pair{14, 1e6, b, jaccard}; pair.both() <= 1.000001 * b)
				kept = print_row(pair, trials, file) && kept;
		std::fprintf(file, "\n\n");
	}
	for (const int precision : {6, 10, 12, 16})
		for (const double b : {1e6, 1e5})
			kept = print_row({precision, 1e6, b, promised_jaccard}, precision < 14 ? trials : trials / 4 + 2, file) && kept;
	std::fclose(file);
	std::printf("\n%d trials each, a quarter at p = 16. RMSE and bias of the intersection in %% of the union; *negative* "
	            "is how often inclusion and exclusion gives less than 0.\n", trials);
	return kept ? 0 : 1;
}
