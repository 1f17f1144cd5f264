// Count-Min: how often each value came, never under (Cormode and Muthukrishnan
// 2005).
//
// What it is: depth rows of width counters (geometry.hpp). A value adds its weight
// to one counter of each row (counters.hpp), and the least of these is its
// estimate: above the truth by more than epsilon * N, N the total of all weights,
// with a chance of at most delta. Sketches are linear: counters are added, and
// taken away again.
//
// An image, behind the length word that PostgreSQL keeps:
//
//   header     3 bytes, 11 with a seed (common/header.hpp)
//   epsilon    8 bytes, IEEE 754 little-endian, in (0, 1)
//   delta      8 bytes, likewise
//   at rest:
//     total      N, up to 2^63 - 1 (common/varint.hpp)
//     sparse       number of counters that are not 0 (likewise), at most an
//                  eighth of all, and those (sparse_counters.hpp)
//     packed       all counters (packed_counters.hpp)
//   working:
//     width      4 bytes, little-endian; they follow from epsilon and delta and are
//     depth      4 bytes; kept so that a step of an aggregate need not divide
//     total      8 bytes
//     list         hashes and weights of at most width/8 values (list.hpp)
//     dense32      all counters in 4 bytes each, while N < 2^32
//     dense64      in 8
//
// or the header alone: the empty sketch that has no parameters yet and unites
// with any. Every row's counters sum up to N, so none overflows before N does. The
// forms at rest are canonical: they follow from the counters alone, whatever way
// these came about. The kind of value is `none` only while N is 0. Everything here
// is a view over bytes that somebody else owns.
//
// Limits: 2^25 counters; totals up to 2^63 - 1.
#pragma once

#include "cms/list.hpp"
#include "cms/packed_counters.hpp"
#include "cms/row_sums.hpp"
#include "cms/sparse_counters.hpp"
#include "common/known_head.hpp"
#include "common/varint.hpp"

namespace bloomsketch::cms {

enum class Form : std::uint8_t { sparse = 0, packed = 1, list = 2, dense32 = 3, dense64 = 4 };

inline constexpr std::uint64_t max_total = INT64_MAX;

inline constexpr std::size_t parameters_size = 8 + 8;
inline constexpr std::size_t geometry_size = 4 + 4;  // width, depth
inline constexpr std::size_t total_size = 8;
inline constexpr std::size_t parameterless_size = Header::fixed_size;

// What a list may hold at most: fewer counters than sparse_limit(), so that its
// image at rest is sparse; and at the default parameters 8 kB, where dense states
// take 54.
constexpr std::uint32_t list_limit(Geometry geometry) { return geometry.width / 8; }

// Epsilon and delta, as every image has them behind its header.
inline Parameters read_parameters(const std::uint8_t *from, std::int64_t seed)
{
	return {std::bit_cast<double>(load_le<std::uint64_t>(from)), std::bit_cast<double>(load_le<std::uint64_t>(from + 8)), seed};
}
inline std::uint8_t *write_parameters(std::uint8_t *to, const Parameters &parameters)
{
	store_le(to, std::bit_cast<std::uint64_t>(parameters.epsilon));
	store_le(to + 8, std::bit_cast<std::uint64_t>(parameters.delta));
	return to + parameters_size;
}

// What stands in front of a working image's total and body. It is read for the rows
// that an aggregate sees, so there is no more to it than safe reading takes.
struct WorkingHead {
	Form form{};
	ValueKind kind;
	Parameters parameters;
	Geometry geometry;

	std::size_t size() const
	{
		return Header::fixed_size + (parameters.seed != 0 ? Header::seed_size : 0) + parameters_size + geometry_size;
	}
	std::size_t total_at() const { return size(); }
	std::size_t body_at() const { return size() + total_size; }

