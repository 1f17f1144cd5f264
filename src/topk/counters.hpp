// Counters, and how they lie one behind the other in an image at rest, by ascending
// hash:
//
//   hash     8 bytes, little-endian
//   count    the most that a value's weights sum up to (common/varint.hpp)
//   error    how much less it may be: count - error at least (likewise)
//   length   of the text (likewise)
//   text     the value
#pragma once

#include <cstring>

#include "common/hash.hpp"
#include "common/varint.hpp"
#include "topk/parameters.hpp"

namespace bloomsketch::topk {

struct Counter {
	Hash64 hash = 0;
	std::uint64_t count = 0;
	std::uint64_t error = 0;
	Bytes text;
};

// What a counter takes at least: no text, and numbers of one byte.
inline constexpr std::size_t smallest_counter = sizeof(Hash64) + 3;

// The order of results: the larger count first, of equal ones the smaller hash.
struct SortKey {
	std::uint64_t count;
	Hash64 hash;
};
constexpr SortKey sort_key_of(const Counter &counter) { return {counter.count, counter.hash}; }
constexpr bool is_ahead(SortKey a, SortKey b) { return a.count != b.count ? a.count > b.count : a.hash < b.hash; }

// Bytewise; of two that begin alike the shorter one is the smaller.
inline bool is_smaller_text(Bytes a, Bytes b)
{
	const std::size_t common = std::min(a.size(), b.size());
	const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
	return order != 0 ? order < 0 : a.size() < b.size();
}

// Takes counters from the front of any bytes.
class CounterReader {
public:
	CounterReader() = default;
	CounterReader(Bytes from, std::uint32_t count) : from_(from), left_(count) {}

	// False behind the last one, and where the bytes are malformed: reason().
	bool next(Counter &counter)
	{
		if (left_ == 0)
			return false;
		if (from_.size() < smallest_counter)
			return fail(Malformed::too_short);
		counter.hash = load_le<Hash64>(from_.data());
		from_ = from_.subspan(sizeof(Hash64));
		std::uint64_t length;
		if (!take(counter.count) || !take(counter.error) || !take(length))
			return false;
		if (length > from_.size())
			return fail(Malformed::too_short);
		counter.text = from_.first(length);
		from_ = from_.subspan(length);
		--left_;
		return true;
	}

	Malformed reason() const { return reason_; }

	// What is behind the counters that were taken.
	Bytes rest() const { return from_; }

private:
	bool take(std::uint64_t &value)
	{
		if (!from_.empty() && from_[0] < 0x80) {
			value = from_[0];
			from_ = from_.subspan(1);
			return true;
		}
		const Malformed reason = take_varint(from_, value);
		return reason == Malformed::no || fail(reason);
	}

	bool fail(Malformed reason)
	{
		reason_ = reason;
		left_ = 0;
		return false;
	}

	Bytes from_;
	std::uint32_t left_ = 0;
	Malformed reason_ = Malformed::no;
};

inline std::size_t size_of(const Counter &counter)
{
	return sizeof(Hash64) + varint_size(counter.count) + varint_size(counter.error) + varint_size(counter.text.size()) +
	       counter.text.size();
}

// Writes size_of() bytes and returns what is behind them.
inline std::uint8_t *write(const Counter &counter, std::uint8_t *to)
{
	store_le(to, counter.hash);
	to = write_varint(write_varint(to + sizeof(Hash64), counter.count), counter.error);
	to = write_varint(to, counter.text.size());
	return std::copy(counter.text.begin(), counter.text.end(), to);
}

}  // namespace bloomsketch::topk
