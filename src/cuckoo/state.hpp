// A cuckoo filter that is being changed: a view over a writable image, in place.
#pragma once

#include "cuckoo/cuckoo.hpp"
#include "cuckoo/eviction.hpp"

namespace bloomsketch::cuckoo {

// What became of a fingerprint that was to be added. All but `done` change nothing.
enum class Change {
	done,
	copies,  // all slots of its two buckets have it already
	full,    // no other fingerprints can be moved to make room
};

class State {
public:
	State() = default;

	static std::size_t image_size(const Geometry &geometry, std::int64_t seed)
	{
		return head_size(seed) + geometry.body_size();
	}

	static Geometry geometry_for(const Parameters &parameters)
	{
		return cuckoo::geometry_for(parameters.capacity, parameters.rate, head_size(parameters.seed));
	}

	// Makes an empty filter in `image`, which has image_size() bytes.
	static State create(MutableBytes image, const Parameters &parameters, int bits)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		const Header header{SketchKind::cuckoo, 0, {}, parameters.seed};
		header.write(image.data());
		std::uint8_t *to = image.data() + header.size();
		store_le(to, parameters.capacity);
		store_le(to + 8, std::bit_cast<std::uint64_t>(parameters.rate));
		to[16] = static_cast<std::uint8_t>(bits);
		State state;
		static_cast<void>(open(image, state));  // what was just written opens
		return state;
	}

	// False if the image is no filter, or one without parameters.
	[[nodiscard]] static bool open(MutableBytes image, State &state)
	{
		state.image_ = image;
		return state.head_.read(image, image.size()) == Malformed::no && !state.head_.is_parameterless();
	}

	// Opens an image by a head that was read before, which takes a fraction of the
	// time. False if it begins with other bytes. (That leaves the items unchecked, which
	// are counted and read by nothing here.)
	static bool open_known(MutableBytes image, const KnownHead &known, State &state)
	{
		if (!known.begins(image))
			return false;
		state.image_ = image;
		state.head_ = known.head();
		return true;
	}

	KnownHead known_head() const { return KnownHead(head_, image_); }

	MutableBytes image() const { return image_; }
	const Parameters &parameters() const { return head_.parameters; }
	std::uint64_t items() const { return head_.items(image_.data()); }
	ValueKind kind() const { return Header::kind_at(image_.data()); }
	void set_kind(ValueKind kind)
	{
		Header::set_kind(image_.data(), kind);
		head_.header.kind = kind;
	}

	// The filter as it stands; an image that open() took opens.
	Filter read() const
	{
		Filter filter;
		Filter::open(image_, filter);
		return filter;
	}

	// Adds a copy; set_kind() goes before. There is always room for the first.
	[[nodiscard]] Change add(Hash64 hash) { return put(geometry().entry(hash)); }

	// Removes a copy. False if there is none, and then nothing changes.
	[[nodiscard]] bool remove(Hash64 hash)
	{
		const Entry entry = geometry().entry(hash);
		if (!replace(entry, entry.fingerprint, 0) && !replace(geometry().other(entry), entry.fingerprint, 0))
			return false;
		set_items(items() - 1);
		if (items() == 0)
			set_kind({});
		return true;
	}

	// Adds what is in buckets first..last-1 of a filter that agrees in everything. If
	// that fails some of it is added: the state is to be thrown away.
	[[nodiscard]] Change merge(const Filter &other, std::uint64_t first, std::uint64_t last)
	{
		Change change = Change::done;
		other.each_entry(first, last, [&](Entry entry) {
			change = put(entry.bucket < geometry().half ? entry : geometry().other(entry));
			return change == Change::done;
		});
		return change;
	}

private:
	static std::size_t head_size(std::int64_t seed)
	{
		return Header::fixed_size + (seed != 0 ? Header::seed_size : 0) + parameters_size + items_size;
	}

	const Geometry &geometry() const { return head_.geometry; }
	MutableBytes body() const { return image_.subspan(head_.body_at()); }
	void set_items(std::uint64_t items) { store_le(image_.data() + head_.size(), items); }

	// An entry in the first half: the first free slot of its bucket, or else of its
	// other bucket, which is on its way from memory by then, or else one that is made
	// free.
	Change put(Entry entry)
	{
		const Entry other = geometry().other(entry);
		__builtin_prefetch(image_.data() + head_.bucket_at(other.bucket), 1);
		if (!replace(entry, 0, entry.fingerprint) && !replace(other, 0, entry.fingerprint))
			if (const Change change = make_room(entry, other); change != Change::done)
				return change;
		set_items(items() + 1);
		return Change::done;
	}

	// Apart from the seven in eight that find a free slot.
	[[gnu::noinline]] Change make_room(Entry entry, Entry other)
	{
		if (count_in(entry) + count_in(other) == most_copies)
			return Change::copies;
		return Eviction(geometry(), body()).put(entry) ? Change::done : Change::full;
	}

	// Writes `to` into the first slot of the entry's bucket that has `from`; false
	// without such.
	bool replace(Entry entry, std::uint32_t from, std::uint32_t to)
	{
		const std::size_t first_bit = geometry().first_bit(entry.bucket);
		const int slot = find_in_bucket(body(), first_bit, from, geometry().bits);
		if (slot >= 0)
			put_bits(body(), first_bit + static_cast<std::size_t>(slot), to, geometry().bits);
		return slot >= 0;
	}

	int count_in(Entry entry) const
	{
		return count_in_bucket(body(), geometry().first_bit(entry.bucket), entry.fingerprint, geometry().bits);
	}

	MutableBytes image_;
	Head head_;
};

}  // namespace bloomsketch::cuckoo
