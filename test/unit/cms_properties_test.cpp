#include "cms_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Cms, SketchProperties, CmsAdapter);

}  // namespace bloomsketch::test
