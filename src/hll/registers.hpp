// The registers of a dense HyperLogLog: bytes while working, and at rest 6 bits
// each where codes (dense_code.hpp) do not pay. Six bits hold every rank (at most
// 61, at p = 4); eight registers make 48 little-endian bits, the first in the
// lowest.
//
//   example: ranks 1, 2, 3, 0, 0, 0, 0, 0 are stored as 81 30 00 00 00 00
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "common/bytes.hpp"
#include "hll/entry.hpp"

namespace bloomsketch::hll {

inline constexpr std::size_t group_registers = 8;
inline constexpr std::size_t group_bytes = 6;

constexpr std::size_t packed_size(int precision)
{
	return register_count(precision) / group_registers * group_bytes;
}

// How many registers have each rank, 0..63.
using Histogram = std::array<std::uint32_t, 64>;

// What the estimate takes of registers. With q = 64 - p the highest rank is q + 1,
// and the sum is at most 2^p / 2 * 2^q = 2^63.
struct RegisterSums {
	std::uint32_t zeros = 0;    // registers of rank 0
	std::uint32_t highest = 0;  // registers of the highest rank
	std::uint64_t inverse = 0;  // the sum of 2^(q - rank) over all others

	bool operator==(const RegisterSums &) const = default;

	constexpr RegisterSums &operator+=(const RegisterSums &other)
	{
		zeros += other.zeros;
		highest += other.highest;
		inverse += other.inverse;
		return *this;
	}

	constexpr void add(unsigned rank, int precision, std::uint32_t count = 1)
	{
		if (rank == 0)
			zeros += count;
		else if (rank == max_rank(precision))
			highest += count;
		else
			inverse += std::uint64_t{count} << (max_rank(precision) - 1 - rank);
	}
};

constexpr RegisterSums sums_of(const Histogram &histogram, int precision)
{
	RegisterSums sums;
	for (unsigned rank = 0; rank <= max_rank(precision); ++rank)
		sums.add(rank, precision, histogram[rank]);
	return sums;
}

// Spreads 48 bits into eight bytes of 6 bits by halving: 24 in 32, 12 in 16,
// 6 in 8. No table and no branch, so that compilers vectorise it.
constexpr std::uint64_t spread_group(std::uint64_t bits)
{
	bits = (bits & 0x000000FFFFFFull) | (bits & 0xFFFFFF000000ull) << 8;
	bits = (bits & 0x00000FFF00000FFFull) | (bits & 0x00FFF00000FFF000ull) << 4;
	return (bits & 0x003F003F003F003Full) | (bits & 0x0FC00FC00FC00FC0ull) << 2;
}

constexpr std::uint64_t gather_group(std::uint64_t bytes)
{
	bytes = (bytes & 0x003F003F003F003Full) | (bytes & 0x3F003F003F003F00ull) >> 2;
	bytes = (bytes & 0x00000FFF00000FFFull) | (bytes & 0x0FFF00000FFF0000ull) >> 4;
	return (bytes & 0x0000000000FFFFFFull) | (bytes & 0x00FFFFFF00000000ull) >> 8;
}

inline void pack_registers(Bytes registers, std::uint8_t *to)
{
	for (std::size_t i = 0; i < registers.size(); i += group_registers, to += group_bytes) {
		const std::uint64_t bits = gather_group(load_le<std::uint64_t>(registers.data() + i));
		store_le(to, static_cast<std::uint32_t>(bits));
		store_le(to + 4, static_cast<std::uint16_t>(bits >> 32));
	}
}

inline void unpack_registers(const std::uint8_t *__restrict packed, MutableBytes registers)
{
	for (std::size_t i = 0; i < registers.size(); i += group_registers, packed += group_bytes) {
		const std::uint64_t bits =
			load_le<std::uint32_t>(packed) | std::uint64_t{load_le<std::uint16_t>(packed + 4)} << 32;
		store_le(registers.data() + i, spread_group(bits));
	}
}

inline void merge_registers(std::uint8_t *__restrict into, const std::uint8_t *__restrict from, std::size_t count)
{
	for (std::size_t i = 0; i < count; ++i)
		into[i] = std::max(into[i], from[i]);
}

// Four tables, so that equal neighbours do not wait for each other's store.
// Bytes above 63, which no valid sketch has, are taken modulo 64.
inline void count_ranks(Bytes registers, Histogram &histogram)
{
	std::array<std::array<std::uint32_t, 64>, 4> tables{};
	for (std::size_t i = 0; i < registers.size(); i += 4)
		for (std::size_t lane = 0; lane < 4; ++lane)
			++tables[lane][registers[i + lane] & 0x3F];
	for (std::size_t rank = 0; rank < histogram.size(); ++rank)
		histogram[rank] += tables[0][rank] + tables[1][rank] + tables[2][rank] + tables[3][rank];
}

inline bool ranks_in_range(Bytes registers, int precision)
{
	std::uint8_t highest = 0;
	for (const std::uint8_t rank : registers)
		highest = std::max(highest, rank);
	return highest <= max_rank(precision);
}

// Where a register of a finer sketch goes in a coarser one: the index bits that
// are cut off become the first bits behind the index.
constexpr Register reduce_register(Register fine, int from_precision, int to_precision)
{
	const int cut = from_precision - to_precision;
	const std::uint32_t low = fine.index & ((1u << cut) - 1);
	const int rank = low != 0 ? cut - std::bit_width(low) + 1 : cut + fine.rank;
	return {fine.index >> cut, static_cast<std::uint8_t>(rank)};
}

}  // namespace bloomsketch::hll
