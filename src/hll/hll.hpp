// HyperLogLog: how many distinct values, in kilobytes.
//
// What it is: m = 2^p registers (p = 4..18) that keep maxima of ranks of hashed
// values (Flajolet, Fusy, Gandouet, Meunier 2007), estimated without bias
// tables (estimate.hpp). Small sets are kept as entries, with the precision of
// 2^26 registers, until they are more than m/8 (entry.hpp).
//
// An image, behind the length word that PostgreSQL keeps:
//
//   header      3 bytes, 11 with a seed (common/header.hpp)
//   precision   1 byte, 4..18; 0 in a parameterless empty sketch
//   body        by form:
//     sparse        at rest     number of entries (common/varint.hpp, 1..3 bytes),
//                               coded entries (sparse_code.hpp)
//     dense         at rest     coded registers (dense.hpp)
//     sparse_table  working     hash table of entries (sparse_table.hpp)
//     dense_bytes   working     one byte per register
//
// The forms at rest are canonical: the same set of values has one image,
// whatever way it was built, and the kind of value is `none` only while empty.
// Everything here is a view over bytes that somebody else owns.
//
// Limits: 2^18 + 12 bytes; counts up to 2^64 are estimated.
#pragma once

#include <algorithm>

#include "common/header.hpp"
#include "common/varint.hpp"
#include "hll/dense.hpp"
#include "hll/entry_sort.hpp"
#include "hll/estimate.hpp"
#include "hll/sparse_code.hpp"
#include "hll/sparse_table.hpp"

namespace bloomsketch::hll {

enum class Form : std::uint8_t { sparse = 0, dense = 1, sparse_table = 2, dense_bytes = 3 };

// Registers that are handed out at a time, at most, by a sketch at rest.
inline constexpr std::size_t chunk_registers = largest_block;

constexpr bool is_valid_precision(int precision)
{
	return precision >= min_precision && precision <= max_precision;
}

// A sketch to read.
class Sketch {
public:
	static constexpr const char *type_name = "hll";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Sketch &sketch)
	{
		sketch.header_.sketch = SketchKind::hll;
		if (const Malformed reason = sketch.header_.read(image); reason != Malformed::no)
			return reason;
		const std::size_t head = sketch.header_.size();
		if (image.size() <= head)
			return Malformed::too_short;
		sketch.image_ = image;
		sketch.precision_ = image[head];
		sketch.body_ = image.subspan(head + 1);
		return sketch.open_body();
	}

	// Checks everything that open() leaves: contents of any bytes that came in
	// from outside. Entries of a table may still share an index.
	Malformed check() const
	{
		if (is_empty() != header_.kind.is_none())
			return Malformed::not_canonical;
		switch (form()) {
		case Form::sparse: return check_entries();
		case Form::sparse_table: return check_table();
		default: return check_registers();
		}
	}

	const Header &header() const { return header_; }
	Form form() const { return static_cast<Form>(header_.form); }
	int precision() const { return precision_; }
	std::int64_t seed() const { return header_.seed; }
	ValueKind kind() const { return header_.kind; }
	Bytes body() const { return body_; }

	Bytes image() const { return image_; }
	std::size_t size() const { return image_.size(); }

	bool is_parameterless() const { return precision_ == 0; }
	bool is_sparse() const { return form() == Form::sparse || form() == Form::sparse_table; }
	bool is_working() const { return form() == Form::sparse_table || form() == Form::dense_bytes; }
	bool is_empty() const { return is_sparse() && entry_count_ == 0; }

	// Sparse forms: the number of entries.
	std::uint32_t entry_count() const { return entry_count_; }

	// Sparse forms: calls use(entry) for each until it returns false; in
	// ascending order when at rest.
	template <class Use>
	Malformed each_entry(Use use) const
	{
		if (form() == Form::sparse)
			return decode_entries(body_, entry_count_, precision_, use);
		for (std::size_t at = SparseTable::count_size; at < body_.size(); at += sizeof(Entry))
			if (const Entry entry = load_le<Entry>(body_.data() + at); entry != 0 && !use(entry))
				break;
		return Malformed::no;
	}

