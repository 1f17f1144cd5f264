// The codes of dense registers: what they are, and registers of any kind there and
// back, against a plain encoder that writes bit by bit.
#include <gtest/gtest.h>

#include "hll/dense.hpp"
#include "image.hpp"
#include "natural_registers.hpp"

namespace bloomsketch::hll {
namespace {

using test::Image;
using test::Random;

std::string word_of(const Code &code, unsigned symbol)
{
	std::string bits;
	for (int i = 0; i < code[symbol].length; ++i)
		bits += code[symbol].bits >> i & 1 ? '1' : '0';
	return bits;
}

TEST(DenseCode, WordsAreCanonical)
{
	for (std::size_t i = 0; i < code_count; ++i) {
		const CodeLengths &lengths = code_lengths[i];
		double share = 0;  // of all strings of bits
		std::string before;
		for (int length = 1; length <= longest_code; ++length)
			for (unsigned symbol = 0; symbol < symbol_count; ++symbol)
				if (lengths[symbol] == length) {
					const std::string word = word_of(codes[i], symbol);
					ASSERT_EQ(word.size(), std::size_t(length));
					ASSERT_LT(before, word);
					ASSERT_NE(word.compare(0, before.size(), before), before.empty() ? -1 : 0) << "no prefix of the next";
					before = word;
					share += std::exp2(-length);
				}
		EXPECT_EQ(share, 1.0) << "no string of bits is without a meaning";
		EXPECT_EQ(word_of(codes[i], escape), std::string(longest_code, '1'));
	}
	EXPECT_EQ(word_of(codes[4], 2), "100") << "3 bits, behind the four words 00, 01 (2 bits) and 100 is symbol 2";
}

// A window's symbols one by one, by looking for the word that it begins with.
TEST(DenseCode, TablesHoldWhatWindowsHold)
{
	for (std::size_t i = 0; i < code_count; ++i)
		for (unsigned window = 0; window < DecodingTable::windows; ++window) {
			const Decoded &decoded = decoding_tables[i][window];
			unsigned rest = window;
			unsigned bits = 0;
			unsigned count = 0;
			for (unsigned symbol = 0; symbol < escape && count < 6;) {
				const CodeWord word = codes[i][symbol];
				if (bits + word.length > 11 || (rest & ((1u << word.length) - 1)) != word.bits) {
					++symbol;
					continue;
				}
				ASSERT_LT(count, decoded.count);
				ASSERT_EQ(decoded.symbols[count++], symbol);
				rest >>= word.length;
				bits += word.length;
				symbol = 0;
			}
			ASSERT_EQ(decoded.count, count);
			ASSERT_EQ(decoded.bits, bits);
		}
	EXPECT_EQ(decoding_tables[0][0].count, 6);
	EXPECT_TRUE(decoding_tables[0][DecodingTable::windows - 1].is_escape());
}

TEST(DenseCode, LoadsHaveCodesAndOffsets)
{
	const int expected[][3] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {4, 4, 0}, {5, 3, 1}, {6, 4, 1}, {126, 4, 61}};
	for (const auto &[load, code, offset] : expected) {
		EXPECT_EQ(Load(static_cast<unsigned>(load)).code, code);
		EXPECT_EQ(Load(static_cast<unsigned>(load)).offset, offset);
	}
	EXPECT_EQ(Load::count, 127u);
	EXPECT_EQ(Load(5).bits(1), 7u);
	EXPECT_EQ(Load(5).bits(0), 16u) << "an escape";
	EXPECT_EQ(Load(5).bits(15), 10u);
	EXPECT_EQ(Load(5).bits(16), 16u);
}

TEST(DenseCode, BestLoadTakesTheFewestBits)
{
	Random random(1);
	for (int round = 0; round < 200; ++round) {
		Histogram histogram{};
		for (int i = 0; i < 1 + round % 20; ++i)
			histogram[random.below(62)] += static_cast<std::uint32_t>(random.below(1'000));
		const auto bits = [&](unsigned load) {
			std::uint64_t sum = 0;
			for (unsigned rank = 0; rank < 64; ++rank)
				sum += std::uint64_t{histogram[rank]} * Load(load).bits(rank);
			return sum;
		};
		const unsigned best = best_load(histogram);
		for (unsigned load = 0; load < Load::count; ++load)
			ASSERT_TRUE(load < best ? bits(load) > bits(best) : bits(load) >= bits(best)) << load << " for " << best;
	}
	Histogram tie{};
	tie[1] = 1;  // in two bits by loads 0 and 1
	EXPECT_EQ(best_load(tie), 0u) << "2 bits by code 0 as by code 1";
}

// What docs/FORMAT.md says of form 1.
Image naive_body(const Image &registers)
{
	Histogram histogram{};
	for (const std::uint8_t rank : registers)
		++histogram[rank];
	const unsigned load = best_load(histogram);
	const std::size_t size = std::min<std::size_t>(registers.size() / 4, 4'096);
	Image lengths, streams;
	for (std::size_t first = 0; first < registers.size(); first += size) {
		std::string bits;
		for (std::size_t i = first; i < first + size; ++i) {
			const unsigned symbol = registers[i] - Load(load).offset;
			bits += word_of(codes[Load(load).code], std::min(symbol, escape));
			for (int bit = 0; symbol >= escape && bit < 6; ++bit)
				bits += registers[i] >> bit & 1 ? '1' : '0';
		}
		const std::size_t length = (bits.size() + 7) / 8;
		bits.resize(length * 8, '0');
		for (std::size_t i = 0; i < bits.size(); i += 8) {
			std::uint8_t byte = 0;
			for (std::size_t bit = 0; bit < 8; ++bit)
				byte = static_cast<std::uint8_t>(byte | (bits[i + bit] == '1') << bit);
			streams.push_back(byte);
		}
		if (first + size == registers.size())
			break;
		if (length >= 128)
			lengths.push_back(static_cast<std::uint8_t>(length % 128 + 128));
		lengths.push_back(static_cast<std::uint8_t>(length >= 128 ? length / 128 : length));
	}
	Image body{static_cast<std::uint8_t>(load)};
	body.insert(body.end(), lengths.begin(), lengths.end());
	body.insert(body.end(), streams.begin(), streams.end());
	if (body.size() <= registers.size() / 4 * 3)
		return body;
	Image packed(1 + registers.size() / 4 * 3, 255);
	pack_registers(registers, packed.data() + 1);
	return packed;
}

// Hands registers out in pieces of `step`.
auto chunks_of(const Image &registers, std::size_t step)
{
	return [&registers, step](auto use) {
		for (std::size_t first = 0; first < registers.size(); first += step)
			use(Bytes(registers).subspan(first, std::min(step, registers.size() - first)), first);
	};
}

void there_and_back(int precision, const Image &registers)
{
	const Image expected = naive_body(registers);
	for (const std::size_t step : {std::size_t{16}, std::size_t{1'024}, registers.size()}) {
		const DenseLayout layout(precision, chunks_of(registers, step));
		ASSERT_EQ(layout.size(), expected.size());
		ASSERT_LE(layout.size(), 1 + packed_size(precision));
		Image body(layout.size(), 0xA5);
		layout.write(body.data(), chunks_of(registers, step));
		ASSERT_EQ(body, expected);
		ASSERT_EQ(layout.is_packed(), body[0] == Load::packed);
		if (layout.is_packed())
			continue;
		CodedRegisters coded;
		ASSERT_EQ(CodedRegisters::open(body, precision, coded), Malformed::no);
		ASSERT_TRUE(layout.is_of(coded));
		Image decoded(registers.size());
		for (std::size_t block = 0; block < registers.size() / block_registers(precision); ++block)
			ASSERT_EQ(coded.decode(block, MutableBytes(decoded).subspan(block * block_registers(precision), block_registers(precision))),
			          Malformed::no);
		ASSERT_EQ(decoded, registers);
	}
}

TEST(DenseCode, NaturalRegistersThereAndBack)
{
	Random random(2);
	for (int p = min_precision; p <= max_precision; ++p)
		for (double exponent = -3; exponent < 59 - p; exponent += p < 12 ? 0.9 : 7.3) {
			SCOPED_TRACE("precision " + std::to_string(p) + ", 2^" + std::to_string(exponent) + " values a register");
			there_and_back(p, test::natural_registers(p, std::exp2(exponent), random));
			if (HasFatalFailure())
				return;
		}
}

// Registers that no values leave: of one rank, of any, of two that are far from each
// other, and natural ones with a few that are not.
TEST(DenseCode, AnyRegistersThereAndBack)
{
	Random random(3);
	for (const int p : {4, 5, 9, 11, 14, 15, 16}) {
		const auto any_rank = [&] { return static_cast<std::uint8_t>(random.below(max_rank(p) + 1)); };
		std::vector<Image> kinds;
		for (unsigned rank = 0; rank <= max_rank(p); rank += p < 12 ? 1 : 7)
			kinds.emplace_back(register_count(p), static_cast<std::uint8_t>(rank));
		for (int round = 0; round < (p < 12 ? 20 : 3); ++round) {
			Image any(register_count(p)), two(register_count(p));
			Image few = test::natural_registers(p, std::exp2(random.below(20)), random);
			for (std::uint8_t &rank : any)
				rank = any_rank();
			const std::uint8_t low = any_rank(), high = any_rank();
			const std::uint64_t ratio = random.below(200) + 1;
			for (std::uint8_t &rank : two)
				rank = random.below(ratio) == 0 ? low : high;
			for (std::size_t i = 0; i < few.size() / 10; ++i)
				few[random.below(few.size())] = any_rank();
			kinds.insert(kinds.end(), {any, two, few});
		}
		for (const Image &registers : kinds) {
			there_and_back(p, registers);
			if (HasFatalFailure())
				return;
		}
	}
}

// Runs of escapes and of the shortest words, which make one stream end long before
// another.
TEST(DenseCode, StreamsOfUnequalLengthThereAndBack)
{
	Random random(4);
	for (const int p : {4, 6, 8, 10, 14, 16})
		for (std::size_t rich = 0; rich < 4; ++rich)
			for (const unsigned share : {2u, 10u, 40u}) {
				Image registers(register_count(p));
				for (std::size_t i = 0; i < registers.size(); ++i)
					if (i / stream_registers(p) % 4 == rich && i % share == 0)
						registers[i] = static_cast<std::uint8_t>(15 + random.below(30));
				there_and_back(p, registers);
				if (HasFatalFailure())
					return;
			}
}

// Whatever the bytes of an image that opens, ranks are possible ones.
TEST(DenseCode, WildBytesGivePossibleRanks)
{
	Random random(5);
	for (int round = 0; round < 3'000; ++round) {
		const int p = round % 100 == 0 ? 15 : min_precision + round % 8;
		Image body(1 + 2 * stream_count(p) + random.below(packed_size(p)));
		for (std::uint8_t &byte : body)
			byte = static_cast<std::uint8_t>(round % 3 == 0 ? 0xFF : round % 3 == 1 ? random.next() & random.next() : random.next());
		body[0] = static_cast<std::uint8_t>(random.below(Load::count));
		for (std::size_t i = 1; i < stream_count(p); ++i)
			body[i] = static_cast<std::uint8_t>(random.below(std::min<std::size_t>(128, 2 * body.size() / stream_count(p))));
		CodedRegisters coded;
		if (CodedRegisters::open(body, p, coded) != Malformed::no)
			continue;
		Image registers(block_registers(p));
		for (std::size_t block = 0; block * registers.size() < register_count(p); ++block) {
			coded.decode(block, registers);
			ASSERT_TRUE(ranks_in_range(registers, p));
		}
	}
}

}  // namespace
}  // namespace bloomsketch::hll
