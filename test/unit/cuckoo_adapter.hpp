// Cuckoo filters for the property suite (properties.hpp) and the fuzzer.
#pragma once

#include <string>

#include "cuckoo_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

struct CuckooAdapter {
	using Case = cuckoo::Parameters;

	static constexpr bool order_free = false;
	static constexpr bool idempotent = false;
	static constexpr std::size_t header_bytes = cuckoo::largest_head;

	// Few buckets and more; fingerprints of even and odd widths, the shortest and the longest.
	static std::vector<Case> cases()
	{
		return {{1, 0.9, 0}, {100, 0.01, -1}, {300, 0.003, INT64_MIN}, {400, 0.45, 0}, {200, 2e-9, 1}};
	}

	static std::string name(const Case &c)
	{
		return std::to_string(c.capacity) + " at " + std::to_string(c.rate) + ", seed " + std::to_string(c.seed);
	}

	// The suite puts up to 3.5 times as many values together, some of which have copies.
	static std::vector<std::size_t> sizes(const Case &c)
	{
		if (c.capacity < 100)
			return {0, 1, 2};
		return {0, 1, 3, 8, c.capacity / 4};
	}

	// Every eighth value comes twice.
	static std::vector<Hash64> values(const Case &, std::size_t first, std::size_t count)
	{
		std::vector<Hash64> values;
		for (std::uint64_t i = first; i < first + count; ++i)
			values.insert(values.end(), i % 8 == 7 ? 2 : 1, Random::mix(i + 1));
		return values;
	}

	static Image build(const Case &c, const std::vector<Hash64> &hashes)
	{
		CuckooBuilding building(c.capacity, c.rate, c.seed);
		for (const Hash64 hash : hashes)
			if (building.add(hash) != cuckoo::Change::done)
				return {};
		return building.image();
	}

	static Image unite(Bytes a, Bytes b) { return unite_cuckoo(a, b).value_or(Image()); }
	static Image store(Bytes image) { return Image(image.begin(), image.end()); }
	static std::optional<Image> accept(Bytes bytes) { return accept_cuckoo(bytes); }
	static bool at_rest(Bytes) { return true; }

	// The same fingerprints in the same pairs of buckets: equal answers to all there is to ask.
	static bool agrees(Bytes a, Bytes b)
	{
		const cuckoo::Filter first = *open_cuckoo(a), second = *open_cuckoo(b);
		return compare(first, second) == cuckoo::Mismatch::none && first.kind() == second.kind() &&
		       first.items() == second.items() && cuckoo_entries_of(a) == cuckoo_entries_of(b);
	}

	static const char *fault(Bytes image)
	{
		const std::optional<cuckoo::Filter> filter = open_cuckoo(image);
		if (!filter)
			return "open() refuses what it accepted";
		if (filter->is_parameterless())
			return filter->kind().is_none() ? nullptr : "a parameterless filter has a kind of value";
		for (const auto fault_in : {fault_in_numbers, fault_in_slices, fault_in_changing, fault_in_doubling})
			if (const char *fault = fault_in(image, *filter))
				return fault;
		return nullptr;
	}

private:
	static const char *fault_in_numbers(Bytes image, const cuckoo::Filter &filter)
	{
		if (filter.size() != image.size())
			return "the size is not the image's";
		if (filter.items() != cuckoo_entries_of(image).size())
			return "items are miscounted";
		if ((filter.items() == 0) != filter.kind().is_none())
			return "emptiness is told differently";
		if (!(filter.load() >= 0 && filter.load() <= 1))
			return "the load is no share";
		return filter.expected_rate() >= 0 && filter.expected_rate() < 1 ? nullptr : "the expected rate is no rate";
	}

	// A reader that has the head and two buckets sees the same.
	static const char *fault_in_slices(Bytes image, const cuckoo::Filter &filter)
	{
		cuckoo::Head head;
		const Bytes first = image.first(std::min(image.size(), cuckoo::largest_head));
		const Image front(first.begin(), first.end());
		if (head.read(front, image.size()) != Malformed::no)
			return "a head is refused whose image open() takes";
		if (head.parameters != filter.parameters() || head.geometry != filter.geometry() || head.header.kind != filter.kind())
			return "a head alone reads differently";
		for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(image.back())}) {
			int count = 0;
			const cuckoo::Entry entry = head.geometry.entry(hash);
			for (const cuckoo::Entry &at : {entry, head.geometry.other(entry)}) {
				const std::size_t offset = head.bucket_at(at.bucket), size = head.bucket_bytes(at.bucket);
				if (offset < head.body_at() || offset + size > image.size())
					return "a bucket is not within the image";
				const Bytes slice = image.subspan(offset, size);
				const Image bucket(slice.begin(), slice.end());
				count += cuckoo::count_in_bucket(bucket, head.bucket_bit(at.bucket), at.fingerprint, head.geometry.bits);
			}
			if (count != filter.count(hash))
				return "buckets alone answer differently";
		}
		return nullptr;
	}

	// A value that is added counts once more; removed again it leaves what there was.
	// What fails changes nothing.
	static const char *fault_in_changing(Bytes image, const cuckoo::Filter &filter)
	{
		Random random(image.back());
		const Hash64 hash = random.next();
		const int before = filter.count(hash);
		if (filter.contains(hash) != (before != 0))
			return "contains() and count() disagree";
		const Image same(image.begin(), image.end());
		CuckooBuilding building(same);
		if (before == 0 && (building.remove(hash) || building.image() != same))
			return "a value that is not there is removed";
		const cuckoo::Change change = building.add(hash);
		if (change != cuckoo::Change::done)
			return building.image() == same ? nullptr : "a value that is refused leaves a trace";
		if (building.filter().count(hash) != before + 1 || building.filter().items() != filter.items() + 1)
			return "a value that was added is not counted";
		if (accept_cuckoo(building.image()) != building.image())
			return "an image with a value more is refused";
		if (!building.remove(hash))
			return "a value that was added can't be removed";
		return agrees(building.image(), image) ? nullptr : "adding and removing a value changes others";
	}

	// United with itself there is twice as much in it, unless that has no room.
	static const char *fault_in_doubling(Bytes image, const cuckoo::Filter &filter)
	{
		const std::optional<Image> twice = unite_cuckoo(image, image);
		if (!twice)
			return filter.load() > 0.3 || has_five_alike(image) ? nullptr : "united with itself there is no room";
		CuckooEntries expected;
		for (const auto &entry : cuckoo_entries_of(image))
			expected.insert(expected.end(), 2, entry);
		return cuckoo_entries_of(*twice) == expected ? nullptr : "united with itself it is not twice what it was";
	}

	static bool has_five_alike(Bytes image)
	{
		// Bytes from outside can have any number of values in one pair of buckets.
		const CuckooEntries entries = cuckoo_entries_of(image);
		for (std::size_t i = 4; i < entries.size(); ++i)
			if (entries[i].first == entries[i - 4].first)
				return true;
		return false;
	}
};

}  // namespace bloomsketch::test
