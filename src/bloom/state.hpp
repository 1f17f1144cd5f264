// A Bloom filter that is being built: a view over a writable image, changed in
// place.
#pragma once

#include "bloom/bloom.hpp"

namespace bloomsketch::bloom {

class State {
public:
	State() = default;

	static std::size_t image_size(const Parameters &parameters, std::uint64_t blocks, Form form = Form::rest)
	{
		return head_size(parameters.seed) + static_cast<std::size_t>(blocks) * parameters.block_bytes() +
		       (form == Form::building ? tail_size : 0);
	}

	// The form to build a filter in.
	static Form form_for(const Parameters &parameters, std::uint64_t blocks)
	{
		return blocks * parameters.block_bytes() < smallest_built_apart ? Form::rest : Form::building;
	}

	// The most blocks that an image has room for, whatever its head and form.
	static std::uint64_t most_blocks(double rate)
	{
		return (largest_image - largest_head - tail_size) >> (block_bits_log2_for(rate) - 3);
	}

	// Makes an empty filter in `image`, which has image_size() bytes.
	static State create(MutableBytes image, Form form, const Parameters &parameters, ValueKind kind)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		const Header header{SketchKind::bloom, static_cast<std::uint8_t>(form), kind, parameters.seed};
		header.write(image.data());
		std::uint8_t *to = image.data() + header.size();
		store_le(to, parameters.capacity);
		store_le(to + 8, std::bit_cast<std::uint64_t>(parameters.rate));
		to[16] = static_cast<std::uint8_t>(parameters.hashes);
		State state;
		static_cast<void>(open(image, state));  // what was just written opens
		return state;
	}

	// Makes the filter at rest of what `filter` holds, in image_size() bytes.
	static State create_at_rest(MutableBytes image, const Filter &filter)
	{
		State state = create(image, Form::rest, filter.parameters(), filter.kind());
		std::copy(filter.body().begin(), filter.body().end(),
		          image.begin() + static_cast<std::ptrdiff_t>(filter.head_size()));
		state.begin_merge(filter);
		return state;
	}

	// False if the image is no filter, or one without parameters.
	[[nodiscard]] static bool open(MutableBytes image, State &state)
	{
		state.image_ = image;
		if (state.head_.read(image, image.size()) != Malformed::no || state.head_.is_parameterless())
			return false;
		return state.has_room_to_wait();
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
	ValueKind kind() const { return Header::kind_at(image_.data()); }
	void set_kind(ValueKind kind)
	{
		Header::set_kind(image_.data(), kind);
		head_.header.kind = kind;
	}

	// The filter as it stands; an image that open() took opens.
	Filter read() const
	{
		Filter filter;
		Filter::open(image_, filter);
		return filter;
	}

	// While building apart, asks for the block and adds the value some calls later.
	void add(Hash64 hash)
	{
		if (!head_.is_building()) {
			set_bits(hash);
			return;
		}
		const std::uint8_t *block = image_.data() + head_.block_offset(hash);
		__builtin_prefetch(block, 1);
		__builtin_prefetch(block + 63, 1);  // a block need not begin where a cache line does
		const std::uint32_t count = waiting();
		store_le(tail() + 4 + count * sizeof(Hash64), hash);
		store_le(tail(), count + 1);
		if (count + 1 == waiting_hashes) {
			for (std::uint32_t i = 0; i < waiting_hashes; ++i)
				set_bits(load_le<Hash64>(tail() + 4 + i * sizeof(Hash64)));
			store_le(tail(), std::uint32_t{0});
		}
	}

	// Begins to take over a filter of equal parameters: its kind and the hashes that
	// wait in it. merge() takes over its blocks.
	void begin_merge(const Filter &other)
	{
		if (kind().is_none())
			set_kind(other.kind());
		for (std::uint32_t i = 0; i < other.waiting(); ++i)
			set_bits(other.waiting_hash(i));
	}

	// Takes over bytes first..last-1 of the blocks of a filter of equal parameters.
	void merge(const Filter &other, std::size_t first, std::size_t last)
	{
		std::uint8_t *__restrict into = image_.data() + head_.size();
		const std::uint8_t *__restrict from = other.body().data();
		for (std::size_t i = first; i < last; ++i)
			into[i] |= from[i];
	}

private:
	void set_bits(Hash64 hash)
	{
		add_to_block(image_.data() + head_.block_offset(hash), hash, head_.parameters.hashes,
		             head_.parameters.block_bits_log2());
	}

	bool has_room_to_wait() const { return !head_.is_building() || waiting() < waiting_hashes; }
	std::uint8_t *tail() const { return image_.data() + image_.size() - tail_size; }
	std::uint32_t waiting() const { return load_le<std::uint32_t>(tail()); }

	static std::size_t head_size(std::int64_t seed)
	{
		return Header::fixed_size + (seed != 0 ? Header::seed_size : 0) + parameters_size;
	}

	MutableBytes image_;
	Head head_;
};

}  // namespace bloomsketch::bloom
