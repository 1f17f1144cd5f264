// Images that open() or check() refuse, one per reason.
#include <gtest/gtest.h>

#include "topk_truth.hpp"

namespace bloomsketch::topk {
namespace {

using test::Image;
using test::Random;
using test::topk_hash;
using test::topk_text;

// The reason that open() or else check() gives. What is refused is not accepted.
Malformed reason(const Image &image)
{
	Sketch sketch;
	Malformed reason = Sketch::open(image, sketch);
	if (reason == Malformed::no)
		reason = sketch.check();
	EXPECT_EQ(test::accept_topk(image).has_value(), reason == Malformed::no);
	return reason;
}
Malformed reason(const std::string &hex) { return reason(test::from_hex(hex)); }

// An image to be written with whatever it says.
struct Parts {
	struct Written {
		Hash64 hash;
		std::uint64_t count, error;
		std::string text;
	};

	std::uint64_t k = 1;
	std::uint64_t total = 0;
	std::uint64_t used = 0;
	std::vector<Written> counters;
	ValueKind kind = test::topk_test_kind;

	Image image() const
	{
		Image image{0x61, 0x10, kind.code};
		for (const std::uint64_t value : {k, total, used})
			append(image, value);
		for (const Written &counter : counters) {
			image.resize(image.size() + 8);
			store_le(image.data() + image.size() - 8, counter.hash);
			append(image, counter.count);
			append(image, counter.error);
			append(image, counter.text.size());
			image.insert(image.end(), counter.text.begin(), counter.text.end());
		}
		return image;
	}

	static void append(Image &image, std::uint64_t value)
	{
		std::uint8_t bytes[10];
		image.insert(image.end(), bytes, write_varint(bytes, value));
	}
};

// So many counters of count 5 (and error 2 if they are m), in order.
Parts parts(std::uint64_t used)
{
	Parts parts;
	for (std::uint64_t i = 0; i < used; ++i)
		parts.counters.push_back({i * 1'000, 5, used == 1'000 ? 2u : 0u, topk_text(i)});
	parts.used = used;
	parts.total = 5 * used;
	parts.kind = used == 0 ? ValueKind() : test::topk_test_kind;
	return parts;
}

// The same altered by alter(parts).
template <class Alter>
Malformed reason(Parts parts, Alter alter)
{
	EXPECT_EQ(reason(parts.image()), Malformed::no);
	alter(parts);
	return reason(parts.image());
}

TEST(TopkMalformed, Header)
{
	EXPECT_EQ(reason(""), Malformed::too_short);
	EXPECT_EQ(reason("6110"), Malformed::too_short);
	EXPECT_EQ(reason("611000"), Malformed::no) << "parameterless";
	EXPECT_EQ(reason("511000"), Malformed::other_sketch);
	EXPECT_EQ(reason("621000"), Malformed::unknown_version);
	EXPECT_EQ(reason("612000"), Malformed::unknown_hash_family);
	EXPECT_EQ(reason("611023"), Malformed::unknown_value_kind);
	EXPECT_EQ(reason("611800"), Malformed::too_short);
	EXPECT_EQ(reason("6118000000000000000000"), Malformed::zero_seed);
	for (const char *form : {"611100", "611200", "611300", "611400", "611500", "611600", "611700"})
		EXPECT_EQ(reason(form), Malformed::unknown_form);
	EXPECT_EQ(reason("611002"), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(reason("6118000100000000000000"), Malformed::bad_parameters) << "a seed without parameters";
	EXPECT_EQ(reason("6118000100000000000000010000"), Malformed::no);
}

TEST(TopkMalformed, WorkingImages)
{
	for (const std::uint64_t values : {0u, 1u, 2'000u}) {
		test::TopkBuilding building({1, 0});
		for (std::uint64_t i = 0; i < values; ++i)
			building.add(topk_hash(i), 1, topk_text(i));
		EXPECT_EQ(reason(building.image()), Malformed::unknown_form);
	}
}

TEST(TopkMalformed, K)
{
	for (const std::uint64_t used : {0u, 3u, 1'000u}) {
		for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{10'001}, std::uint64_t{1} << 32, std::uint64_t{INT64_MAX}})
			EXPECT_EQ(reason(parts(used), [&](Parts &p) { p.k = k; }), Malformed::bad_parameters) << k;
		for (const std::uint64_t k : {2u, 100u})
			EXPECT_EQ(reason(parts(used), [&](Parts &p) { p.k = k; }), Malformed::no) << k;
	}
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.k = 10'000; }), Malformed::no);
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.k = 101; }), Malformed::bad_entry) << "errors though there is room";
}

TEST(TopkMalformed, Totals)
{
	for (const std::uint64_t total : {0u, 1u, 14u, 16u, 1'000u})
		EXPECT_NE(reason(parts(3), [&](Parts &p) { p.total = total; }), Malformed::no) << total;
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.total = 14; }), Malformed::bad_count);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.total = 16; }), Malformed::bad_count);
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.total = 4'999; }), Malformed::bad_count);
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.total = 5'001; }), Malformed::no) << "a full one may have lost some";
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.total = max_total; }), Malformed::no);
	EXPECT_NE(reason(parts(1'000), [](Parts &p) { p.total = max_total + 1; }), Malformed::no) << "past 2^63 - 1";
	EXPECT_NE(reason(parts(1'000), [](Parts &p) { p.total = UINT64_MAX; }), Malformed::no);
	// Counts that sum up to the total modulo 2^64.
	const auto wrap = [](Parts &p) {
		for (Parts::Written &counter : p.counters)
			counter.count = max_total;
		p.total = max_total - 2;
	};
	EXPECT_EQ(reason(parts(3), wrap), Malformed::bad_count);
	EXPECT_EQ(reason(parts(1), [](Parts &p) { p.counters[0].count = p.total = max_total; }), Malformed::no);
}

TEST(TopkMalformed, Counters)
{
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.used = 2; }), Malformed::wrong_length);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.used = 4; }), Malformed::too_short);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.used = 1'001; }), Malformed::bad_count) << "above m";
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.used = max_total; }), Malformed::bad_count);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.used = 0; }), Malformed::wrong_length);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[1].count = 0; p.total -= 5; }), Malformed::bad_entry) << "none";
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[1].error = 1; }), Malformed::bad_entry) << "though there is room";
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.counters[1].error = 5; }), Malformed::bad_entry) << "all of it";
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.counters[1].error = 4; }), Malformed::no);
	EXPECT_EQ(reason(parts(1'000), [](Parts &p) { p.counters[1].error = 6; }), Malformed::bad_entry) << "more than it";
	const auto above_the_minimum = [](std::uint64_t error) {
		return [error](Parts &p) {
			p.counters[999].count = 50;
			p.counters[999].error = error;
			p.total += 45;
		};
	};
	EXPECT_EQ(reason(parts(1'000), above_the_minimum(5)), Malformed::no);
	EXPECT_EQ(reason(parts(1'000), above_the_minimum(6)), Malformed::bad_entry);
}

TEST(TopkMalformed, Order)
{
	for (const std::uint64_t used : {3u, 1'000u}) {
		EXPECT_EQ(reason(parts(used), [](Parts &p) { std::swap(p.counters[1], p.counters[2]); }), Malformed::bad_entry);
		EXPECT_EQ(reason(parts(used), [](Parts &p) { p.counters[1].hash = p.counters[2].hash; }), Malformed::bad_entry) << "twice";
		EXPECT_EQ(reason(parts(used), [](Parts &p) { p.counters.back().hash = 0; }), Malformed::bad_entry);
		EXPECT_EQ(reason(parts(used), [](Parts &p) { p.counters.back().hash = UINT64_MAX; }), Malformed::no);
	}
}

TEST(TopkMalformed, Texts)
{
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[1].text = ""; }), Malformed::no);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[1].text[3] = '\0'; }), Malformed::bad_entry);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[2].text.back() = '\0'; }), Malformed::bad_entry);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[0].text[0] = '\0'; }), Malformed::bad_entry);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[1].text.assign(longest_text, 'x'); }), Malformed::no);
	EXPECT_EQ(reason(parts(3), [](Parts &p) { p.counters[1].text.assign(longest_text + 1, 'x'); }), Malformed::bad_entry);
	// All together.
	Parts much;
	much.k = 10'000;
	much.used = much.total = most_text / longest_text + 1;
	for (std::uint64_t i = 0; i < much.used; ++i)
		much.counters.push_back({i, 1, 0, std::string(longest_text, 'x')});
	much.counters.back().text.resize(most_text % longest_text);
	EXPECT_EQ(reason(much, [](Parts &p) { p.counters.back().text += 'x'; }), Malformed::bad_entry);
}

