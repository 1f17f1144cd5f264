// Measures how often the true number of values lies within hll/bounds.hpp's
// bounds, for all precisions and from 10 to 100,000,000 values: Markdown to
// standard output, points to plot to a file.
//
//   hll_bounds_accuracy TRIALS POINTS.tsv
//
// Fails if a figure misses what docs/ACCURACY.md promises.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "hll/bounds.hpp"
#include "trial.hpp"

namespace bloomsketch::test {
namespace {

constexpr double largest = 1e8;
constexpr std::array confidences{0.68, 0.95, 0.99};
constexpr std::array deviations{0.994458, 1.959964, 2.575829};  // of a normal variable

// Promises: how far coverage is from the confidence, below and above.
constexpr double allowed = 0.015;

// From this many values a register, estimates come in no steps that matter.
constexpr double smooth_load = 0.6;

// Sketches of fewer registers grow value by value, larger ones are drawn at once.
constexpr int drawn_from = 12;

enum class Range { sparse, low, dense };

// How often the number of values was within the bounds at each confidence, and
// within the estimate times 1 -+ z standard errors.
struct Point {
	int precision;
	double n;
	std::array<double, confidences.size()> ours{}, plain{};

	Range range() const
	{
		if (n <= hll::entry_limit(precision))
			return Range::sparse;
		return n < smooth_load * hll::register_count(precision) ? Range::low : Range::dense;
	}

	void add(const hll::Bounds &bounds, std::size_t i)
	{
		const double estimate = static_cast<double>(bounds.estimate);
		const double reach = deviations[i] * hll::standard_error(precision) * estimate;
		ours[i] += static_cast<double>(bounds.lower) <= n && n <= static_cast<double>(bounds.upper);
		plain[i] += std::round(estimate - reach) <= n && n <= std::round(estimate + reach);
	}

	void add(const Point &other)
	{
		for (std::size_t i = 0; i < confidences.size(); ++i) {
			ours[i] += other.ours[i];
			plain[i] += other.plain[i];
		}
	}
};

void add_registers(Point &point, const hll::Histogram &histogram)
{
	for (std::size_t i = 0; i < confidences.size(); ++i)
		point.add(hll::bounds_of_registers(hll::sums_of(histogram, point.precision), point.precision, confidences[i]), i);
}

void add_entries(Point &point, std::uint32_t entries)
{
	for (std::size_t i = 0; i < confidences.size(); ++i)
		point.add(hll::bounds_of_entries(entries, confidences[i]), i);
}

std::uint32_t draw_entries(double n, Random &random)
{
	std::uint32_t entries = 0;
	for (double seen = 0; seen < n; ++seen)
		entries += random.next() >> (64 - hll::index_bits) >= entries;
	return entries;
}

std::vector<Point> prepare(int precision)
{
	std::vector<Point> points;
	for (double decade = 10; decade <= largest; decade *= 10)
		for (const double factor : {1., 2., 5.})
			if (decade * factor <= largest)
				points.push_back({precision, decade * factor});
	for (const double load : {0.14, 0.2, 0.3, 0.45})
		if (const double n = std::floor(load * hll::register_count(precision)); n >= 10)
			points.push_back({precision, n});
	std::sort(points.begin(), points.end(), [](const Point &a, const Point &b) { return a.n < b.n; });
	return points;
}

void run_trial(std::vector<Point> &points, int seed)
{
	const int precision = points[0].precision;
	Trial trial(precision, seed);
	Random random(static_cast<std::uint64_t>(seed * 64 + precision));
	for (Point &point : points) {
		if (point.range() == Range::sparse) {
			add_entries(point, draw_entries(point.n, random));
		} else if (precision >= drawn_from) {
			add_registers(point, Rising::draw(precision, point.n, random));
		} else {
			trial.advance_to(point.n);
			add_registers(point, trial.histogram());
		}
	}
}

std::vector<Point> measure(int precision, int trials)
{
	std::vector<Point> points = prepare(precision);
	std::vector<std::vector<Point>> parts(std::max(1u, std::thread::hardware_concurrency()), points);
	std::vector<std::thread> threads;
	for (std::size_t i = 0; i < parts.size(); ++i)
		threads.emplace_back([&, i] {
			for (int seed = static_cast<int>(i); seed < trials; seed += static_cast<int>(parts.size()))
				run_trial(parts[i], seed + 1);
		});
	for (std::thread &thread : threads)
		thread.join();
	for (const std::vector<Point> &part : parts)
		for (std::size_t i = 0; i < points.size(); ++i)
			points[i].add(part[i]);
	std::fprintf(stderr, " %d", precision);
	return points;
}

struct Extremes {
	double lowest = 1, highest = -1;  // coverage less confidence

