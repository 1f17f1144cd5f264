#include "hll_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Hll, SketchProperties, HllAdapter);

}  // namespace bloomsketch::test
