// A HyperLogLog that is being built: a view over a writable image in one of the
// working forms, changed in place. It never allocates. When add() or merge()
// has no room left it says so, and the caller makes the image of the next
// layout, copies with grow_into() and repeats the call: both may be repeated,
// as a sketch takes every value once.
#pragma once

#include "common/known_head.hpp"
#include "hll/hll.hpp"

namespace bloomsketch::hll {

struct Parameters {
	int precision = 0;
	std::int64_t seed = 0;

	bool operator==(const Parameters &) const = default;
};

// What stands in front of a working image's body.
struct WorkingHead {
	Form form{};
	ValueKind kind;
	Parameters parameters;

	std::size_t size() const { return Header{SketchKind::hll, 0, {}, parameters.seed}.size() + 1; }
};

using KnownHead = bloomsketch::KnownHead<WorkingHead, Header::fixed_size + 1>;

// A working form and the bytes that its image takes.
struct Layout {
	Form form;
	std::size_t size;
};

class State {
public:
	State() = default;

	// The smallest layout with room for `entries` entries.
	static Layout layout_for(Parameters parameters, std::uint32_t entries)
	{
		if (entries > entry_limit(parameters.precision))
			return {Form::dense_bytes, head_size(parameters) + register_count(parameters.precision)};
		std::size_t size = smallest_allocation - length_word;
		while (table_capacity(parameters, size) < entries)
			size = 2 * (size + length_word) - length_word;
		return {Form::sparse_table, size};
	}

	// Makes an empty sketch in `image`, which has the layout's size.
	static State create(MutableBytes image, Form form, Parameters parameters, ValueKind kind)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		const Header header{SketchKind::hll, static_cast<std::uint8_t>(form), kind, parameters.seed};
		header.write(image.data());
		image[header.size()] = static_cast<std::uint8_t>(parameters.precision);
		return State(image, header.size() + 1, parameters);
	}

	// Opens an image that create() made and add() and merge() filled. False if
	// it is at rest, and so not to be changed in place, or no image at all.
	static bool open(MutableBytes image, State &state)
	{
		Sketch sketch;
		if (Sketch::open(image, sketch) != Malformed::no || !sketch.is_working())
			return false;
		state = State(image, sketch.header().size() + 1, {sketch.precision(), sketch.seed()});
		return true;
	}

	// Opens an image by a head that was read before, which takes a fraction of the
	// time. False if it begins with other bytes.
	static bool open_known(MutableBytes image, const KnownHead &known, State &state)
	{
		if (!known.begins(image))
			return false;
		state = State(image, known.head().size(), known.head().parameters);
		return true;
	}

	KnownHead known_head() const { return KnownHead({is_dense() ? Form::dense_bytes : Form::sparse_table, kind(), parameters()}, image_); }

	int precision() const { return precision_; }
	Parameters parameters() const { return {precision_, seed_}; }
	ValueKind kind() const { return Header::kind_at(image_.data()); }
	bool is_dense() const { return Header::form_at(image_.data()) == static_cast<unsigned>(Form::dense_bytes); }

	// The sketch as it stands; an image that create() made opens.
	Sketch read() const
	{
		Sketch sketch;
		Sketch::open(image_, sketch);
		return sketch;
	}

	void set_kind(ValueKind kind) { Header::set_kind(image_.data(), kind); }
	MutableBytes image() const { return image_; }

	Change add(Hash64 hash)
	{
		return is_dense() ? raise(register_of(hash, precision_))
		                  : table().insert(entry_of(hash, precision_), entry_limit(precision_));
	}

	// Takes over what another sketch holds, which has this precision or a
	// higher one. `reason` is set when that sketch proves malformed.
	Change merge(const Sketch &other, Malformed &reason)
	{
		if (other.is_sparse())
			return merge_entries(other, reason);
		if (!is_dense())
			return Change::no_room;
		if (other.precision() == precision_)
			other.raise(body_);
		else
			other.each_chunk([&](Bytes chunk, std::size_t first) { reduce_chunk(other.precision(), chunk, first); });
		return Change::done;
	}

	// The layout that has room for one entry more than this one.
	Layout next_layout() const
	{
		return layout_for(parameters(), room() + 1);
	}

	// Copies this sketch into a larger image.
	State grow_into(MutableBytes larger, Form form) const
	{
		State grown = create(larger, form, parameters(), kind());
		Malformed ignored;
		grown.merge(read(), ignored);
		return grown;
	}

private:
	// PostgreSQL rounds allocations up to powers of two, and a table of entries
	// fills them to the byte together with the length word that it puts before.
	static constexpr std::size_t length_word = 4;
	static constexpr std::size_t smallest_allocation = 32;

	State(MutableBytes image, std::size_t head_size, Parameters parameters)
		: image_(image), body_(image.subspan(head_size)), precision_(parameters.precision), seed_(parameters.seed)
	{
	}

	static std::size_t head_size(Parameters parameters)
	{
		return Header{SketchKind::hll, 0, {}, parameters.seed}.size() + 1;
	}

	static std::uint32_t table_capacity(Parameters parameters, std::size_t size)
	{
		const std::size_t words = (size - head_size(parameters)) / sizeof(Entry);
		return SparseTable::capacity(static_cast<std::uint32_t>(words) - 1);
	}

	SparseTable table() const { return SparseTable(body_); }

	// Entries that a table of this size may hold.
	std::uint32_t room() const
	{
		return std::min(SparseTable::capacity(table().slots()), entry_limit(precision_));
	}

	Change raise(Register added)
	{
		std::uint8_t &rank = body_[added.index];
		if (rank >= added.rank)
			return Change::none;
		rank = added.rank;
		return Change::done;
	}

	Change merge_entries(const Sketch &other, Malformed &reason)
	{
		return is_dense() ? raise_all(other, reason) : insert_all(other, reason);
	}

	// Without a branch on whether a register rises, which nobody can predict while a
	// union grows: that takes 0.7 of the time. An entry gives the register that it
	// would give reduced to this precision.
	Change raise_all(const Sketch &other, Malformed &reason)
	{
		reason = other.each_entry([registers = body_, p = precision_](Entry entry) {
			const Register added = register_of(entry, p);
			registers[added.index] = std::max(registers[added.index], added.rank);
			return true;
		});
		return Change::done;
	}

	// Where the table has to grow anyway, it does so before the work.
	Change insert_all(const Sketch &other, Malformed &reason)
	{
		if (other.entry_count() > room())
			return Change::no_room;
		Change last = Change::done;
		reason = other.each_entry([&last, table = table(), p = precision_](Entry entry) mutable {
			last = table.insert(reduce_entry(entry, p), entry_limit(p));
			return last != Change::no_room;
		});
		return last == Change::no_room ? last : Change::done;
	}

	void reduce_chunk(int from_precision, Bytes chunk, std::size_t first)
	{
		for (std::size_t i = 0; i < chunk.size(); ++i)
			if (chunk[i] != 0) {
				const Register fine{static_cast<std::uint32_t>(first + i), chunk[i]};
				raise(reduce_register(fine, from_precision, precision_));
			}
	}

	MutableBytes image_;
	MutableBytes body_;  // behind header and precision
	int precision_ = 0;
	std::int64_t seed_ = 0;
};

}  // namespace bloomsketch::hll
