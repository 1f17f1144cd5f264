#!/usr/bin/env bash
# Runs the unit tests, golden hashes and golden images among them, on other
# processors: s390x, which is big-endian, and arm64, emulated by qemu-user.
# Whatever these tests pin comes out as on this machine, to the byte.
#
#   PROCESSORS="s390x"   only these, out of: s390x aarch64
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The compiler's and qemu's names for a processor are the same, package names
# spell an underscore as a hyphen.
test_processor() {
  local processor=$1 triplet=$1-linux-gnu
  printf '\n%s\n' "$processor"
  scripts/packages.sh make libxxhash-dev googletest qemu-user-static "g++-$triplet"
  # xxhash.h is the same text everywhere, and in no cross compiler's path.
  mkdir -p "build/unit-$processor/include"
  cp /usr/include/xxhash.h "build/unit-$processor/include/"
  make -j"$(nproc)" unit UNIT_BUILD="build/unit-$processor" UNIT_CXX="$triplet-g++" \
    UNIT_XXHASH="build/unit-$processor/include" UNIT_GTEST=/usr/src/googletest/googletest \
    UNIT_RUN="qemu-$processor-static"
}

for processor in ${PROCESSORS:-s390x aarch64}; do
  test_processor "$processor"
done
