// Why a byte string is not a sketch. Pure code returns one of these; the
// PostgreSQL side words it in an error.
#pragma once

namespace bloomsketch {

enum class Malformed {
	no,
	too_short,
	wrong_length,
	other_sketch,
	unknown_version,
	unknown_hash_family,
	unknown_form,
	unknown_value_kind,
	zero_seed,
	bad_parameters,
	bad_count,
	bad_entry,
	bad_text,
	bad_padding,
	not_canonical,
};

constexpr const char *describe(Malformed reason)
{
	switch (reason) {
	case Malformed::no: break;
	case Malformed::too_short: return "it ends too early";
	case Malformed::wrong_length: return "its length does not fit its contents";
	case Malformed::other_sketch: return "it is not a sketch of this type";
	case Malformed::unknown_version: return "its format version is not known to this version of bloomsketch";
	case Malformed::unknown_hash_family: return "its hash family is not known to this version of bloomsketch";
	case Malformed::unknown_form: return "its form is not known to this version of bloomsketch";
	case Malformed::unknown_value_kind: return "its kind of value is not known to this version of bloomsketch";
	case Malformed::zero_seed: return "it carries a seed of zero";
	case Malformed::bad_parameters: return "its parameters are out of range";
	case Malformed::bad_count: return "its count does not fit its contents";
	case Malformed::bad_entry: return "it holds an impossible entry";
	case Malformed::bad_text: return "it holds text that is not valid UTF-8";
	case Malformed::bad_padding: return "its unused bits are not zero";
	case Malformed::not_canonical: return "it is not in the form that these contents have";
	}
	return "it is well formed";
}

}  // namespace bloomsketch
