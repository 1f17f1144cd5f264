#include "counting_bloom_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(CountingBloom, SketchProperties, CountingBloomAdapter);

}  // namespace bloomsketch::test
