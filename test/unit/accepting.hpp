// How an adapter (properties.hpp) takes bytes from outside, for tests and fuzzers.
#pragma once

#include <algorithm>
#include <optional>

#include "image.hpp"

namespace bloomsketch::test {

// What is wrong with how these bytes are taken, or nullptr. `deep` calls every
// function there is.
template <class Adapter>
const char *fault_in_accepting(Bytes bytes, bool deep = true)
{
	const std::optional<Image> accepted = Adapter::accept(bytes);
	if (!accepted)
		return nullptr;
	if (const char *fault = deep ? Adapter::fault(*accepted) : nullptr)
		return fault;
	if (Adapter::accept(*accepted) != accepted)
		return "an accepted image is not accepted as it is";
	if (Adapter::at_rest(bytes) && !std::equal(bytes.begin(), bytes.end(), accepted->begin(), accepted->end()))
		return "an image at rest is accepted though its contents have another form";
	return nullptr;
}

}  // namespace bloomsketch::test
