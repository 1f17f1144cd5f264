// Top-K: which values are the most frequent, by Space-Saving (Metwally, Agrawal, El
// Abbadi 2005).
//
// What it is: at most m counters (parameters.hpp), each of one value's hash. A value
// that has a counter adds its weight w to it. One without gets a free counter with
// count w and error 0; where all are taken it takes over the least one, whose count c
// becomes c + w, and whose error c. So for each value the sum of its weights is
//
//   count - error .. count   if it has a counter,
//   0 .. minimum             if it has none,
//
// where minimum is the least of m counts, and 0 while there are fewer.
//
// A union (Agarwal et al. 2012) has for each value of either sketch the sums of count
// and error; the sketch that has no counter for it counts as one with its minimum in
// both. The m largest counts stay.
//
// The bound: minimum <= N / m, N the sum of all weights, however a sketch was added to
// and united. For its counts sum up to N at most:
//  * A weight adds as much to their sum as to N; what takes over a counter takes over
//    what that counted.
//  * A union keeps a set S of at most m values. Let j of them have no counter in one of
//    its parts. If that part is full, at least j of the part's own values are not in S,
//    each with its minimum or more, so the part gives the counts of S no more than its
//    own counts sum up to. If it is not, it gives those j nothing.
// Every error is at most the minimum, and below its count:
//  * It is the minimum that was when a counter was taken over, and minima only rise;
//    the weight came on top.
//  * In a union it is at most the sum of both minima, which no count is below; and a
//    part that has the value gives more to its count than to its error.
// While there are fewer than m counters nothing was taken over or left out: all errors
// are 0 and the counts sum up to N.
//
// An image at rest, behind the length word that PostgreSQL keeps:
//
//   header     3 bytes, 11 with a seed (common/header.hpp), form 0
//   k          1 .. 10,000 (common/varint.hpp)
//   total      N, up to 2^63 - 1 (likewise)
//   counters   how many there are (likewise)
//   those      by ascending hash (counters.hpp)
//
// or the header alone: the empty sketch that has no parameters yet and unites with
// any. Ascending order makes a union a merge of two streams, and shows duplicates. The
// kind of value is `none` only while N is 0. There is one image of given counters; but
// which counters there are depends on the order of values, once some were taken over,
// and on the order of unions.
//
// While topk_agg runs its state is in a form of its own, form 1 (layout.hpp), which
// is refused on its way in; state.hpp and building.hpp read it.
//
// Everything here is a view over bytes that somebody else owns.
#pragma once

#include <optional>

#include "common/header.hpp"
#include "topk/counters.hpp"

namespace bloomsketch::topk {

enum class Form : std::uint8_t { rest = 0, working = 1 };

inline constexpr std::size_t parameterless_size = Header::fixed_size;

// The sketch over no values that has no parameters yet and unites with any.
inline void store_parameterless(std::uint8_t *to) { Header{SketchKind::topk, 0, {}, 0}.write(to); }

// A sketch at rest to read.
class Sketch {
public:
	static constexpr const char *type_name = "topk";

	// Checks whatever safe and bounded reading depends on, in constant time. A working
	// image is of an unknown form.
	static Malformed open(Bytes image, Sketch &sketch)
	{
		sketch = Sketch();
		sketch.image_ = image;
		sketch.header_.sketch = SketchKind::topk;
		if (const Malformed reason = sketch.header_.read(image); reason != Malformed::no)
			return reason;
		if (sketch.header_.form != static_cast<unsigned>(Form::rest))
			return Malformed::unknown_form;
		sketch.parameters_.seed = sketch.header_.seed;
		sketch.body_ = image.subspan(sketch.header_.size());
		if (sketch.body_.empty())
			return sketch.seed() == 0 ? Malformed::no : Malformed::bad_parameters;
		return sketch.open_body();
	}

	// Checks everything that open() leaves: contents of any bytes that came in from
	// outside, but not the encoding of texts. It takes time in proportion to the image,
	// and no memory.
	Malformed check() const
	{
		if (is_empty() != kind().is_none())
			return Malformed::not_canonical;
		Tally tally(total_);
		Counter counter;
		CounterReader reader = counters();
		while (reader.next(counter))
			if (const Malformed reason = tally.add(counter); reason != Malformed::no)
				return reason;
		if (reader.reason() != Malformed::no)
			return reader.reason();
		return reader.rest().empty() ? tally.finish(is_full()) : Malformed::wrong_length;
	}

