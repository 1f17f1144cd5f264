// How large dense sketches are at rest, with PostgreSQL's length word and without a
// seed: what README promises holds for any number of values.
//
// A register's bits are random as its rank is. Given the load, registers are
// independent (of a fixed number of values they are so negatively correlated that
// the sum varies less), so m of them take m times the mean with a standard deviation
// of sqrt(m) times that of one: close to normal. The load that the encoder picks is
// at least as good as the best in the mean. All bounds are five standard deviations
// above that mean, which one sketch in 3.5 million exceeds.
#include <gtest/gtest.h>

#include "hll_building.hpp"
#include "natural_registers.hpp"

namespace bloomsketch::hll {
namespace {

using test::Image;

// Length word, header, precision, load, lengths of three streams.
constexpr double head_bytes(double bytes_of_a_length) { return 4 + 3 + 1 + 1 + 3 * bytes_of_a_length; }

// Bits that fill a stream's last byte are 0 to 7 alike: 3.5 in the mean, with a
// variance of 5.25. There are four streams.
constexpr double filling = 4 * 3.5;
constexpr double filling_variance = 4 * 5.25;

double largest_size(int precision, double values_per_register, double bytes_of_a_length)
{
	const double m = register_count(precision);
	double fewest = HUGE_VAL;
	for (unsigned load = 0; load < Load::count; ++load) {
		double mean = 0, square = 0, below = 0;
		for (unsigned rank = 0; rank < 64; ++rank) {
			const double at_most = rank < max_rank(precision) ? std::exp(-values_per_register * std::exp2(-static_cast<int>(rank))) : 1;
			const double bits = Load(load).bits(rank);
			mean += (at_most - below) * bits;
			square += (at_most - below) * bits * bits;
			below = at_most;
		}
		const double deviation = std::sqrt(m * std::max(0.0, square - mean * mean) + filling_variance);
		fewest = std::min(fewest, mean * m + filling + 5 * deviation);
	}
	return head_bytes(bytes_of_a_length) + fewest / 8;
}

double stored_size(int precision, double values_per_register, test::Random &random)
{
	const test::HllBuilding building({precision, 0}, test::test_kind, UINT32_MAX);
	Image image = building.image();
	const Image registers = test::natural_registers(precision, values_per_register, random);
	std::copy(registers.begin(), registers.end(), image.begin() + 4);
	return static_cast<double>(test::store_hll(image).size()) + 4;
}

struct Promise {
	int precision;
	double bytes;
	double bytes_of_a_length;
};
constexpr Promise promises[] = {{10, 410, 1}, {12, 1'560, 2}, {14, 6'200, 2}};

// From where the registers take over to 2^40 values a register, 10^15 at p = 10.
TEST(HllSize, PromisesHoldForAnyNumberOfValues)
{
	for (const Promise &promise : promises)
		for (double exponent = -3; exponent < 40; exponent += 1 / 32.0)
			ASSERT_LE(largest_size(promise.precision, std::exp2(exponent), promise.bytes_of_a_length), promise.bytes)
				<< "precision " << promise.precision << ", 2^" << exponent << " values a register";
}

TEST(HllSize, SketchesKeepThem)
{
	test::Random random(1);
	for (const Promise &promise : promises)
		for (int round = 0; round < (promise.precision == 10 ? 3'000 : 300); ++round) {
			const double load = std::exp2(-3 + 33 * random.unit());
			const double size = stored_size(promise.precision, load, random);
			ASSERT_LE(size, largest_size(promise.precision, load, promise.bytes_of_a_length)) << load;
			ASSERT_LE(size, promise.bytes) << load;
		}
}

// 2.876 bits a register in the mean of all loads (test/data/hll_codes.py). A stream
// adds half a byte that fills it, and two bytes of length where it has 128 or more.
TEST(HllSize, RegistersTakeLessThanThreeBits)
{
	test::Random random(2);
	for (int p = min_precision; p <= max_precision; ++p) {
		const double m = register_count(p);
		const int rounds = p < 14 ? 200 : 20;
		double sum = 0;
		for (int round = 0; round < rounds; ++round)
			sum += stored_size(p, std::exp2(4 + 8.0 * round / rounds), random);
		const auto streams = static_cast<double>(stream_count(p));
		const double heads = 9 + (streams - 1) * (p < 11 ? 1 : 2) + streams / 2;
		// Below p = 8 the encoder's choice of load saves up to two bits more.
		const double deviation = 1.25 * std::sqrt(m / rounds) / 8;
		EXPECT_NEAR(sum / rounds, heads + 2.876 * m / 8, 5 * deviation + (p < 8 ? 0.5 : 0) + 0.001 * m / 8) << p;
	}
}

}  // namespace
}  // namespace bloomsketch::hll
