// Writes the image at rest that a HyperLogLog's values have: the same bytes
// whatever order, plan or route brought them in.
#pragma once

#include <optional>

#include "hll/hll.hpp"

namespace bloomsketch::hll {

inline constexpr std::size_t parameterless_size = Header::fixed_size + 2;

// The sketch over no values that has no parameters yet and unites with any.
inline void store_parameterless(std::uint8_t *to)
{
	Header{SketchKind::hll, static_cast<std::uint8_t>(Form::sparse), {}, 0}.write(to);
	to[Header::fixed_size] = 0;      // precision
	to[Header::fixed_size + 1] = 0;  // number of entries
}

// The canonical image of a sketch in any form. `scratch` has entry_count() elements and lives as
// long as this does.
class StoredForm {
public:
	StoredForm(const Sketch &sketch, std::span<Entry> scratch) : sketch_(sketch)
	{
		if (!sketch.is_sparse()) {
			layout_ = sketch.dense_layout();
			return;
		}
		entries_ = scratch.first(sketch.read_entries(scratch));
	}

	std::size_t size() const
	{
		return sketch_.header().size() + 1 + (layout_ ? layout_->size() : varint_size(entries_.size()) + entries_size(entries_));
	}

	// Writes size() bytes.
	void write(std::uint8_t *to) const
	{
		Header header = sketch_.header();
		header.form = static_cast<std::uint8_t>(sketch_.is_sparse() ? Form::sparse : Form::dense);
		header.write(to);
		to += header.size();
		*to++ = static_cast<std::uint8_t>(sketch_.precision());
		if (layout_)
			layout_->write(to, [this](auto use) { sketch_.each_chunk(use); });
		else
			encode_entries(entries_, write_varint(to, entries_.size()));
	}

private:
	Sketch sketch_;
	std::span<const Entry> entries_;     // of a sparse one
	std::optional<DenseLayout> layout_;  // of a dense one
};

}  // namespace bloomsketch::hll