	// Reads what follows a header that was read.
	Malformed read(Bytes image, const Header &header)
	{
		form = static_cast<Form>(header.form);
		kind = header.kind;
		parameters.seed = header.seed;
		if (image.size() < body_at())
			return Malformed::too_short;
		const std::uint8_t *from = image.data() + header.size();
		parameters = read_parameters(from, header.seed);
		geometry = {load_le<std::uint32_t>(from + parameters_size), load_le<std::uint32_t>(from + parameters_size + 4)};
		if (!is_valid_share(parameters.epsilon) || !is_valid_share(parameters.delta) || !geometry.fits() ||
		    geometry != geometry_for(parameters))
			return Malformed::bad_parameters;
		const std::size_t body = image.size() - body_at(), counters = geometry.counters();
		switch (form) {
		case Form::list: return List::has_length(body) ? Malformed::no : Malformed::wrong_length;
		case Form::dense32: return body == counters * sizeof(std::uint32_t) ? Malformed::no : Malformed::wrong_length;
		case Form::dense64: return body == counters * sizeof(std::uint64_t) ? Malformed::no : Malformed::wrong_length;
		default: return Malformed::unknown_form;
		}
	}
};

using KnownHead = bloomsketch::KnownHead<WorkingHead, Header::fixed_size + parameters_size + geometry_size>;

// A sketch to read.
class Sketch {
public:
	static constexpr const char *type_name = "cms";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Sketch &sketch)
	{
		sketch = Sketch();
		sketch.image_ = image;
		sketch.header_.sketch = SketchKind::cms;
		if (const Malformed reason = sketch.header_.read(image); reason != Malformed::no)
			return reason;
		if (sketch.header_.form > static_cast<unsigned>(Form::dense64))
			return Malformed::unknown_form;
		const std::size_t head = sketch.header_.size();
		if (image.size() == head)
			return sketch.header_.seed == 0 && sketch.form() == Form::sparse ? Malformed::no : Malformed::bad_parameters;
		if (image.size() < head + parameters_size)
			return Malformed::too_short;
		sketch.body_ = image.subspan(head + parameters_size);
		return sketch.is_working() ? sketch.open_working() : sketch.open_at_rest();
	}

	// Checks everything that open() leaves: contents of any bytes that came in
	// from outside. It takes time in proportion to the image, and no memory.
	Malformed check() const
	{
		if (is_empty() != header_.kind.is_none())
			return Malformed::not_canonical;
		if (is_parameterless())
			return Malformed::no;
		switch (form()) {
		case Form::sparse: return check_sparse();
		case Form::packed: return check_packed();
		case Form::list: return check_list();
		default: return check_dense();
		}
	}

	const Header &header() const { return header_; }
	Form form() const { return static_cast<Form>(header_.form); }
	ValueKind kind() const { return header_.kind; }
	std::int64_t seed() const { return header_.seed; }
	const Parameters &parameters() const { return parameters_; }
	Geometry geometry() const { return geometry_; }
	std::uint32_t width() const { return geometry_.width; }
	std::uint32_t depth() const { return geometry_.depth; }
	std::uint64_t total() const { return total_; }  // N, at most 2^63 - 1
	Bytes image() const { return image_; }
	std::size_t size() const { return image_.size(); }

	bool is_parameterless() const { return geometry_.width == 0; }
	bool is_working() const { return header_.form >= static_cast<unsigned>(Form::list); }
	bool is_list() const { return form() == Form::list; }
	bool is_sparse() const { return form() == Form::sparse; }
	bool is_empty() const { return total_ == 0; }

	// What an estimate is above the truth by at most, but with a chance of delta.
	std::uint64_t error_bound() const { return static_cast<std::uint64_t>(parameters_.epsilon * static_cast<double>(total_)); }

	// The estimated sum of the weights of the values with this hash, from any form.
	std::uint64_t count(Hash64 hash) const
	{
		if (is_empty())
			return 0;
		switch (form()) {
		case Form::sparse: return count_sparse(hash);
		case Form::packed: return least(hash, [&, packed = packed()](std::uint32_t at) { return packed.counter(at); });
		case Form::list: return count_list(hash);
		default: return least(hash, [&](std::uint32_t at) { return dense_counter(at); });
		}
	}

