// The union over a window frame that moves. No value can be taken out of a union, but
// sketches leave a frame in the order in which they entered, as in a queue, and a
// queue can be kept as two stacks (Tangwongsan, Hirzel, Schneider 2017, section 2,
// "Two-Stacks"):
//
//   back    what entered last, newest on top, as it came; and the union of all
//   front   what is to leave next, oldest on top, each united with all below it
//
// When the front is empty, the back is flipped over. So each sketch is united twice,
// and not once for each row that sees it, and the frame's union is that of two.
//
// The memory is the caller's: `memory.take(size)` and `memory.give_back(address)` for
// what the frame keeps, `memory.allocate(size)` for images as in building.hpp. Where
// it would take more than `limit` bytes, nothing is kept but the union of all.
#pragma once

#include <new>

#include "hll/building.hpp"

namespace bloomsketch::hll {

template <class Memory>
class Frame {
public:
	// A limit of 0 is one that has been passed.
	Frame(Memory memory, std::size_t limit) : memory_(memory), limit_(limit), has_stacks_(limit != 0) {}

	bool has_stacks() const { return has_stacks_; }

	// A sketch that enters must agree with these; they have no parameters where there
	// is none.
	Sketch front() const { return front_ != nullptr ? opened(front_->image) : Sketch(); }
	Sketch back() const { return opened(back_union_); }

	// An image, or no bytes for NULL.
	Malformed enter(Bytes image)
	{
		const Malformed reason = unite_kept(back_union_, image);
		if (!has_stacks_)
			return reason;
		back_ = new (memory_.take(sizeof(Node))) Node{back_, keep(image)};
		kept_ += size_of(*back_);
		++back_count_;
		// What flipping will take: no union is larger than that of all.
		if (kept_ + back_count_ * back_union_.size() > limit_)
			drop_stacks();
		return reason;
	}

	// The oldest sketch leaves. False where the frame has to be built anew.
	bool leave()
	{
		if (front_ == nullptr)
			flip();
		if (front_ == nullptr)
			return false;
		pop(front_);
		return true;
	}

	// The union of all, in memory that was allocated; no bytes if all are NULL.
	MutableBytes result() const
	{
		MutableBytes sum;
		if (front_ != nullptr)
			static_cast<void>(unite(sum, front_->image));
		static_cast<void>(unite(sum, back_union_));
		return sum;
	}

private:
	struct Node {
		Node *below;
		MutableBytes image;
	};

	// Allocators round up, and put a header before what they give.
	static constexpr std::size_t overhead = 32;
	static std::size_t size_of(const Node &node) { return sizeof(Node) + node.image.size() + 2 * overhead; }

	static Sketch opened(Bytes image)
	{
		Sketch sketch;
		if (!image.empty())
			static_cast<void>(Sketch::open(image, sketch));  // it opened when it entered
		return sketch;
	}

	MutableBytes keep(Bytes image)
	{
		if (image.empty())
			return {};
		const MutableBytes kept(static_cast<std::uint8_t *>(memory_.take(image.size())), image.size());
		std::copy(image.begin(), image.end(), kept.begin());
		return kept;
	}

	void release(MutableBytes &image)
	{
		if (!image.empty())
			memory_.give_back(image.data());
		image = {};
	}

	void replace(MutableBytes &image, Bytes by)
	{
		const MutableBytes kept = keep(by);
		release(image);
		image = kept;
	}

	// Unites a sum that may be changed in place with an image. A sum that is none yet,
	// has no parameters or no room is replaced by one that is allocated.
	Malformed unite(MutableBytes &sum, Bytes image) const
	{
		const auto allocate = [this](std::size_t size) { return memory_.allocate(size); };
		const Sketch sketch = opened(image);
		State state;
		Malformed reason = Malformed::no;
		if (State::open(sum, state))
			reason = merge(state, sketch, allocate);
		else if (!sketch.is_parameterless())
			reason = copy(sketch, sketch.precision(), state, allocate);
		if (!state.image().empty()) {
			sum = state.image();
		} else if (sum.empty() && !image.empty()) {
			sum = allocate(image.size());
			std::copy(image.begin(), image.end(), sum.begin());
		}
		return reason;
	}

	// The same for a sum that the frame keeps.
	Malformed unite_kept(MutableBytes &kept, Bytes image)
	{
		MutableBytes sum = kept;
		const Malformed reason = unite(sum, image);
		if (sum.data() != kept.data())
			replace(kept, sum);
		return reason;
	}

	void pop(Node *&top)
	{
		Node *const node = top;
		kept_ -= size_of(*node);
		top = node->below;
		release(node->image);
		memory_.give_back(node);
	}

	void flip()
	{
		MutableBytes sum;
		while (back_ != nullptr) {
			Node *const node = back_;
			back_ = node->below;
			kept_ -= size_of(*node);
			static_cast<void>(unite_kept(sum, node->image));
			replace(node->image, sum);
			kept_ += size_of(*node);
			node->below = front_;
			front_ = node;
		}
		release(sum);
		release(back_union_);
		back_count_ = 0;
	}

	void drop_stacks()
	{
		if (front_ != nullptr)
			static_cast<void>(unite_kept(back_union_, front_->image));
		while (front_ != nullptr)
			pop(front_);
		while (back_ != nullptr)
			pop(back_);
		has_stacks_ = false;
	}

	Memory memory_;
	std::size_t limit_;
	std::size_t kept_ = 0;  // by the stacks
	Node *front_ = nullptr;
	Node *back_ = nullptr;
	std::size_t back_count_ = 0;
	MutableBytes back_union_;
	bool has_stacks_;
};

}  // namespace bloomsketch::hll
