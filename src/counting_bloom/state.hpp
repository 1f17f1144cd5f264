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
		return state.head_.read(image, image.size()) == Malformed::no && state.head_.is_working();
	}

	// Opens an image by a head that was read before, which takes a fraction of the
	// time. False if it begins with other bytes.
	static bool open_known(MutableBytes image, const KnownHead &known, State &state)
	{
		if (!known.begins(image))
			return false;
		state.image_ = image;
		state.head_ = known.head();
		return true;
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

	void add(Hash64 hash)
	{
		add_to_counters(counters_of(head_.block_of(hash)), hash, parameters().hashes, parameters().block_bits_log2());
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

	std::uint8_t *counters_of(std::uint64_t block)
	{
		return image_.data() + head_.size() + static_cast<std::size_t>(block) * head_.working_block_bytes();
	}

	MutableBytes image_;
	Head head_;
};

}  // namespace bloomsketch::counting_bloom