	// Sparse forms: writes the entries in ascending order, as many as there is room
	// for, and gives how many.
	std::size_t read_entries(std::span<Entry> into) const
	{
		if (form() == Form::sparse_table) {
			const std::size_t copied = copy_entries(body_.subspan(SparseTable::count_size), into);
			sort_entries(into.first(copied));
			return copied;
		}
		std::size_t count = 0;
		if (!into.empty())
			each_entry([&](Entry entry) {
				into[count++] = entry;
				return count < into.size();
			});
		return count;
	}

	// Dense forms: calls use(registers, first index) for consecutive pieces.
	template <class Use>
	void each_chunk(Use use) const
	{
		each_checked_chunk(use);
	}

	// Dense forms: raises registers of the same precision to these.
	void raise(MutableBytes registers) const
	{
		if (!is_coded()) {
			each_chunk([&](Bytes chunk, std::size_t first) {
				merge_registers(registers.data() + first, chunk.data(), chunk.size());
			});
			return;
		}
		const CodedRegisters coded = coded_registers();
		std::array<std::uint8_t, chunk_registers> buffer;
		const MutableBytes scratch(buffer.data(), block_registers(precision_));
		for (std::size_t first = 0; first < registers.size(); first += scratch.size())
			coded.raise(first / scratch.size(), registers.subspan(first, scratch.size()), scratch);
	}

	Histogram histogram() const
	{
		Histogram histogram{};
		each_chunk([&](Bytes chunk, std::size_t) { count_ranks(chunk, histogram); });
		return histogram;
	}

	// Dense forms: what the estimate takes of the registers.
	RegisterSums sums() const
	{
		if (!is_coded())
			return sums_of(histogram(), precision_);
		const CodedRegisters coded = coded_registers();
		if (!coded.can_count())
			return sums_of(histogram(), precision_);
		RegisterSums sums;
		for (std::size_t block = 0; block < register_count(precision_) / block_registers(precision_); ++block)
			sums += coded.count(block);
		return sums;
	}

	// Dense forms: how they are stored.
	DenseLayout dense_layout() const
	{
		return DenseLayout(precision_, [this](auto use) { each_chunk(use); });
	}

	// The estimated number of distinct values.
	double estimate() const
	{
		return is_sparse() ? estimate_entries(entry_count_) : estimate_registers(sums(), precision_);
	}

	// At rest: whether a value with this hash would change nothing.
	bool contains(Hash64 hash) const
	{
		if (!is_sparse()) {
			const Register added = register_of(hash, precision_);
			return register_at(added.index) >= added.rank;
		}
		const Entry added = entry_of(hash, precision_);
		Entry first = 0;  // the first entry that is not below the value's index
		each_entry([&](Entry entry) { return (first = entry) < (added & ~rank_mask); });
		return (first ^ added) <= rank_mask && first >= added;
	}

	// At rest: how many registers are not 0.
	std::uint32_t registers_used() const
	{
		if (!is_sparse())
			return register_count(precision_) - sums().zeros;
		std::uint32_t used = 0;
		std::uint32_t last = UINT32_MAX;
		each_entry([&](Entry entry) {
			const std::uint32_t index = register_of(entry, precision_).index;
			used += index != last;
			last = index;
			return true;
		});
		return used;
	}

private:
	Malformed open_body()
	{
		if (is_parameterless() ? header_.seed != 0 || form() != Form::sparse : !is_valid_precision(precision_))
			return Malformed::bad_parameters;
		entry_count_ = 0;
		switch (form()) {
		case Form::sparse: return open_entries();
		case Form::sparse_table: return open_table();
		case Form::dense: return open_registers();
		case Form::dense_bytes: return has_length(register_count(precision_));
		}
		return Malformed::unknown_form;
	}

	Malformed has_length(std::size_t length) const
	{
		return body_.size() == length ? Malformed::no : Malformed::wrong_length;
	}

	bool is_coded() const { return form() == Form::dense && !is_packed(); }
	bool is_packed() const { return body_[0] == Load::packed; }

	Malformed open_registers()
	{
		if (body_.empty())
			return Malformed::too_short;
		if (is_packed())
			return has_length(1 + packed_size(precision_));
		CodedRegisters coded;
		return CodedRegisters::open(body_, precision_, coded);
	}

	CodedRegisters coded_registers() const
	{
		CodedRegisters coded;
		CodedRegisters::open(body_, precision_, coded);
		return coded;
	}