	// Packed and dense: calls use(first position, span of counters) for consecutive
	// pieces of at most block_counters.
	template <class Use>
	Malformed each_chunk(Use use) const
	{
		if (form() == Form::packed)
			return packed().each_block([&](Bytes, std::uint32_t first, std::span<const std::uint64_t> counters) {
				use(first, counters);
				return true;
			});
		if (form() == Form::dense32)
			each_dense_chunk<std::uint32_t>(use);
		else
			each_dense_chunk<std::uint64_t>(use);
		return Malformed::no;
	}

	// All but lists: calls use(counter) for each counter that is not 0, in ascending
	// order.
	template <class Use>
	Malformed each_counter(Use use) const
	{
		if (!is_sparse())
			return each_chunk([&](std::uint32_t first, std::span<const std::uint64_t> counters) {
				for (std::uint32_t i = 0; i < counters.size(); ++i)
					if (counters[i] != 0)
						use(Counter{first + i, counters[i]});
			});
		SparseReader reader = sparse();
		for (Counter counter; reader.next(counter);)
			use(counter);
		return reader.finish();
	}

	// Lists: the table. Sparse: how many counters there are, and a reader for them.
	// Packed: the blocks. Dense: one counter.
	List list() const { return List(body_); }
	std::uint32_t sparse_count() const { return sparse_count_; }
	SparseReader sparse() const { return SparseReader(body_, sparse_count_, geometry_); }
	PackedCounters packed() const { return PackedCounters(body_, geometry_.counters()); }
	std::uint64_t dense_counter(std::uint32_t position) const
	{
		return form() == Form::dense32 ? load_le<std::uint32_t>(body_.data() + position * sizeof(std::uint32_t))
		                               : load_le<std::uint64_t>(body_.data() + position * sizeof(std::uint64_t));
	}

private:
	Malformed open_working()
	{
		WorkingHead head;
		if (const Malformed reason = head.read(image_, header_); reason != Malformed::no)
			return reason;
		parameters_ = head.parameters;
		geometry_ = head.geometry;
		total_ = load_le<std::uint64_t>(image_.data() + head.total_at());
		body_ = image_.subspan(head.body_at());
		if (total_ > (form() == Form::dense32 ? UINT32_MAX : max_total))
			return Malformed::bad_count;
		if (!is_list())
			return Malformed::no;
		const std::uint32_t count = list().count();
		return count <= list_capacity(list().slots()) && count <= list_limit(geometry_) ? Malformed::no : Malformed::bad_count;
	}

	Malformed open_at_rest()
	{
		parameters_ = read_parameters(image_.data() + header_.size(), seed());
		if (!is_valid_share(parameters_.epsilon) || !is_valid_share(parameters_.delta))
			return Malformed::bad_parameters;
		geometry_ = geometry_for(parameters_);
		if (!geometry_.fits())
			return Malformed::bad_parameters;
		if (const Malformed reason = take_varint(body_, total_); reason != Malformed::no)
			return reason;
		if (form() == Form::packed)
			return PackedCounters::has_room(body_, geometry_.counters()) ? Malformed::no : Malformed::too_short;
		std::uint64_t count;
		if (const Malformed reason = take_varint(body_, count); reason != Malformed::no)
			return reason;
		sparse_count_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
		return sparse_count_ <= sparse_limit(geometry_) ? Malformed::no : Malformed::bad_count;
	}

	Malformed check_sparse() const
	{
		RowSums sums(geometry_, total_);
		bool sound = true;
		const Malformed reason =
			each_counter([&](Counter counter) { sound = sound && sums.add(counter.position, counter.value); });
		if (reason != Malformed::no)
			return reason;
		return sound && sums.finish() ? Malformed::no : Malformed::bad_count;
	}

