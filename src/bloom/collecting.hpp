// The hashes of distinct values while they are few enough to be kept: form 3, the
// state of an aggregate that does not know yet how many there will be.
//
//   header     3 bytes, 11 with a seed (common/header.hpp)
//   target     8 bytes, IEEE 754 little-endian: the false positive rate, in (0, 1)
//   count      4 bytes, little-endian: places that are taken, at most 3 of 4
//   zero       1 byte: 1 if the hash 0 is among the values, else 0
//   places     2^k times 8 bytes, little-endian, 8 .. 4,194,304 of them: a hash, or 0
//   from 65,536 places on, which are seldom in a cache:
//   waiting    4 bytes, little-endian: hashes that wait, 0..16
//   hashes     16 times 8 bytes, little-endian: their places are on the way from memory;
//              they may be there already, and come twice, but none is 0
//
// A hash h has the place floor(h * places / 2^64) or the first free one behind it,
// around the end. So hashes lie nearly in order, which is the order of their blocks in
// any filter: what is made of them, a larger table too, is written from front to back.
#pragma once

#include "bloom/head.hpp"
#include "common/interrupts.hpp"

namespace bloomsketch::bloom {

class Collecting {
public:
	static constexpr const char *type_name = "bloom";
	static constexpr std::size_t parameters_size = 8 + 4 + 1;
	static constexpr std::size_t fewest_places = 8;
	static constexpr std::size_t most_places = std::size_t{1} << 22;
	static constexpr std::uint64_t most_values = most_places / 4 * 3;
	// More hashes than this would have to be looked for far from their places.
	static constexpr std::uint64_t most_in(std::size_t places) { return places / 4 * 3; }

	Collecting() = default;

	static std::size_t image_size(std::int64_t seed, std::size_t places)
	{
		return Header::fixed_size + (seed != 0 ? Header::seed_size : 0) + parameters_size + places * sizeof(Hash64) +
		       tail_size_for(places);
	}

	// The places that so many hashes need, at most most_values.
	static std::size_t places_for(std::uint64_t hashes)
	{
		std::size_t places = fewest_places;
		while (most_in(places) < hashes)
			places *= 2;
		return places;
	}

	// Makes an empty table in `image`, which has image_size() bytes.
	static Collecting create(MutableBytes image, ValueKind kind, std::int64_t seed, double target)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		const Header header{SketchKind::bloom, static_cast<std::uint8_t>(Form::collecting), kind, seed};
		header.write(image.data());
		store_le(image.data() + header.size(), std::bit_cast<std::uint64_t>(target));
		Collecting table;
		open(image, table);
		return table;
	}

	// Checks whatever safe and bounded use depends on, in constant time. Only what may be
	// written is handed over as MutableBytes.
	static Malformed open(MutableBytes image, Collecting &table)
	{
		Header header;
		header.sketch = SketchKind::bloom;
		if (const Malformed reason = header.read(image); reason != Malformed::no)
			return reason;
		if (header.form != static_cast<unsigned>(Form::collecting))
			return Malformed::unknown_form;
		const std::size_t head = header.size() + parameters_size;
		if (image.size() < head)
			return Malformed::too_short;
		table.image_ = image;
		table.parameters_ = image.data() + header.size();
		table.seed_ = header.seed;
		if (!is_valid_rate(table.target()))
			return Malformed::bad_parameters;
		const std::size_t behind = image.size() - head;
		table.places_ = std::bit_floor(behind / sizeof(Hash64));
		if (table.places_ < fewest_places || table.places_ > most_places ||
		    behind != table.places_ * sizeof(Hash64) + tail_size_for(table.places_))
			return Malformed::wrong_length;
		table.bits_ = std::countr_zero(table.places_);
		const bool is_possible = table.count() <= most_in(table.places_) && table.zero() <= 1 && table.waiting() <= waiting_hashes;
		return is_possible ? Malformed::no : Malformed::bad_count;
	}
	static Malformed open(Bytes image, Collecting &table)
	{
		return open(MutableBytes(const_cast<std::uint8_t *>(image.data()), image.size()), table);
	}

	// Checks what open() leaves: that each hash is found from its place.
	Malformed check() const
	{
		std::size_t last_free = places_;
		while (last_free > 0 && at(last_free - 1) != 0)
			--last_free;
		if (last_free == 0)
			return Malformed::bad_count;
		// How many places before this one are taken without a gap, around the end.
		std::size_t taken = places_ - last_free;
		std::uint64_t count = 0;
		for (std::size_t place = 0; place < places_; ++place) {
			if (place % places_in_chunk == 0)
				check_for_interrupts();
			const Hash64 hash = at(place);
			if (hash == 0) {
				taken = 0;
				continue;
			}
			if (((place - home(hash)) & (places_ - 1)) > taken)
				return Malformed::bad_entry;
			++taken;
			++count;
		}
		if (count != this->count())
			return Malformed::bad_count;
		for (std::uint32_t i = 0; i < waiting(); ++i)
			if (waiting_hash(i) == 0)
				return Malformed::bad_entry;
		return (values() == 0) != kind().is_none() ? Malformed::not_canonical : Malformed::no;
	}

