// Cuckoo filter (Fan, Andersen, Kaminsky, Mitzenmacher 2014): definitely not there,
// or maybe, and what was added can be removed again.
//
// What it is: a multiset of fingerprints, each in one of its value's two buckets
// (buckets.hpp), sized for a capacity and a false positive rate (sizing.hpp). Each
// adding stores a copy. A look-up that says no is certain; one that says yes is
// wrong with at most the target rate while there are no more copies than the
// capacity. Counts are never below the number of a value's copies.
//
// An image, behind the length word that PostgreSQL keeps:
//
//   header     3 bytes, 11 with a seed (common/header.hpp)
//   capacity   8 bytes, little-endian: copies that it was sized for
//   rate       8 bytes, IEEE 754 little-endian: the target, 2e-9 up to below 1
//   bits       1 byte: f, bits of a fingerprint, 4..32
//   items      8 bytes, little-endian: copies in it
//   slots      M f bytes: 2 M buckets of four fingerprints, 0 in an empty slot
//
// or the header alone: the empty filter that has no parameters yet and unites
// with any. The kind of value is `none` only while there are no items. An image is
// its own working form. Equal values in another order have equal answers, and not
// the same bytes: which slots they came to lie in shows.
//
// Limits: 8 copies of a value, fewer where others have its fingerprint and buckets;
// an image below 1 GB; fingerprints that do not fit any more are refused, at 97 %
// of the slots and more. Removing a value that was never added removes, with a
// chance of the false positive rate, a copy of another one, which is denied from
// then on if it was the last; with any other chance it is noticed.
#pragma once

#include "common/interrupts.hpp"
#include "cuckoo/head.hpp"

namespace bloomsketch::cuckoo {

// A filter to read.
class Filter {
public:
	static constexpr const char *type_name = "cuckoo";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Filter &filter)
	{
		filter = Filter();
		const Malformed reason = filter.head_.read(image, image.size());
		if (reason != Malformed::no || filter.is_parameterless())
			return reason;
		filter.items_ = filter.head_.items(image.data());
		filter.body_ = image.subspan(filter.head_.body_at());
		return Malformed::no;
	}

	// Checks what open() leaves: there is something in as many slots as it says.
	Malformed check() const
	{
		std::uint64_t items = 0;
		for (std::uint64_t first = 0; first < geometry().buckets(); first += buckets_between_checks) {
			check_for_interrupts();
			const std::uint64_t last = std::min(first + buckets_between_checks, geometry().buckets());
			each_entry(first, last, [&](Entry) { return ++items != 0; });
		}
		return items == items_ ? Malformed::no : Malformed::bad_count;
	}

	std::size_t size() const
	{
		return is_parameterless() ? head_.header.size() : head_.body_at() + geometry().body_size();
	}

	bool is_parameterless() const { return head_.is_parameterless(); }
	ValueKind kind() const { return head_.header.kind; }
	std::int64_t seed() const { return head_.header.seed; }
	const Parameters &parameters() const { return head_.parameters; }
	const Geometry &geometry() const { return head_.geometry; }
	std::uint64_t items() const { return items_; }

	bool contains(Hash64 hash) const
	{
		const Entry entry = geometry().entry(hash);
		return count_in(entry) != 0 || count_in(geometry().other(entry)) != 0;
	}

	// At least the number of a value's copies.
	int count(Hash64 hash) const
	{
		const Entry entry = geometry().entry(hash);
		return count_in(entry) + count_in(geometry().other(entry));
	}

	// Calls use(entry) for each fingerprint in buckets first..last-1, until it
	// returns false.
	template <class Use>
	bool each_entry(std::uint64_t first, std::uint64_t last, Use use) const
	{
		for (std::uint64_t bucket = first; bucket < last; ++bucket)
			for (int slot = 0; slot < slots_in_bucket; ++slot) {
				const std::uint32_t fingerprint =
					fingerprint_at(body_, geometry().first_bit(bucket), slot, geometry().bits);
				if (fingerprint != 0 && !use(Entry{bucket, fingerprint}))
					return false;
			}
		return true;
	}

	double expected_rate() const { return cuckoo::expected_rate(geometry(), items_); }
	double load() const { return load_of(geometry(), items_); }

private:
	static constexpr std::uint64_t buckets_between_checks = std::uint64_t{1} << 16;

	int count_in(Entry entry) const
	{
		return count_in_bucket(body_, geometry().first_bit(entry.bucket), entry.fingerprint, geometry().bits);
	}

	Head head_;
	std::uint64_t items_ = 0;
	Bytes body_;
};

// Why two filters can't be united, if they can't.
enum class Mismatch { none, size, seed, kind };

inline Mismatch compare(const Filter &a, const Filter &b)
{
	if (a.is_parameterless() || b.is_parameterless())
		return Mismatch::none;
	if (a.seed() != b.seed())
		return Mismatch::seed;
	if (a.parameters() != b.parameters() || a.geometry() != b.geometry())
		return Mismatch::size;
	return a.kind().agrees_with(b.kind()) ? Mismatch::none : Mismatch::kind;
}

}  // namespace bloomsketch::cuckoo
