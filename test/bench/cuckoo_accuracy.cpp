// Measures cuckoo filters: their false positive rates, how often one is full before it
// has as many values as it was made for, and when it is full. Markdown to standard output.
//
//   cuckoo_accuracy TRIALS
//
// looks 10,000 times as many absent values up in filters of a million values, and
// builds that many filters of a capacity, a tenth of it of large ones. Fails if a
// figure misses what docs/ACCURACY.md promises.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../unit/cuckoo_building.hpp"
#include "../unit/random.hpp"

namespace bloomsketch::test {
namespace {

constexpr double allowed_sigmas = 3;    // of what is measured, from what the load says
constexpr double allowed_full = 2e-5;   // of filters, before they have as many values as their capacity

bool kept = true;

void promise(bool holds, const char *what, double where)
{
	if (holds)
		return;
	std::fprintf(stderr, "not kept at %g: %s\n", where, what);
	kept = false;
}

void print_rate(double rate, double allowed_bits, std::uint64_t probes)
{
	constexpr std::uint64_t capacity = 1'000'000, absent = std::uint64_t{1} << 40;
	CuckooBuilding building(capacity, rate);
	for (std::uint64_t value = 0; value < capacity; ++value)
		promise(building.add(hash_word(value, 0)) == cuckoo::Change::done, "room", rate);
	const cuckoo::Filter filter = building.filter();
	std::uint64_t found = 0;
	for (std::uint64_t value = absent; value < absent + probes; ++value)
		found += filter.contains(hash_word(value, 0));
	const double expected = filter.expected_rate(), count = static_cast<double>(probes);
	const double measured = static_cast<double>(found) / count;
	// Of the pairs of fingerprint and buckets so many are taken that are by chance taken once.
	const double pairs = static_cast<double>(filter.geometry().half * filter.geometry().fingerprints());
	const double sigma = std::hypot(std::sqrt(expected * (1 - expected) / count), capacity / std::sqrt(2 * pairs) / pairs);
	const double bits = 8 * static_cast<double>(building.image().size() + 4) / capacity;
	std::printf("| %g %% | %d | %.2f | %.4g %% | %.4g %% | %+.1f |\n", 100 * rate, filter.geometry().bits, bits, 100 * expected,
	            100 * measured, (measured - expected) / sigma);
	promise(bits <= allowed_bits, "size", rate);
	promise(expected <= rate, "expected rate", rate);
	promise(std::abs(measured - expected) <= allowed_sigmas * sigma, "measured rate", rate);
}

// Filters of random values: how full they are with as many as they were made for, how
// many were full before, and the load at which they are full.
void print_builds(std::uint64_t capacity, double rate, int builds)
{
	int full_early = 0;
	double load = 0, least = 1, sum = 0;
	Random random(capacity);
	for (int i = 0; i < builds; ++i) {
		CuckooBuilding building(capacity, rate);
		std::uint64_t added = 0;
		while (building.add(random.next()) == cuckoo::Change::done)
			++added;
		full_early += added < capacity;
		const double slots = static_cast<double>(building.filter().geometry().slots());
		load = static_cast<double>(capacity) / slots;
		least = std::min(least, static_cast<double>(added) / slots);
		sum += static_cast<double>(added) / slots;
	}
	std::printf("| %llu | %g %% | %.3f | %d of %d | %.3f | %.3f |\n", static_cast<unsigned long long>(capacity), 100 * rate,
	            load, full_early, builds, sum / builds, least);
	const double allowed = allowed_full * builds;
	promise(full_early <= allowed + 3 * std::sqrt(allowed), "room", static_cast<double>(capacity));
}

// The same for values that come several times each.
void print_copies(int copies, int builds)
{
	constexpr std::uint64_t capacity = 10'000;
	double sum = 0, least = 1;
	Random random(static_cast<std::uint64_t>(copies));
	for (int i = 0; i < builds; ++i) {
		CuckooBuilding building(capacity, 0.01);
		cuckoo::Change change = cuckoo::Change::done;
		while (change == cuckoo::Change::done) {
			const Hash64 hash = random.next();
			for (int copy = 0; copy < copies && change == cuckoo::Change::done; ++copy)
				change = building.add(hash);
		}
		sum += building.filter().load();
		least = std::min(least, building.filter().load());
	}
	std::printf("| %d | %.3f | %.3f |\n", copies, sum / builds, least);
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	const int trials = argc >= 2 ? std::atoi(argv[1]) : 0;
	if (trials < 1) {
		std::fprintf(stderr, "usage: cuckoo_accuracy TRIALS\n");
		return 2;
	}
	const std::uint64_t probes = static_cast<std::uint64_t>(trials) * 10'000;
	std::printf("| target | bits of a fingerprint | bits per value | expected | measured | off by sigma |\n"
	            "|---:|---:|---:|---:|---:|---:|\n");
	const double rates[][2] = {{0.1, 7.5}, {0.01, 10.6}, {0.001, 13.8}, {0.0001, 18}, {1e-6, 25}};
	for (const auto &[rate, allowed_bits] : rates)
		print_rate(rate, allowed_bits, probes);
	std::printf("\nFilters for 1,000,000 values, holding as many, and %.0e look-ups of others.\n", static_cast<double>(probes));
	std::printf("\n| capacity | target | load at capacity | full before | full at load, mean | least |\n"
	            "|---:|---:|---:|---:|---:|---:|\n");
	for (const std::uint64_t capacity : {17u, 45u, 100u})
		print_builds(capacity, 0.01, 10 * trials);
	for (const std::uint64_t capacity : {1'000u, 10'000u})
		print_builds(capacity, 0.01, trials);
	print_builds(10'000, 0.001, std::max(1, trials / 10));
	print_builds(10'000, 0.5, std::max(1, trials / 10));
	print_builds(100'000, 0.01, std::max(1, trials / 10));
	print_builds(1'000'000, 0.01, std::max(1, trials / 1'000));
	std::printf("\nRandom values, each once.\n\n| copies of each value | full at load, mean | least |\n|---:|---:|---:|\n");
	for (int copies = 1; copies <= 8; ++copies)
		print_copies(copies, std::max(1, trials / 50));
	std::printf("\n%d filters each, for 10,000 values at 1 %%.\n", std::max(1, trials / 50));
	return kept ? 0 : 1;
}
