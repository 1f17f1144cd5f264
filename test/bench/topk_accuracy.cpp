// Measures Top-K sketches of the reference workload: Markdown to standard output.
//
//   topk_accuracy TRIALS
//
// draws the workload anew for each 500 trials, and builds sketches of it in each order
// and split. Fails if a figure misses what docs/ACCURACY.md promises.
#include <cstdio>
#include <cstdlib>

#include "../unit/topk_workload.hpp"

namespace bloomsketch::test {
namespace {

bool kept = true;

void promise(bool holds, const char *what, std::uint32_t k, Order order, Split split)
{
	if (holds)
		return;
	std::fprintf(stderr, "not kept, k %u, %s, %s: %s\n", k, name(order), name(split), what);
	kept = false;
}

// The least good of several.
struct Worst {
	std::size_t workloads = 0, with_exact_ten = 0, recalled = SIZE_MAX, guaranteed = SIZE_MAX, wrong = 0, bytes = 0;
	std::uint64_t worst_error = 0;

	void add(const TopkResult &result)
	{
		++workloads;
		with_exact_ten += result.are_ten_exact;
		recalled = std::min(recalled, result.recalled);
		guaranteed = std::min(guaranteed, result.guaranteed);
		worst_error = std::max(worst_error, result.worst_error);
		wrong += result.wrong;
		bytes = std::max(bytes, result.bytes);
	}

	void print(std::uint32_t k, const char *order, const char *split) const
	{
		std::printf("| %u | %s | %s | %zu of %zu | %zu | %zu | %llu | %llu | %zu |\n", k, order, split, with_exact_ten, workloads,
		            recalled, guaranteed, static_cast<unsigned long long>(worst_error),
		            static_cast<unsigned long long>(workload_draws / topk::counters_for(k)), bytes);
	}
};

void measure(std::uint32_t k, Order order, Split split, const std::vector<std::vector<std::uint64_t>> &workloads)
{
	Worst worst;
	for (std::size_t seed = 0; seed < workloads.size(); ++seed)
		worst.add(measure_topk(build_topk(rows_of(workloads[seed], order, seed), split, k), workloads[seed]));
	worst.print(k, name(order), name(split));
	promise(worst.wrong == 0, "the truth in its bounds", k, order, split);
	if (k != 100)
		return;
	promise(worst.with_exact_ten == worst.workloads, "the first ten in order", k, order, split);
	promise(worst.recalled >= 99, "the first hundred", k, order, split);
	promise(worst.bytes <= allowed_topk_bytes, "size", k, order, split);
	if (order == Order::random && (split == Split::whole || split == Split::random))
		promise(worst.guaranteed >= 95, "95 guaranteed", k, order, split);
}

}  // namespace
}  // namespace bloomsketch::test

int main(int argc, char **argv)
{
	using namespace bloomsketch::test;
	const int trials = argc >= 2 ? std::atoi(argv[1]) : 0;
	if (trials < 1) {
		std::fprintf(stderr, "usage: topk_accuracy TRIALS\n");
		return 2;
	}
	std::vector<std::vector<std::uint64_t>> workloads;
	for (int seed = 1; seed <= std::max(1, trials / 500); ++seed)
		workloads.push_back(draw_workload(static_cast<std::uint64_t>(seed)));
	std::printf("| k | order | in one or united | first ten in order | of the first k | guaranteed | worst error | N / m | bytes |\n"
	            "|---:|---|---|---:|---:|---:|---:|---:|---:|\n");
	for (const Order order : orders)
		for (const Split split : splits)
			measure(100, order, split, workloads);
	for (const std::uint32_t k : {10u, 1'000u, 10'000u})
		measure(k, Order::random, Split::whole, workloads);
	std::printf("\n2,000,000 draws over 100,000 values, value i with chance in proportion to 1 / i, drawn %zu times; each "
	            "figure is that of the worst. The error is that of a count among the first k.\n",
	            workloads.size());
	return kept ? 0 : 1;
}