	MutableBytes image() const { return image_; }
	std::int64_t seed() const { return seed_; }
	double target() const { return std::bit_cast<double>(load_le<std::uint64_t>(parameters_)); }
	ValueKind kind() const { return Header::kind_at(image_.data()); }
	std::size_t places() const { return places_; }

	std::uint64_t values() const
	{
		std::uint64_t values = count() + zero();
		for (std::uint32_t i = 0; i < waiting(); ++i)
			values += is_new(i);
		return values;
	}

	bool contains(Hash64 hash) const
	{
		if (hash == 0)
			return zero() != 0;
		for (std::uint32_t i = 0; i < waiting(); ++i)
			if (waiting_hash(i) == hash)
				return true;
		return is_placed(hash);
	}

	// Adds a value, in a large table some calls later. False, and nothing is changed but
	// that others may have got their places, where the table has no room for another.
	[[nodiscard]] bool insert(Hash64 hash)
	{
		if (hash == 0 || !has_tail())
			return put(hash);
		if (waiting() == waiting_hashes && !place_waiting())
			return false;
		__builtin_prefetch(places_begin() + home(hash) * sizeof(Hash64), 1);
		store_le(tail() + 4 + waiting() * sizeof(Hash64), hash);
		store_le(tail(), waiting() + 1);
		return true;
	}

	// Adds a value at once. False, and nothing is changed, where there is no room.
	[[nodiscard]] bool put(Hash64 hash)
	{
		if (hash == 0) {
			parameters_[12] = 1;
			return true;
		}
		const std::size_t place = find(hash);
		if (place == places_)
			return false;
		if (at(place) == hash)
			return true;
		if (count() == most_in(places_))
			return false;
		store_le(places_begin() + place * sizeof(Hash64), hash);
		store_le(parameters_ + 8, count() + 1);
		return true;
	}

	// Gives those that wait their places; false where there is no room for all.
	[[nodiscard]] bool place_waiting()
	{
		for (std::uint32_t i = waiting(); i > 0; --i) {
			if (!put(waiting_hash(i - 1)))
				return false;
			store_le(tail(), i - 1);
		}
		return true;
	}

	// Calls use(hash) for each of the values, nearly in order.
	template <class Use>
	void each(Use use) const
	{
		if (zero() != 0)
			use(Hash64{0});
		for (std::uint32_t i = 0; i < waiting(); ++i)
			if (is_new(i))
				use(waiting_hash(i));
		for (std::size_t place = 0; place < places_; ++place) {
			if (place % places_in_chunk == 0)
				check_for_interrupts();
			if (const Hash64 hash = at(place); hash != 0)
				use(hash);
		}
	}

private:
	static constexpr std::size_t places_in_chunk = std::size_t{1} << 16;
	static constexpr std::size_t fewest_places_apart = std::size_t{1} << 16;
	static constexpr std::size_t tail_size_for(std::size_t places) { return places < fewest_places_apart ? 0 : tail_size; }

	std::uint8_t *places_begin() const { return parameters_ + parameters_size; }
	Hash64 at(std::size_t place) const { return load_le<Hash64>(places_begin() + place * sizeof(Hash64)); }
	std::size_t home(Hash64 hash) const { return static_cast<std::size_t>(hash >> (64 - bits_)); }
	std::uint32_t count() const { return load_le<std::uint32_t>(parameters_ + 8); }
	unsigned zero() const { return parameters_[12]; }

	bool has_tail() const { return places_ >= fewest_places_apart; }
	std::uint8_t *tail() const { return places_begin() + places_ * sizeof(Hash64); }
	std::uint32_t waiting() const { return has_tail() ? load_le<std::uint32_t>(tail()) : 0; }
	Hash64 waiting_hash(std::uint32_t i) const { return load_le<Hash64>(tail() + 4 + i * sizeof(Hash64)); }

	// The place of a hash other than 0, or where it would be; places() if all are taken,
	// as damage may have it.
	std::size_t find(Hash64 hash) const
	{
		std::size_t place = home(hash);
		for (std::size_t i = 0; i < places_; ++i, place = (place + 1) & (places_ - 1))
			if (const Hash64 held = at(place); held == hash || held == 0)
				return place;
		return places_;
	}
	bool is_placed(Hash64 hash) const
	{
		const std::size_t place = find(hash);
		return place != places_ && at(place) == hash;
	}

	// Whether a hash that waits has no place, and none before it is the same.
	bool is_new(std::uint32_t i) const
	{
		for (std::uint32_t j = 0; j < i; ++j)
			if (waiting_hash(j) == waiting_hash(i))
				return false;
		return !is_placed(waiting_hash(i));
	}

	MutableBytes image_;
	std::uint8_t *parameters_ = nullptr;
	std::size_t places_ = 0;
	int bits_ = 0;
	std::int64_t seed_ = 0;
};

}  // namespace bloomsketch::bloom
