// A counting filter that is being built: a view over a writable image in form 1,
// changed in place.
#pragma once

#include "counting_bloom/counting_bloom.hpp"

namespace bloomsketch::counting_bloom {

class State {
public:
	State() = default;

	static std::size_t image_size(const Parameters &parameters, std::uint64_t blocks)
	{
		return head_of(parameters, blocks, {}).working_size();
	}

	// Makes an empty filter in `image`, which has image_size() bytes.
	static State create(MutableBytes image, const Parameters &parameters, std::uint64_t blocks, ValueKind kind)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		State state;
		state.image_ = image;
		state.head_ = head_of(parameters, blocks, kind);
		state.head_.write(image.data());
		return state;
	}

	// False if the image is no filter in this form.
	[[nodiscard]] static bool open(MutableBytes image, State &state)
	{
		state.image_ = image;
		return state.head_.read(image, image.size()) == Malformed::no && state.head_.is_working() && state.has_room_to_wait();
	}

	// Opens an image by a head that was read before, which takes a fraction of the
	// time. False if it begins with other bytes.
	static bool open_known(MutableBytes image, const KnownHead &known, State &state)
	{
		if (!known.begins(image))
			return false;
		state.image_ = image;
		state.head_ = known.head();
		return state.has_room_to_wait();
	}

	KnownHead known_head() const { return KnownHead(head_, image_); }

	MutableBytes image() const { return image_; }
	const Parameters &parameters() const { return head_.parameters; }
	ValueKind kind() const { return head_.header.kind; }
	void set_kind(ValueKind kind)
	{
		Header::set_kind(image_.data(), kind);
		head_.header.kind = kind;
	}

	// The filter as it stands.
	Filter read() const
	{
		Filter filter;
		static_cast<void>(Filter::open(image_, filter));  // an image that open() took opens
		return filter;
	}

	// Asks memory for the counters, and adds the value some calls later.
	void add(Hash64 hash)
	{
		prefetch_counters(counters_of(head_.block_of(hash)), hash, parameters().hashes, parameters().block_bits_log2());
		const std::uint32_t count = waiting();
		store_le(tail() + 4 + count * sizeof(Hash64), hash);
		store_le(tail(), count + 1);
		if (count + 1 == waiting_hashes) {
			add_waiting();
			store_le(tail(), std::uint32_t{0});
		}
	}

	// Takes over what a filter of equal parameters holds, in either form.
	Malformed merge(const Filter &other)
	{
		if (kind().is_none())
			set_kind(other.kind());
		BlockCounters buffer;
		return each_block(head_, [&](std::uint64_t block) {
			const std::uint8_t *counters;
			const Malformed reason = other.read(block, buffer, counters);
			if (reason == Malformed::no)
				merge_counters(counters_of(block), counters, head_.working_block_bytes());
			return reason;
		});
	}

private:
	static Head head_of(const Parameters &parameters, std::uint64_t blocks, ValueKind kind)
	{
		const Header header{SketchKind::counting_bloom, static_cast<std::uint8_t>(Form::working), kind, parameters.seed};
		return {header, parameters, blocks};
	}

	// The head is copied first: for all that the compiler knows, a counter that changes
	// may lie in it.
	void add_waiting()
	{
		const int hashes = parameters().hashes, block_bits_log2 = parameters().block_bits_log2();
		const std::uint64_t blocks = head_.blocks;
		std::array<Hash64, waiting_hashes> waiting;
		for (std::size_t i = 0; i < waiting_hashes; ++i)
			waiting[i] = load_le<Hash64>(tail() + 4 + i * sizeof(Hash64));
		std::uint8_t *const counters = counters_of(0);
		for (const Hash64 hash : waiting) {
			const std::size_t at = static_cast<std::size_t>(bloom::block_of(hash, blocks)) << (block_bits_log2 - 1);
			add_to_counters(counters + at, hash, hashes, block_bits_log2);
		}
	}

	bool has_room_to_wait() const { return waiting() < waiting_hashes; }
	std::uint8_t *tail() const { return image_.data() + head_.tail_offset(); }
	std::uint32_t waiting() const { return load_le<std::uint32_t>(tail()); }

	std::uint8_t *counters_of(std::uint64_t block)
	{
		return image_.data() + head_.size() + static_cast<std::size_t>(block) * head_.working_block_bytes();
	}

	MutableBytes image_;
	Head head_;
};

}  // namespace bloomsketch::counting_bloom