	void add(double off)
	{
		lowest = std::min(lowest, off);
		highest = std::max(highest, off);
	}
	void print() const
	{
		if (lowest > highest)
			std::printf(" |");
		else
			std::printf(" %+.1f .. %+.1f |", 100 * lowest, 100 * highest);
	}
};

// Prints one row; false if a promise is missed.
bool print_row(const std::vector<Point> &points, int trials)
{
	bool kept = true;
	std::printf("| %d |", points[0].precision);
	for (const Range range : {Range::dense, Range::low, Range::sparse})
		for (std::size_t i = 0; i < confidences.size(); ++i) {
			Extremes extremes;
			const double confidence = confidences[i];
			const double noise = 3 * std::sqrt(confidence * (1 - confidence) / trials);
			for (const Point &point : points) {
				if (point.range() != range)
					continue;
				const double off = point.ours[i] / trials - confidence;
				extremes.add(off);
				if (off >= -allowed - noise && (range != Range::dense || off <= allowed + noise))
					continue;
				kept = false;
				std::fprintf(stderr, "missed at precision %d: %.0f values, confidence %.2f, off by %+.4f\n",
				             point.precision, point.n, confidence, off);
			}
			extremes.print();
		}
	Extremes plain;
	for (const Point &point : points)
		if (point.range() != Range::sparse)
			plain.add(point.plain[0] / trials - confidences[0]);
	plain.print();
	std::printf("\n");
	return kept;
}

void write_points(std::FILE *file, const std::vector<Point> &points, int trials)
{
	for (const Point &point : points) {
		std::fprintf(file, "%.0f", point.n);
		for (std::size_t i = 0; i < confidences.size(); ++i)
			std::fprintf(file, "\t%.3f\t%.3f", 100 * point.ours[i] / trials, 100 * point.plain[i] / trials);
		std::fprintf(file, "\n");
	}
	std::fprintf(file, "\n\n");
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	using namespace bloomsketch::hll;
	const int trials = argc == 3 ? std::atoi(argv[1]) : 0;
	std::FILE *file = trials > 0 ? std::fopen(argv[2], "w") : nullptr;
	if (file == nullptr) {
		std::fprintf(stderr, "usage: hll_bounds_accuracy TRIALS POINTS.tsv\n");
		return 2;
	}
	std::printf("| p | dense: 68 %% | 95 %% | 99 %% | low load: 68 %% | 95 %% | 99 %% | sparse: 68 %% | 95 %% | 99 %% | "
	            "1.04 / sqrt(2^p): 68 %% |\n|---:|");
	for (int column = 0; column < 10; ++column)
		std::printf("---:|");
	std::printf("\n");
	bool kept = true;
	std::fprintf(stderr, "bounds at precision");
	for (int precision = min_precision; precision <= max_precision; ++precision) {
		const std::vector<Point> points = measure(precision, trials);
		kept = print_row(points, trials) && kept;
		write_points(file, points, trials);
	}
	std::fprintf(stderr, "\n");
	std::fclose(file);
	std::printf("\n%d trials each. Coverage less confidence in points, lowest and highest over 10, 20, 50, ... "
	            "100,000,000 values and loads of 0.14, 0.2, 0.3 and 0.45; three sigma of the noise are", trials);
	const char *separator = " ";
	for (const double confidence : confidences) {
		std::printf("%s%.1f", separator, 300 * std::sqrt(confidence * (1 - confidence) / trials));
		separator = ", ";
	}
	std::printf(" points.\n");
	return kept ? 0 : 1;
}