TEST(TopkMalformed, Lengths)
{
	for (const std::uint64_t used : {0u, 1u, 3u, 100u}) {
		const Image good = parts(used).image();
		for (std::size_t size = 4; size < good.size() + 20; ++size) {
			Image other = good;
			other.resize(size);
			EXPECT_EQ(reason(other) == Malformed::no, size == good.size()) << size << " of " << good.size();
		}
	}
	// A text's length that goes past the end, into the next counter, or short of it.
	const Image good = parts(3).image();
	const std::size_t length_at = 3 + 3 + 8 + 2;
	ASSERT_EQ(good[length_at], topk_text(0).size());
	for (const std::uint8_t length : {0, 6, 8, 9, 20, 60, 100, 127}) {
		Image other = good;
		other[length_at] = length;
		EXPECT_NE(reason(other), Malformed::no) << int{length};
	}
	Image other = good;
	other.insert(other.begin() + length_at, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF});
	EXPECT_NE(reason(other), Malformed::no) << "some 2^60 bytes";
}

// Numbers have one way to be written.
TEST(TopkMalformed, LongNumbers)
{
	const Image good = parts(1).image();
	for (const std::size_t at : {3u, 4u, 5u, 14u, 15u, 16u}) {
		Image other = good;
		other[at] |= 0x80;
		other.insert(other.begin() + static_cast<std::ptrdiff_t>(at) + 1, 0);
		EXPECT_EQ(reason(other), Malformed::bad_count) << at;
	}
}

TEST(TopkMalformed, KindOfValueAndEmptiness)
{
	EXPECT_EQ(reason(parts(0), [](Parts &p) { p.kind = test::topk_test_kind; }), Malformed::not_canonical);
	for (const std::uint64_t used : {1u, 1'000u})
		EXPECT_EQ(reason(parts(used), [](Parts &p) { p.kind = {}; }), Malformed::not_canonical);
	EXPECT_EQ(reason(parts(0), [](Parts &p) { p.total = 5; p.kind = test::topk_test_kind; }), Malformed::bad_count)
		<< "a total of nothing";
}

}  // namespace
}  // namespace bloomsketch::topk
