// Measures HyperLogLog's errors from 1 to a billion distinct values, in trials of
// trial.hpp: Markdown to standard output, points to plot to a file.
//
//   hll_accuracy TRIALS POINTS.tsv
//
// Fails if a figure misses what docs/ACCURACY.md promises.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "trial.hpp"

namespace bloomsketch::test {
namespace {

constexpr int precisions[] = {10, 12, 14, 16};
constexpr double largest = 1e9;

// Promises, as relative errors.
constexpr double allowed_bias = 0.0005;
constexpr double allowed_spread = 1.03;  // times the standard error
constexpr double allowed_sparse = 0.0002;
constexpr double allowed_step = 0.0005;

constexpr int step_trials = 1'000;

// Values whose indexes may coincide before a sketch turns dense: 8,192 values have
// 0.5 such pairs on the average.
constexpr double past_change = 17;

struct Point {
	double n;
	bool is_sparse;
	Errors plain, controlled;
};

struct Measured {
	int precision;
	std::vector<Point> points;
	Errors step, plain_step;  // from the last sparse estimate to a dense one

	double limit() const { return hll::entry_limit(precision); }
};

Measured prepare(int precision)
{
	Measured measured{precision, {}, {}, {}};
	for (double decade = 1; decade <= largest; decade *= 10)
		for (const double factor : {1., 1.5, 2., 3., 5., 7.})
			if (const double n = std::floor(decade * factor); n <= largest && decade * factor == n)
				measured.points.push_back({n, n <= measured.limit(), {}, {}});
	return measured;
}

// The error of one trial at n values, plain and with its noise taken away.
struct Observed {
	double plain, controlled;
};

Observed observe(Trial &trial, double n, bool is_sparse, const Control &control)
{
	trial.advance_to(n);
	if (trial.is_sparse() != is_sparse) {
		std::fprintf(stderr, "a sketch of %.0f values is not in the expected form\n", n);
		std::exit(1);
	}
	const double estimate = trial.estimate();
	const double correction = is_sparse ? 0 : control.correction(trial.histogram());
	return {estimate / n - 1, (estimate + correction) / n - 1};
}

void run_trial(Measured &measured, const std::vector<Control> &controls, int seed)
{
	Trial trial(measured.precision, seed);
	for (std::size_t i = 0; i < measured.points.size(); ++i) {
		Point &point = measured.points[i];
		const Observed observed = observe(trial, point.n, point.is_sparse, controls[i]);
		point.plain.add(observed.plain);
		point.controlled.add(observed.controlled);
	}
}

void run_step(Measured &measured, const Control &control, int seed)
{
	Trial trial(measured.precision, seed);
	const Observed below = observe(trial, measured.limit(), true, control);
	const Observed above = observe(trial, measured.limit() + past_change, false, control);
	measured.step.add(above.controlled - below.controlled);
	measured.plain_step.add(above.plain - below.plain);
}

void merge(Measured &into, const Measured &from)
{
	for (std::size_t i = 0; i < into.points.size(); ++i) {
		into.points[i].plain.add(from.points[i].plain);
		into.points[i].controlled.add(from.points[i].controlled);
	}
}

// Trials run in blocks that are summed up in order, so that the sums do not
// depend on the number of threads.
Measured measure(int precision, int trials)
{
	constexpr int blocks = 50;
	Measured measured = prepare(precision);
	std::vector<Control> controls;
	for (const Point &point : measured.points)
		controls.emplace_back(precision, point.n);
	std::vector<Measured> parts(blocks, measured);
	std::atomic<int> next = 0;
	const auto work = [&] {
		for (int block; (block = next++) < blocks;) {
			for (int seed = block; seed < trials; seed += blocks)
				run_trial(parts[static_cast<std::size_t>(block)], controls, seed + 1);
			if (block % 5 == 4)
				std::fprintf(stderr, " %d %%", 100 * (block + 1) / blocks);
		}
	};
	std::fprintf(stderr, "precision %d:", precision);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
		threads.emplace_back(work);
	for (std::thread &thread : threads)
		thread.join();
	for (const Measured &part : parts)
		merge(measured, part);
	const Control control(precision, measured.limit() + past_change);
	for (int seed = 1; seed <= step_trials; ++seed)
		run_step(measured, control, seed);
	std::fprintf(stderr, "\n");
	return measured;
}

// What is left of a mean beyond three times its noise.
double beyond_noise(const Errors &errors) { return std::max(0.0, std::abs(errors.mean()) - 3 * errors.noise()); }

struct Summary {
	double bias = 0, plain_bias = 0, spread = 0;
	Errors sparse;  // over all numbers of values: collisions are too rare to measure at each
};

Summary summarise(const Measured &measured)
{
	Summary summary;
	for (const Point &point : measured.points) {
		summary.bias = std::max(summary.bias, beyond_noise(point.controlled));
		summary.plain_bias = std::max(summary.plain_bias, beyond_noise(point.plain));
		const double spread = point.plain.root_mean_square();
		if (point.is_sparse)
			summary.sparse.add(point.plain);
		summary.spread = std::max(summary.spread, spread / hll::standard_error(measured.precision));
	}
	return summary;
}

// Prints one row of the summary; false if a promise is missed.
bool print_summary(const Measured &measured)
{
	const Summary summary = summarise(measured);
	std::printf("| %d | %.3f %% | %.3f %% | %.3f %% | %.3f | %.4f %% | %+.4f ± %.4f %% | %+.3f ± %.3f %% |\n",
	            measured.precision, 100 * hll::standard_error(measured.precision), 100 * summary.bias,
	            100 * summary.plain_bias, summary.spread, 100 * summary.sparse.root_mean_square(), 100 * measured.step.mean(),
	            300 * measured.step.noise(), 100 * measured.plain_step.mean(), 300 * measured.plain_step.noise());
	bool kept = true;
	const auto promise = [&](const char *what, double value, double allowed) {
		if (value <= allowed)
			return;
		std::fprintf(stderr, "missed at precision %d: %s %.6f, allowed %.6f\n", measured.precision, what, value, allowed);
		kept = false;
	};
	promise("bias beyond 3 sigma", summary.bias, allowed_bias);
	promise("plain bias beyond 3 sigma", summary.plain_bias, allowed_bias);
	promise("RMSE over the standard error", summary.spread, allowed_spread);
	promise("RMSE while sparse", summary.sparse.root_mean_square(), allowed_sparse);
	promise("step beyond 3 sigma", beyond_noise(measured.step), allowed_step);
	return kept;
}

// One row: bias and spread at each precision; a sparse one's spread in per cent.
void print_row(const std::vector<Measured> &all, std::size_t i)
{
	std::printf("| %.0f |", all[0].points[i].n);
	for (const Measured &measured : all) {
		const Point &point = measured.points[i];
		std::printf(" %+.3f ± %.3f | ", 100 * point.controlled.mean(), 300 * point.controlled.noise());
		if (point.is_sparse)
			std::printf("*%.4f %%* |", 100 * point.plain.root_mean_square());
		else
			std::printf("%.3f |", point.plain.root_mean_square() / hll::standard_error(measured.precision));
	}
	std::printf("\n");
}

void print_rows(const std::vector<Measured> &all, int trials)
{
	std::printf("\n%d trials at each precision. Bias in %% ± 3 sigma; RMSE in units of 1.04 / sqrt(2^p), while "
	            "*sparse* in %%.\n\n| values |", trials);
	for (const int p : precisions)
		std::printf(" p = %d: bias | RMSE |", p);
	std::printf("\n|---:|");
	for (std::size_t i = 0; i < 2 * std::size(precisions); ++i)
		std::printf("---:|");
	std::printf("\n");
	for (std::size_t i = 0; i < all[0].points.size(); ++i) {
		char digits[32];
		std::snprintf(digits, sizeof(digits), "%.0f", all[0].points[i].n);
		if (std::strchr("125", digits[0]) != nullptr && digits[1] != '5')  // the plot has the others
			print_row(all, i);
	}
}

void write_points(const std::vector<Measured> &all, const char *path)
{
	std::FILE *file = std::fopen(path, "w");
	if (file == nullptr) {
		std::perror(path);
		std::exit(1);
	}
	for (const Measured &measured : all) {
		for (const Point &point : measured.points)
			std::fprintf(file, "%.0f\t%.6f\t%.6f\t%.6f\n", point.n, 100 * point.controlled.mean(),
			             300 * point.controlled.noise(), 100 * point.plain.root_mean_square());
		std::fprintf(file, "\n\n");
	}
	std::fclose(file);
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	const int trials = argc == 3 ? std::atoi(argv[1]) : 0;
	if (trials < 2) {
		std::fprintf(stderr, "usage: hll_accuracy TRIALS POINTS.tsv\n");
		return 2;
	}
	std::printf("| p | standard error | bias beyond 3 sigma | the same, plain | RMSE / standard error | "
	            "RMSE while sparse | step where it turns dense | the same, plain |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	std::vector<Measured> all;
	bool kept = true;
	for (const int p : precisions) {
		all.push_back(measure(p, trials));
		kept = print_summary(all.back()) && kept;
	}
	print_rows(all, trials);
	write_points(all, argv[2]);
	return kept ? 0 : 1;
}