	// each_chunk(), and whether coded registers proved malformed on the way.
	template <class Use>
	Malformed each_checked_chunk(Use use) const
	{
		if (is_coded())
			return each_coded_chunk(use);
		if (form() == Form::dense)
			each_packed_chunk(use);
		else
			use(body_, 0);
		return Malformed::no;
	}

	template <class Use>
	void each_packed_chunk(Use use) const
	{
		const std::size_t m = register_count(precision_);
		std::array<std::uint8_t, 1024> buffer;
		const MutableBytes chunk(buffer.data(), std::min(m, buffer.size()));
		for (std::size_t first = 0; first < m; first += chunk.size()) {
			unpack_registers(body_.data() + 1 + first / group_registers * group_bytes, chunk);
			use(Bytes(chunk), first);
		}
	}

	template <class Use>
	Malformed each_coded_chunk(Use use) const
	{
		const CodedRegisters coded = coded_registers();
		Malformed found = Malformed::no;
		std::array<std::uint8_t, chunk_registers> buffer;
		const MutableBytes chunk(buffer.data(), block_registers(precision_));
		for (std::size_t first = 0; first < register_count(precision_); first += chunk.size()) {
			if (const Malformed reason = coded.decode(first / chunk.size(), chunk); reason != Malformed::no)
				found = reason;
			use(Bytes(chunk), first);
		}
		return found;
	}

	std::uint8_t register_at(std::size_t index) const
	{
		std::uint8_t rank = 0;
		each_chunk([&](Bytes chunk, std::size_t first) {
			if (index - first < chunk.size())
				rank = chunk[index - first];
		});
		return rank;
	}

	// Reads the count, in as few bytes as it needs.
	Malformed open_entries()
	{
		std::uint64_t count;
		if (const Malformed reason = take_varint(body_, count, 3); reason != Malformed::no)
			return reason;
		entry_count_ = static_cast<std::uint32_t>(count);
		return entry_count_ <= (is_parameterless() ? 0 : entry_limit(precision_)) ? Malformed::no : Malformed::bad_count;
	}

	Malformed open_table()
	{
		if (body_.size() % sizeof(Entry) != 0 || body_.size() < SparseTable::count_size + sizeof(Entry))
			return Malformed::wrong_length;
		entry_count_ = load_le<std::uint32_t>(body_.data());
		return entry_count_ <= entry_limit(precision_) ? Malformed::no : Malformed::bad_count;
	}

	Malformed check_entries() const
	{
		return each_entry([](Entry) { return true; });
	}

	Malformed check_table() const
	{
		std::uint32_t count = 0;
		bool valid = true;
		each_entry([&](Entry entry) {
			++count;
			return valid = is_valid(entry, precision_);
		});
		if (!valid)
			return Malformed::bad_entry;
		return count == entry_count_ ? Malformed::no : Malformed::bad_count;
	}

	Malformed check_registers() const
	{
		bool any = false;
		bool in_range = true;
		const Malformed reason = each_checked_chunk([&](Bytes chunk, std::size_t) {
			any = any || std::any_of(chunk.begin(), chunk.end(), [](std::uint8_t rank) { return rank != 0; });
			in_range = in_range && ranks_in_range(chunk, precision_);
		});
		if (reason != Malformed::no)
			return reason;
		if (!in_range)
			return Malformed::bad_entry;
		return any && has_its_layout() ? Malformed::no : Malformed::not_canonical;
	}

	// Whether registers at rest are in the form that they are stored in.
	bool has_its_layout() const
	{
		if (form() != Form::dense)
			return true;
		const DenseLayout layout = dense_layout();
		return is_packed() ? layout.is_packed() : layout.is_of(coded_registers());
	}

	Header header_;
	int precision_ = 0;
	std::uint32_t entry_count_ = 0;
	Bytes image_;
	Bytes body_;
};

// Why two sketches can't be united, if they can't.
enum class Mismatch { none, precision, seed, kind };

inline Mismatch compare(const Sketch &a, const Sketch &b)
{
	if (a.is_parameterless() || b.is_parameterless())
		return Mismatch::none;
	if (a.precision() != b.precision())
		return Mismatch::precision;
	if (a.seed() != b.seed())
		return Mismatch::seed;
	return a.kind().agrees_with(b.kind()) ? Mismatch::none : Mismatch::kind;
}

}  // namespace bloomsketch::hll
