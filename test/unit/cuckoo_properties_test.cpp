#include "cuckoo_adapter.hpp"
#include "properties.hpp"

namespace bloomsketch::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Cuckoo, SketchProperties, CuckooAdapter);

}  // namespace bloomsketch::test
