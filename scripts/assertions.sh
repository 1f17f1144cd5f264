#!/usr/bin/env bash
# Runs the SQL and TAP tests on a PostgreSQL that checks itself: built with
# --enable-cassert, and with -DUSE_VALGRIND, which makes it wipe freed memory
# and mark the ends of allocations. Takes some ten minutes for the build.
#
#   ASSERTIONS_PREFIX=DIR  keep that server there, and use the one that is there
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/roots.sh
source "$root/scripts/roots.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=${ASSERTIONS_PREFIX:-$work/postgresql}
chmod 755 "$work"

# Source packages through an apt configuration of our own, with this system's
# mirror: the system's own lists stay as they are.
download() {
  local lists=$work/apt
  mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) bookworm main" \
    >"$lists/sources.list"
  set -- -qq -o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=- \
    -o "Dir::State::Lists=$lists/lists" -o "Dir::Cache=$lists/cache" -o APT::Sandbox::User=root
  apt-get "$@" update
  (cd "$work" && apt-get "$@" source --download-only postgresql-15)
}

build() {
  mkdir "$work/source"
  tar -C "$work/source" --strip-components=1 -xf "$work"/postgresql-15_*.orig.tar.*
  cd "$work/source"
  ./configure --prefix="$prefix" --enable-cassert --enable-debug --enable-tap-tests --with-icu \
    --without-readline --without-zlib CFLAGS='-O1 -g -DUSE_VALGRIND'
  make -s -j"$(nproc)" world-bin
  make -s install-world-bin
  touch "$prefix/made-by-bloomsketch"
}

if [[ -x $prefix/bin/postgres && ! -e $prefix/made-by-bloomsketch ]]; then
  printf '%s has a PostgreSQL that this did not build\n' "$prefix" >&2
  exit 1
fi
if [[ ! -x $prefix/bin/postgres ]]; then
  "$root/scripts/packages.sh" gcc g++ make bison flex libicu-dev valgrind dpkg-dev libipc-run-perl
  echo "building a PostgreSQL with assertions ..."
  log=$work/log
  { download && build; } >"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
fi
# The tests run as postgres if this is root, and install the extension there.
[[ $EUID -ne 0 ]] || chown -R postgres: "$prefix"
cd "$root"
SERVER_PREFIX=$prefix KINDS="${KINDS:-regress tap}" scripts/test.sh
