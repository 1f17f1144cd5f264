// Window frames over HyperLogLogs, against uniting the frame anew for each row.
#include <cstdlib>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "hll/frame.hpp"
#include "hll_building.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

using test::HllBuilding;
using test::Image;

// Knows what was taken and not given back.
class Heap {
public:
	~Heap()
	{
		for (const auto &[address, size] : taken_)
			std::free(address);
	}

	void *take(std::size_t size)
	{
		void *address = std::malloc(size);
		taken_[address] = size;
		held_ += size;
		return address;
	}
	void give_back(void *address)
	{
		ASSERT_TRUE(taken_.contains(address));
		held_ -= taken_[address];
		taken_.erase(address);
		std::free(address);
	}
	std::size_t held() const { return held_; }

	std::deque<Image> images;

private:
	std::map<void *, std::size_t> taken_;
	std::size_t held_ = 0;
};

struct FrameMemory {
	Heap *heap;

	void *take(std::size_t size) const { return heap->take(size); }
	void give_back(void *address) const { heap->give_back(address); }
	MutableBytes allocate(std::size_t size) const { return heap->images.emplace_back(size, 0xA5); }
};

using Tested = Frame<FrameMemory>;

// At rest: NULL, without parameters, empty, of a few values or of many.
Image random_sketch(test::Random &random)
{
	switch (random.below(8)) {
	case 0: return {};
	case 1: return test::store_hll(test::from_hex("1110000000"));
	case 2: return test::store_hll(HllBuilding({10}).sketch());
	default: break;
	}
	HllBuilding building({10});
	for (std::uint64_t n = random.below(8) == 0 ? 1'000 : 1 + random.below(20); n > 0; --n)
		building.add(hash_word(random.below(20'000), 0));
	return test::store_hll(building.sketch());
}

Image stored_or_null(Bytes image) { return image.empty() ? Image() : test::store_hll(image); }

Image united_anew(const std::deque<Image> &queue)
{
	Image sum;
	for (const Image &image : queue)
		if (!image.empty())
			sum = sum.empty() ? image : test::unite_hll(sum, image);
	return stored_or_null(sum);
}

TEST(Frame, IsTheUnionOfWhatIsInIt)
{
	for (int seed = 1; seed <= 8; ++seed) {
		test::Random random(static_cast<std::uint64_t>(seed));
		Heap heap;
		Tested frame({&heap}, 1 << 30);
		std::deque<Image> queue;
		for (int step = 0; step < 400; ++step) {
			// Frames of up to a few dozen that are empty at times.
			const bool enters = queue.empty() || random.below(100) < (step / 100 % 2 == 0 ? 60u : 40u);
			if (enters) {
				queue.push_back(random_sketch(random));
				ASSERT_EQ(frame.enter(queue.back()), Malformed::no);
			} else {
				queue.pop_front();
				ASSERT_TRUE(frame.leave());
			}
			ASSERT_EQ(stored_or_null(frame.result()), united_anew(queue)) << "seed " << seed << ", step " << step;
			heap.images.clear();
		}
		for (; !queue.empty(); queue.pop_front())
			ASSERT_TRUE(frame.leave());
		EXPECT_FALSE(frame.leave()) << "nothing is left";
		frame.enter({});
		frame.leave();
		EXPECT_LE(heap.held(), 1'100u) << "a union of what is gone, at the most";
	}
}

// Whatever front and back hold, a sketch that does not go with them can be told.
TEST(Frame, ShowsWhatASketchMustAgreeWith)
{
	Heap heap;
	Tested frame({&heap}, 1 << 30);
	EXPECT_TRUE(frame.front().is_parameterless());
	EXPECT_TRUE(frame.back().is_parameterless());
	const Image ten = test::store_hll(HllBuilding({10}).sketch());
	frame.enter(ten);
	EXPECT_EQ(frame.back().precision(), 10);
	frame.enter(ten);
	frame.leave();
	EXPECT_EQ(frame.front().precision(), 10);
	EXPECT_TRUE(frame.back().is_parameterless());
	frame.leave();
	EXPECT_TRUE(frame.front().is_parameterless());
}

// Beyond the limit nothing is kept but the union, and nothing leaves.
TEST(Frame, GivesUpBeyondItsLimit)
{
	test::Random random(3);
	const auto dense = [&] {
		HllBuilding building({10});
		for (int n = 0; n < 2'000; ++n)
			building.add(random.next());
		return test::store_hll(building.sketch());
	};
	constexpr std::size_t limit = 40'000;
	for (const bool leaves : {false, true}) {
		Heap heap;
		Tested frame({&heap}, limit);
		std::deque<Image> queue;
		bool gave_up = false;
		std::size_t largest = 0;
		for (int row = 0; row < 60; ++row) {
			queue.push_back(dense());
			frame.enter(queue.back());
			ASSERT_EQ(stored_or_null(frame.result()), united_anew(queue)) << row;
			largest = std::max(largest, heap.held());
			if (leaves && queue.size() > 20) {
				gave_up = !frame.leave();
				ASSERT_FALSE(gave_up) << "20 of 1 kB each fit";
				queue.pop_front();
				largest = std::max(largest, heap.held());
			}
		}
		EXPECT_EQ(frame.leave(), leaves);
		EXPECT_LE(largest, limit + 3'000) << "one sketch and two unions besides";
		EXPECT_EQ(heap.held() < 1'200, !leaves);
		EXPECT_EQ(frame.has_stacks(), leaves);
	}
	Heap heap;
	Tested frame({&heap}, 0);
	frame.enter(dense());
	EXPECT_FALSE(frame.leave());
}

}  // namespace
}  // namespace bloomsketch::hll