	ValueKind kind() const { return header_.kind; }
	const Parameters &parameters() const { return parameters_; }
	std::uint32_t k() const { return parameters_.k; }  // 0 in a parameterless sketch
	std::int64_t seed() const { return parameters_.seed; }
	std::uint64_t total() const { return total_; }  // N, at most 2^63 - 1
	std::uint32_t used() const { return used_; }    // counters in use
	std::uint32_t capacity() const { return is_parameterless() ? 0 : counters_for(k()); }  // m
	Bytes image() const { return image_; }
	std::size_t size() const { return image_.size(); }

	bool is_parameterless() const { return parameters_.k == 0; }
	bool is_empty() const { return total_ == 0; }
	bool is_full() const { return !is_parameterless() && used_ == capacity(); }

	// The counters, to be read one after the other by ascending hash.
	CounterReader counters() const { return {body_, used_}; }

	// Calls use(const Counter &) for each, likewise.
	template <class Use>
	Malformed each_counter(Use use) const
	{
		Counter counter;
		CounterReader reader = counters();
		while (reader.next(counter))
			use(counter);
		return reader.reason();
	}

	// What a value without a counter came for at most. Reads all counters of a full
	// sketch.
	std::uint64_t minimum() const
	{
		if (!is_full())
			return 0;
		std::uint64_t least = max_total;
		each_counter([&](const Counter &counter) { least = std::min(least, counter.count); });
		return least;
	}

	// The counter of a value, if it has one.
	std::optional<Counter> find(Hash64 hash) const
	{
		Counter counter;
		CounterReader reader = counters();
		while (reader.next(counter) && counter.hash <= hash)
			if (counter.hash == hash)
				return counter;
		return std::nullopt;
	}

	// What the weights of a value sum up to at most, whether it has a counter or not.
	std::uint64_t count(Hash64 hash) const
	{
		const std::optional<Counter> found = find(hash);
		return found ? found->count : minimum();
	}

private:
	// Whether counters can be what the invariants above leave, in one pass.
	class Tally {
	public:
		explicit Tally(std::uint64_t total) : left_(total) {}

		Malformed add(const Counter &counter)
		{
			if (counter.count > left_)
				return Malformed::bad_count;
			left_ -= counter.count;
			if (counter.error >= counter.count || (!is_first_ && counter.hash <= last_))
				return Malformed::bad_entry;
			text_ += counter.text.size();
			if (counter.text.size() > longest_text || text_ > most_text ||
			    std::find(counter.text.begin(), counter.text.end(), 0) != counter.text.end())
				return Malformed::bad_entry;
			is_first_ = false;
			last_ = counter.hash;
			least_count_ = std::min(least_count_, counter.count);
			largest_error_ = std::max(largest_error_, counter.error);
			return Malformed::no;
		}

		Malformed finish(bool is_full) const
		{
			if (!is_full && left_ != 0)
				return Malformed::bad_count;
			return largest_error_ <= (is_full ? least_count_ : 0) ? Malformed::no : Malformed::bad_entry;
		}

	private:
		std::uint64_t left_;  // of the total
		std::uint64_t text_ = 0;
		std::uint64_t least_count_ = UINT64_MAX;
		std::uint64_t largest_error_ = 0;
		Hash64 last_ = 0;
		bool is_first_ = true;
	};

	Malformed open_body()
	{
		std::uint64_t k, used;
		for (std::uint64_t *value : {&k, &total_, &used})
			if (const Malformed reason = take_varint(body_, *value); reason != Malformed::no)
				return reason;
		if (!is_valid_k(static_cast<std::int64_t>(k)))
			return Malformed::bad_parameters;
		parameters_.k = static_cast<std::uint32_t>(k);
		if (used > capacity())
			return Malformed::bad_count;
		used_ = static_cast<std::uint32_t>(used);
		return body_.size() < used_ * smallest_counter ? Malformed::too_short : Malformed::no;
	}

	Header header_;
	Parameters parameters_;
	std::uint64_t total_ = 0;
	std::uint32_t used_ = 0;
	Bytes image_;
	Bytes body_;  // the counters
};

// Why two sketches can't be united, if they can't.
enum class Mismatch { none, k, seed, kind };

inline Mismatch compare(const Sketch &a, const Sketch &b)
{
	if (a.is_parameterless() || b.is_parameterless())
		return Mismatch::none;
	if (a.k() != b.k())
		return Mismatch::k;
	if (a.seed() != b.seed())
		return Mismatch::seed;
	return a.kind().agrees_with(b.kind()) ? Mismatch::none : Mismatch::kind;
}

}  // namespace bloomsketch::topk
