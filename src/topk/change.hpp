// What became of a change to a sketch.
#pragma once

namespace bloomsketch::topk {

enum class Change {
	done,
	no_room,             // unchanged: the image is to be replaced by a larger one
	total_out_of_range,  // unchanged: the total would pass 2^63 - 1
	text_too_long,       // unchanged: the text has more than longest_text bytes
	texts_too_large,     // unchanged: all texts would have more than most_text bytes
	damaged,             // a sketch at rest that was read is malformed
};

}  // namespace bloomsketch::topk
