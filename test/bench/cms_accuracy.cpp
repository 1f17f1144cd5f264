// Measures the over-counts of Count-Min sketches: Markdown to standard output.
//
//   cms_accuracy TRIALS
//
// builds sketches of the reference workload, three for each 100 trials, with a seed
// each, and asks them for all values. Fails if a figure misses what docs/ACCURACY.md
// promises.
#include <cstdio>
#include <cstdlib>

#include "../unit/cms_workload.hpp"

namespace bloomsketch::test {
namespace {

constexpr double allowed_mean = 205;            // over-count, epsilon 0.001
constexpr std::uint64_t allowed_worst = 5'000;  // likewise, over 300 seeds
constexpr std::size_t allowed_bytes = 20'000;

bool kept = true;

void promise(bool holds, const char *what, double epsilon)
{
	if (holds)
		return;
	std::fprintf(stderr, "not kept at epsilon %g: %s\n", epsilon, what);
	kept = false;
}

struct OverCounts {
	double sum = 0;
	std::uint64_t worst = 0, beyond = 0, under = 0, queries = 0;
	double worst_share = 0;  // of one sketch's queries beyond the bound
	std::size_t bytes = 0;
};

void measure(const cms::Parameters &parameters, const std::vector<std::uint64_t> &counts, OverCounts &over)
{
	const CmsBuilding building = build_cms(counts, parameters);
	const cms::Sketch sketch = building.sketch();
	std::uint64_t beyond = 0;
	for (std::size_t value = 0; value < counts.size(); ++value) {
		const std::uint64_t estimate = sketch.count(hash_word(value, parameters.seed));
		if (estimate < counts[value]) {
			++over.under;
			continue;
		}
		const std::uint64_t excess = estimate - counts[value];
		over.sum += static_cast<double>(excess);
		over.worst = std::max(over.worst, excess);
		beyond += excess > sketch.error_bound();
	}
	over.beyond += beyond;
	over.queries += counts.size();
	over.worst_share = std::max(over.worst_share, static_cast<double>(beyond) / static_cast<double>(counts.size()));
	over.bytes = std::max(over.bytes, store_cms(sketch).size() - Header::seed_size + 4);
}

void print(double epsilon, double delta, const std::vector<std::uint64_t> &counts, int sketches)
{
	OverCounts over;
	for (int seed = 1; seed <= sketches; ++seed)
		measure({epsilon, delta, seed}, counts, over);
	const cms::Geometry geometry = cms::geometry_for({epsilon, delta});
	const double mean = over.sum / static_cast<double>(over.queries);
	std::printf("| %g | %g | %u x %u | %zu | %.0f | %.1f | %llu | %.4f %% | %.4f %% |\n", epsilon, delta, geometry.width,
	            geometry.depth, over.bytes, epsilon * 2e6, mean, static_cast<unsigned long long>(over.worst),
	            100 * static_cast<double>(over.beyond) / static_cast<double>(over.queries), 100 * over.worst_share);
	promise(over.under == 0, "never under", epsilon);
	promise(over.worst_share <= delta, "share of queries beyond epsilon * N", epsilon);
	if (epsilon != cms::default_epsilon || delta != cms::default_delta)
		return;
	promise(mean <= allowed_mean, "mean over-count", epsilon);
	promise(over.worst <= allowed_worst, "worst over-count", epsilon);
	promise(over.bytes <= allowed_bytes, "bytes", epsilon);
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	const int trials = argc >= 2 ? std::atoi(argv[1]) : 0;
	if (trials < 1) {
		std::fprintf(stderr, "usage: cms_accuracy TRIALS\n");
		return 2;
	}
	const int sketches = std::max(1, trials * 3 / 100);
	const std::vector<std::uint64_t> counts = draw_workload(1);
	std::printf("| epsilon | delta | counters | bytes | epsilon N | mean over-count | worst | beyond epsilon N | "
	            "the same, worst sketch |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (const double epsilon : {0.01, 0.001, 0.0001})
		for (const double delta : {0.1, 0.01, 0.001})
			print(epsilon, delta, counts, epsilon == 0.001 && delta == 0.01 ? sketches : std::max(1, sketches / 10));
	std::printf("\n2,000,000 draws over 100,000 values, value i with chance in proportion to 1 / i, every value asked for in "
	            "each of %d sketches with a seed each at epsilon 0.001 and delta 0.01, %d elsewhere.\n",
	            sketches, std::max(1, sketches / 10));
	return kept ? 0 : 1;
}
