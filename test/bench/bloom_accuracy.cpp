// Measures the false positive rates of Bloom filters: Markdown to standard output.
//
//   bloom_accuracy TRIALS
//
// looks 10,000 times as many absent values up in filters of a million values, and
// builds that many small filters. Fails if a figure misses what docs/ACCURACY.md
// promises.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../unit/bloom_building.hpp"
#include "../unit/bloom_sized_building.hpp"

namespace bloomsketch::test {
namespace {

constexpr double allowed_excess = 1.05;  // over the target, by what the bits say
constexpr double allowed_sigmas = 3;     // of what is measured, from what the bits say
constexpr double allowed_exceeding = 0.00135;  // of small filters: 3 sigma

bool kept = true;

void promise(bool holds, const char *what, double rate)
{
	if (holds)
		return;
	std::fprintf(stderr, "not kept at %g: %s\n", rate, what);
	kept = false;
}

void add(BloomBuilding &building, std::uint64_t first, std::uint64_t last, std::int64_t seed)
{
	for (std::uint64_t value = first; value < last; ++value)
		building.add(hash_word(value, seed));
}

struct Measured {
	double expected, measured, sigmas;
};

// Looks up that many values that were not added.
Measured measure(const bloom::Filter &filter, std::uint64_t probes)
{
	constexpr std::uint64_t absent = std::uint64_t{1} << 40;
	std::uint64_t found = 0;
	for (std::uint64_t value = absent; value < absent + probes; ++value)
		found += filter.contains(hash_word(value, 0));
	const double expected = expected_rate(filter), count = static_cast<double>(probes);
	const double measured = static_cast<double>(found) / count;
	return {expected, measured, (measured - expected) / std::sqrt(expected * (1 - expected) / count)};
}

void print_large(double rate, double allowed_size, std::uint64_t probes)
{
	constexpr std::uint64_t capacity = 1'000'000;
	BloomBuilding building(capacity, rate);
	add(building, 0, capacity, 0);
	const double bits = static_cast<double>(building.filter().bits()) / capacity;
	const double classic = -std::log(rate) / (std::numbers::ln2 * std::numbers::ln2);
	const Measured full = measure(building.filter(), probes);
	add(building, capacity, 3 * capacity, 0);
	const Measured overfull = measure(building.filter(), std::max<std::uint64_t>(probes / 10, 1));
	std::printf("| %g %% | %d | %.2f | %.3f | %.5g %% | %.5g %% | %+.1f | %.3g %% | %.3g %% |\n", 100 * rate,
	            building.filter().parameters().hashes, bits, bits / classic, 100 * full.expected, 100 * full.measured,
	            full.sigmas, 100 * overfull.expected, 100 * overfull.measured);
	promise(bits <= allowed_size * classic, "size", rate);
	promise(full.expected <= allowed_excess * rate, "expected rate", rate);
	promise(std::abs(full.sigmas) <= allowed_sigmas, "measured rate", rate);
	promise(std::abs(overfull.sigmas) <= allowed_sigmas, "measured rate after three times the capacity", rate);
}

// Filters with a seed each: their mean rate, the largest, and how many are beyond
// 1.05 times the target.
void print_small(std::uint64_t capacity, double rate, int filters)
{
	const bloom::Sizing sizing = bloom::size_for(capacity, rate, bloom::State::most_blocks(rate));
	double sum = 0, largest = 0;
	int exceeding = 0;
	std::size_t bytes = 0;
	for (int seed = 1; seed <= filters; ++seed) {
		BloomBuilding building({capacity, rate, seed, sizing.hashes}, sizing.blocks);
		add(building, 0, capacity, seed);
		const double expected = expected_rate(building.filter()) / rate;
		sum += expected;
		largest = std::max(largest, expected);
		exceeding += expected > allowed_excess;
		bytes = building.image().size() - Header::seed_size + 4;
	}
	std::printf("| %llu | %g %% | %zu | %.3f | %.3f | %.2f %% |\n", static_cast<unsigned long long>(capacity),
	            100 * rate, bytes, sum / filters, largest, 100. * exceeding / filters);
	promise(sum <= filters, "mean rate of small filters", rate);
	const double allowed = allowed_exceeding * filters;
	promise(exceeding <= allowed + 3 * std::sqrt(allowed), "rate of single small filters", rate);
}

// A filter that sizes itself for so many values, against the fixed one for as many.
void print_sized(std::uint64_t count, double rate, std::uint64_t probes)
{
	SizedBuilding building(rate);
	for (std::uint64_t value = 0; value < count; ++value)
		promise(building.add(hash_word(value, 0)) == bloom::Growth::done, "growing", rate);
	const Image image = store_sized(building.image());
	const bloom::Layered filter = open_layered(image);
	const bloom::LayersFill fill(filter);
	const double ratio = static_cast<double>(fill.bits) / static_cast<double>(size_of(count, rate).blocks << size_of(count, rate).block_bits_log2);
	const double measured = layered_false_positives(filter, probes) / static_cast<double>(probes);
	const double sigmas = (measured - fill.expected_rate) / std::sqrt(fill.expected_rate / static_cast<double>(probes));
	std::printf("| %llu | %g %% | %.1f | %zu | %.3f | %.5g %% | %.5g %% | %+.1f |\n", static_cast<unsigned long long>(count), 100 * rate,
	            static_cast<double>(building.image().size()) / 1e6, filter.layers(), ratio, 100 * fill.expected_rate, 100 * measured, sigmas);
	promise(ratio <= (count <= 2'000'000 ? 1.10 : 1.5), "size of a filter that sized itself", rate);
	promise(fill.expected_rate <= allowed_excess * rate, "rate of a filter that sized itself", rate);
	promise(std::abs(sigmas) <= allowed_sigmas, "measured rate of a filter that sized itself", rate);
}

// One that sized itself, with values added after that.
void print_grown(std::uint64_t capacity, double rate, std::uint64_t probes)
{
	SizedBuilding building(rate);
	for (std::uint64_t value = 0; value < capacity; ++value)
		promise(building.add(hash_word(value, 0)) == bloom::Growth::done, "growing", rate);
	building = SizedBuilding(store_sized(building.image()));
	std::uint64_t value = capacity;
	for (const std::uint64_t times : {3u, 30u}) {
		for (; value < times * capacity; ++value)
			promise(building.add(hash_word(value, 0)) == bloom::Growth::done, "growing", rate);
		const bloom::Layered filter = open_layered(building.image());
		const bloom::LayersFill fill(filter);
		const double measured = layered_false_positives(filter, probes) / static_cast<double>(probes);
		std::printf("| %g %% | %llu | %zu | %.1f | %.3f | %.3f |\n", 100 * rate, static_cast<unsigned long long>(times), filter.layers(),
		            static_cast<double>(fill.bits) / static_cast<double>(value), fill.expected_rate / rate, measured / rate);
		promise(measured <= 1.2 * rate + allowed_sigmas * std::sqrt(1.2 * rate / static_cast<double>(probes)), "rate after growing", rate);
	}
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	const int trials = argc >= 2 ? std::atoi(argv[1]) : 0;
	if (trials < 1) {
		std::fprintf(stderr, "usage: bloom_accuracy TRIALS\n");
		return 2;
	}
	const std::uint64_t probes = static_cast<std::uint64_t>(trials) * 10'000;
	std::printf("| target | hashes | bits per value | / classic | expected | measured | off by sigma | "
	            "expected after 3x | measured |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	const double large[][2] = {{0.1, 1.04}, {0.01, 1.04}, {0.001, 1.10}, {0.0001, 1.04}, {1e-6, 1.07}};
	for (const auto &[rate, allowed_size] : large)
		print_large(rate, allowed_size, probes);
	std::printf("\nFilters for 1,000,000 values, holding as many, and %.0e look-ups of others.\n",
	            static_cast<double>(probes));
	std::printf("\n| capacity | target | bytes | mean rate / target | largest | filters beyond 1.05 |\n"
	            "|---:|---:|---:|---:|---:|---:|\n");
	for (const double rate : {0.01, 0.0001})
		for (const std::uint64_t capacity : {10u, 100u, 1'000u, 10'000u})
			print_small(capacity, rate, trials);
	std::printf("\n%d filters each, their rates read from their bits.\n", trials);
	std::printf("\n| values | target | MB while built | layers | bits / fixed filter's | expected | measured | off by sigma |\n"
	            "|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (const std::uint64_t count : {10'000u, 123'456u, 1'000'000u, 2'000'000u, 3'500'000u, 7'000'000u, 13'000'000u, 20'000'000u, 50'000'000u, 100'000'000u})
		print_sized(count, 0.01, probes / 10);
	for (const std::uint64_t count : {1'000'000u, 5'000'000u, 12'000'000u})
		print_sized(count, 0.0001, probes / 10);
	std::printf("\nFilters that sized themselves.\n");
	std::printf("\n| target | times the capacity | layers | bits per value | expected rate / target | measured / target |\n"
	            "|---:|---:|---:|---:|---:|---:|\n");
	for (const double rate : {0.1, 0.01, 0.0001})
		print_grown(100'000, rate, probes / 10);
	std::printf("\nFilters that sized themselves for 100,000 values, and grew.\n");
	return kept ? 0 : 1;
}
