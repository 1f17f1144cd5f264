#include "topk_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Topk, SketchProperties, TopkAdapter);

}  // namespace bloomsketch::test
