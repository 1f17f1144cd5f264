// What the estimate takes of coded registers without decoding them, against the
// histogram of the registers themselves; and raising others without a pass between.
#include <gtest/gtest.h>

#include "hll_building.hpp"
#include "natural_registers.hpp"

namespace bloomsketch::hll {
namespace {

using test::Image;
using test::Random;

// The body of registers that are stored coded; none if they are packed.
Image coded_body(int precision, const Image &registers)
{
	const auto whole = [&](auto use) { use(Bytes(registers), 0); };
	const DenseLayout layout(precision, whole);
	Image body(layout.is_packed() ? 0 : layout.size());
	if (!body.empty())
		layout.write(body.data(), whole);
	return body;
}

RegisterSums sums_of(const Image &registers, int precision)
{
	RegisterSums sums;
	for (const std::uint8_t rank : registers)
		sums.add(rank, precision);
	return sums;
}

RegisterSums count(const CodedRegisters &coded, int precision)
{
	RegisterSums sums;
	for (std::size_t block = 0; block < register_count(precision) / block_registers(precision); ++block)
		sums += coded.count(block);
	return sums;
}

// Gives whether the registers could be counted.
bool counts_right(int precision, const Image &registers)
{
	const Image body = coded_body(precision, registers);
	CodedRegisters coded;
	if (body.empty() || CodedRegisters::open(body, precision, coded) != Malformed::no || !coded.can_count())
		return false;
	EXPECT_EQ(count(coded, precision), sums_of(registers, precision));
	return true;
}

TEST(DenseCounter, TablesAddUpWhatWindowsHold)
{
	for (std::size_t code = 0; code < code_count; ++code)
		for (unsigned window = 0; window < DecodingTable::windows; ++window) {
			unsigned rest = window;
			std::size_t bits = 0, symbols = 0;
			std::uint64_t zeros = 0, inverse = 0;
			for (unsigned symbol = 0; symbol < escape;) {
				const CodeWord word = codes[code][symbol];
				if (bits + word.length > 11 || (rest & ((1u << word.length) - 1)) != word.bits) {
					++symbol;
					continue;
				}
				rest >>= word.length;
				bits += word.length;
				++symbols;
				zeros += symbol == 0;
				inverse += symbol == 0 ? 0 : 1u << (14 - symbol);
				symbol = 0;
			}
			const Counted counted = counting_tables[code][window];
			ASSERT_EQ(counted.bits(), bits);
			ASSERT_EQ(counted.window_bits(), static_cast<int>(bits));
			ASSERT_EQ(counted.symbols(), symbols);
			ASSERT_EQ(counted.zeros(), zeros);
			ASSERT_EQ(counted.inverse(), inverse);
			ASSERT_EQ(counted.is_escape(), symbols == 0);
		}
}

// As many rounds as are added up at a time, of what is most in each field: none
// runs over into the next one.
TEST(DenseCounter, FieldsHoldTheMostThatIsAddedUp)
{
	for (const auto &[symbol, bits] : {std::pair{0u, 1u}, {1u, 2u}, {14u, 10u}}) {
		const unsigned each = DecodingTable::window_bits / bits;
		const std::size_t looks = Counted::most_rounds * round_looks;
		Counted sum = Counted::of_bits(7);
		for (std::size_t i = 0; i < looks * each; ++i)
			sum += Counted::of(symbol, bits);
		for (std::size_t i = 0; i < Counted::most_rounds; ++i)
			sum += Counted::of_escape();
		ASSERT_EQ(sum.bits(), 7 + looks * each * bits + Counted::most_rounds * 16);
		ASSERT_EQ(sum.symbols(), looks * each + Counted::most_rounds);
		ASSERT_EQ(sum.zeros(), symbol == 0 ? looks * each : 0);
		ASSERT_EQ(sum.inverse(), symbol == 0 ? 0 : looks * each << (14 - symbol));
	}
	EXPECT_LT(7 + Counted::most_rounds * (round_looks * 11 + 16), 1u << 12) << "bits, whatever the words";
}

TEST(DenseCounter, NaturalRegisters)
{
	Random random(1);
	for (int p = min_precision; p <= max_precision; ++p)
		for (double exponent = -3; exponent < 59 - p; exponent += p < 12 ? 0.9 : 7.3) {
			const Image registers = test::natural_registers(p, std::exp2(exponent), random);
			const bool counted = counts_right(p, registers);
			ASSERT_FALSE(HasFailure()) << p << ", 2^" << exponent << " values a register";
			ASSERT_TRUE(counted || p < 6 || exponent >= 45 - p) << p << ", 2^" << exponent << " values a register";
		}
}

// Of one rank, of any, of two that are far from each other, and natural ones with
// many that are not: escapes in a row, and four streams of different lengths.
TEST(DenseCounter, AnyRegisters)
{
	Random random(2);
	int counted = 0;
	for (const int p : {4, 5, 9, 11, 14, 15, 18}) {
		const auto any_rank = [&] { return static_cast<std::uint8_t>(random.below(max_rank(p) + 1)); };
		for (unsigned rank = 0; rank <= max_rank(p); rank += p < 12 ? 1 : 7)
			counted += counts_right(p, Image(register_count(p), static_cast<std::uint8_t>(rank)));
		for (int round = 0; round < (p < 12 ? 200 : 6); ++round) {
			Image two(register_count(p));
			Image few = test::natural_registers(p, std::exp2(random.below(30)), random);
			Image rich = few;
			const std::uint8_t low = any_rank(), high = any_rank();
			const std::uint64_t ratio = random.below(200) + 1;
			const std::size_t stream = random.below(4);
			for (std::uint8_t &rank : two)
				rank = random.below(ratio) == 0 ? low : high;
			for (std::size_t i = 0; i < few.size() / 10; ++i)
				few[random.below(few.size())] = any_rank();
			for (std::size_t i = 0; i < rich.size(); ++i)
				if (i / stream_registers(p) % 4 == stream && i % ratio < 3)
					rich[i] = any_rank();
			for (const Image &registers : {two, few, rich})
				counted += counts_right(p, registers);
			ASSERT_FALSE(HasFailure()) << p << ", round " << round;
		}
	}
	EXPECT_GT(counted, 1'000);
}

// Whatever the bytes, these are the sums of the registers that decoding gives.
TEST(DenseCounter, WildBytes)
{
	Random random(3);
	int counted = 0;
	for (int round = 0; round < 4'000; ++round) {
		const int p = round % 100 == 0 ? 15 : min_precision + round % 8;
		Image body(1 + 2 * stream_count(p) + random.below(packed_size(p)));
		for (std::uint8_t &byte : body)
			byte = static_cast<std::uint8_t>(round % 3 == 0 ? 0xFF : round % 3 == 1 ? random.next() & random.next() : random.next());
		body[0] = static_cast<std::uint8_t>(random.below(Load::count));
		for (std::size_t i = 1; i < stream_count(p); ++i)
			body[i] = static_cast<std::uint8_t>(random.below(std::min<std::size_t>(128, 2 * body.size() / stream_count(p))));
		CodedRegisters coded;
		if (CodedRegisters::open(body, p, coded) != Malformed::no || !coded.can_count())
			continue;
		++counted;
		Image registers(register_count(p));
		for (std::size_t block = 0; block * block_registers(p) < registers.size(); ++block)
			coded.decode(block, MutableBytes(registers).subspan(block * block_registers(p), block_registers(p)));
		ASSERT_EQ(count(coded, p), sums_of(registers, p)) << p << ", round " << round;
	}
	EXPECT_GT(counted, 1'000);
}

// Where a symbol may be the highest rank, sketches fall back on decoding.
TEST(DenseCounter, SketchesOfAnyLoad)
{
	Random random(4);
	bool refused = false;
	for (const int p : {4, 6, 8, 10, 15})
		for (double exponent = -3; exponent < 68 - p; exponent += 1.7) {
			const Image registers = test::natural_registers(p, std::exp2(exponent), random);
			test::HllBuilding building({p}, {}, register_count(p));
			Image working = building.image();
			std::copy(registers.begin(), registers.end(), working.end() - static_cast<std::ptrdiff_t>(registers.size()));
			const Image stored = test::store_hll(*test::open_hll(working));
			const Sketch sketch = *test::open_hll(stored);
			ASSERT_EQ(sketch.sums(), sums_of(registers, p)) << p << ", 2^" << exponent << " values a register";
			ASSERT_EQ(sketch.estimate(), estimate_registers(sketch.histogram(), p));
			CodedRegisters coded;
			refused = refused || (CodedRegisters::open(sketch.body(), p, coded) == Malformed::no && !coded.can_count());
		}
	EXPECT_TRUE(refused);
}

// Registers of all ranks, whole bodies and wild ones: as decoding, then the greater.
TEST(DenseCounter, RaisingIsDecodingAndTheGreater)
{
	Random random(5);
	for (int round = 0; round < 300; ++round) {
		const int p = round % 20 == 0 ? 14 + round / 20 % 2 : min_precision + round % 8;
		Image body = coded_body(p, test::natural_registers(p, std::exp2(random.below(58 - static_cast<unsigned>(p))), random));
		if (body.empty())
			continue;
		if (round % 2 == 0)
			for (std::size_t i = 2 * stream_count(p); i < body.size(); ++i)
				body[i] = static_cast<std::uint8_t>(random.next() | random.next());
		CodedRegisters coded;
		ASSERT_EQ(CodedRegisters::open(body, p, coded), Malformed::no);
		Image scratch(block_registers(p)), registers(block_registers(p)), raised(block_registers(p));
		for (std::size_t block = 0; block < register_count(p) / scratch.size(); ++block) {
			for (std::uint8_t &rank : raised)
				rank = static_cast<std::uint8_t>(random.below(max_rank(p) + 1));
			coded.decode(block, registers);
			for (std::size_t i = 0; i < raised.size(); ++i)
				registers[i] = std::max(registers[i], raised[i]);
			coded.raise(block, raised, scratch);
			ASSERT_EQ(raised, registers) << p << ", round " << round;
		}
	}
}

}  // namespace
}  // namespace bloomsketch::hll