	// That each block is written as its counters are, and needs to be.
	Malformed check_packed() const
	{
		RowSums sums(geometry_, total_);
		std::uint32_t used = 0;
		bool canonical = true, sound = true;
		const Malformed reason =
			packed().each_block([&](Bytes bytes, std::uint32_t first, std::span<const std::uint64_t> counters) {
				for (std::uint32_t i = 0; i < counters.size() && sound; ++i) {
					used += counters[i] != 0;
					sound = sums.add(first + i, counters[i]);
				}
				if (!sound)
					return false;
				std::array<std::uint8_t, largest_block> written;
				const BlockCode code(counters);
				canonical = code.head().block_size(counters.size()) == bytes.size();
				if (canonical) {
					code.write(counters, written.data());
					canonical = std::equal(bytes.begin(), bytes.end(), written.begin());
				}
				return canonical;
			});
		if (!sound || (reason == Malformed::no && canonical && !sums.finish()))
			return Malformed::bad_count;
		if (reason != Malformed::no)
			return reason;
		return canonical && used > sparse_limit(geometry_) ? Malformed::no : Malformed::not_canonical;
	}

	Malformed check_list() const
	{
		std::uint32_t count = 0;
		std::uint64_t left = total_;
		bool sound = true;
		list().each([&](Hash64, std::uint64_t weight) {
			++count;
			sound = sound && weight <= left;
			left -= weight;
		});
		return sound && left == 0 && count == list().count() ? Malformed::no : Malformed::bad_count;
	}

	Malformed check_dense() const
	{
		RowSums sums(geometry_, total_);
		bool sound = true;
		each_counter([&](Counter counter) { sound = sound && sums.add(counter.position, counter.value); });
		return sound && sums.finish() ? Malformed::no : Malformed::bad_count;
	}

	template <class T, class Use>
	void each_dense_chunk(Use use) const
	{
		const std::uint8_t *from = body_.data();
		for (std::uint32_t first = 0; first < geometry_.counters(); first += block_counters) {
			if (first % megabyte_counters == 0)
				check_for_interrupts();
			const std::uint32_t count = std::min(block_counters, geometry_.counters() - first);
			Block block;
			for (std::uint32_t i = 0; i < count; ++i, from += sizeof(T))
				block[i] = load_le<T>(from);
			use(first, std::span<const std::uint64_t>(block.data(), count));
		}
	}

	// The least of a hash's counters.
	template <class CounterAt>
	std::uint64_t least(Hash64 hash, CounterAt counter_at) const
	{
		std::uint64_t least = UINT64_MAX;
		each_position(hash, geometry_, [&](std::uint32_t position) { least = std::min(least, counter_at(position)); });
		return least;
	}

	// One pass: a hash's positions ascend, as the counters do.
	std::uint64_t count_sparse(Hash64 hash) const
	{
		SparseCursor cursor(sparse());
		return least(hash, [&](std::uint32_t position) { return cursor.at(position); });
	}

	// What the counters would hold, were the list spread over them.
	std::uint64_t count_list(Hash64 hash) const
	{
		std::uint64_t least = UINT64_MAX;
		for (std::uint32_t row = 0; row < depth(); ++row) {
			const std::uint32_t column = column_of(hash, row, width());
			std::uint64_t sum = 0;
			list().each([&](Hash64 other, std::uint64_t weight) { sum += column_of(other, row, width()) == column ? weight : 0; });
			least = std::min(least, sum);
		}
		return least;
	}

	Header header_;
	Parameters parameters_{0, 0, 0};
	Geometry geometry_;
	std::uint64_t total_ = 0;
	std::uint32_t sparse_count_ = 0;
	Bytes image_;
	Bytes body_;  // what follows total, width and depth
};

// Why two sketches can't be united, if they can't.
enum class Mismatch { none, parameters, seed, kind };

inline Mismatch compare(const Sketch &a, const Sketch &b)
{
	if (a.is_parameterless() || b.is_parameterless())
		return Mismatch::none;
	if (a.parameters().epsilon != b.parameters().epsilon || a.parameters().delta != b.parameters().delta)
		return Mismatch::parameters;
	if (a.seed() != b.seed())
		return Mismatch::seed;
	return a.kind().agrees_with(b.kind()) ? Mismatch::none : Mismatch::kind;
}

}  // namespace bloomsketch::cms
