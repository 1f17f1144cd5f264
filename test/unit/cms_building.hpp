// Count-Min sketches built with memory of their own, for tests: cms/building.hpp
// with an allocator that hands out junk, which the core has to overwrite.
#pragma once

#include <optional>

#include "cms/building.hpp"
#include "cms/inner_product.hpp"
#include "memory.hpp"

namespace bloomsketch::test {

inline constexpr ValueKind cms_test_kind{ValueType::integer};

// An empty optional where the bytes are no sketch.
inline std::optional<cms::Sketch> open_cms(Bytes image)
{
	cms::Sketch sketch;
	if (cms::Sketch::open(image, sketch) != Malformed::no)
		return std::nullopt;
	return sketch;
}

class CmsBuilding {
public:
	explicit CmsBuilding(const cms::Parameters &parameters) { state_ = cms::create(parameters, memory_.allocator()); }
	explicit CmsBuilding(const cms::Sketch &sketch) { cms::copy(sketch, state_, memory_.allocator()); }
	explicit CmsBuilding(Bytes image) : CmsBuilding(*open_cms(image)) {}
	CmsBuilding(const CmsBuilding &) = delete;
	CmsBuilding(CmsBuilding &&) = default;

	cms::Change add(Hash64 hash, std::uint64_t weight = 1)
	{
		const cms::Change change = cms::add(state_, cms_test_kind, hash, weight, memory_.allocator());
		memory_.release_all_but(state_.image());
		return change;
	}

	cms::Change merge(const cms::Sketch &sketch)
	{
		const cms::Change change = cms::merge(state_, sketch, memory_.allocator());
		memory_.release_all_but(state_.image());
		return change;
	}
	cms::Change merge(Bytes image) { return merge(*open_cms(image)); }

	bool subtract(Bytes image) { return cms::subtract(state_, *open_cms(image), memory_.allocator()); }
	void make_dense() { cms::make_dense(state_, memory_.allocator()); }

	Image image() const { return {state_.image().begin(), state_.image().end()}; }
	cms::Sketch sketch() const { return state_.read(); }
	cms::State &state() { return state_; }

private:
	Memory memory_;
	cms::State state_;
};

// The canonical image.
inline Image store_cms(const cms::Sketch &sketch)
{
	Memory memory;
	const MutableBytes stored = cms::store(sketch, memory.allocator());
	return {stored.begin(), stored.end()};
}
inline Image store_cms(Bytes image) { return store_cms(*open_cms(image)); }

// The inner product of sketches that are well formed.
inline std::optional<std::int64_t> product_of(const cms::Sketch &a, const cms::Sketch &b)
{
	std::optional<std::int64_t> product;
	return cms::inner_product(a, b, product) == Malformed::no ? product : std::optional<std::int64_t>(-1);
}

// An image with what both hold; they must agree in everything.
inline Image unite_cms(Bytes a, Bytes b)
{
	if (open_cms(a)->is_parameterless())
		return Image(b.begin(), b.end());
	CmsBuilding building(a);
	building.merge(b);
	return building.image();
}

// The canonical image of bytes from outside; none where they are no sketch.
inline std::optional<Image> accept_cms(Bytes bytes)
{
	Memory memory;
	MutableBytes stored;
	if (cms::accept(bytes, stored, memory.allocator()) != Malformed::no)
		return std::nullopt;
	return Image(stored.begin(), stored.end());
}

}  // namespace bloomsketch::test
