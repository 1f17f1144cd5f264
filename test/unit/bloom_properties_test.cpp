#include "bloom_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Bloom, SketchProperties, BloomAdapter);

}  // namespace bloomsketch::test
