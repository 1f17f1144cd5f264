#include "bloom_sized_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(BloomSized, SketchProperties, BloomSizedAdapter);

}  // namespace bloomsketch::test
