#!/usr/bin/env bash
# Builds the Debian package of the sources as git has them, into build/, and, as root,
# tries it: installs it with dpkg in a root folder that has nothing but PostgreSQL, and
# runs the SQL of README.md and docs/ there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/roots.sh
source "$root/scripts/roots.sh"

# run_quietly COMMAND...: its output only if it fails.
run_quietly() {
  "$@" >"$work/log" 2>&1 || { tail -n 60 "$work/log" >&2; exit 1; }
}

build_package() {
  copy_source "$root" "$work/bloomsketch"
  (cd "$work/bloomsketch" && run_quietly dpkg-buildpackage --build=binary --no-sign)
  mkdir -p "$root/build"
  cp "$work"/postgresql-15-bloomsketch_*.deb "$root/build/"
  package=$(cd "$work" && ls postgresql-15-bloomsketch_*.deb)
  printf 'build/%s\n' "$package"
}

# With this system's own sources of packages, so that the server is not older than the
# headers. The extension's sources are there for their tests alone: what they test is what dpkg installed.
try_package() {
  local folder=$work/root sources=()
  mapfile -t sources < <(grep -lE '/debian(-security)?/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null)
  run_quietly mmdebstrap --mode=root --variant=apt \
    --include=postgresql-15,postgresql-server-dev-15,make,libipc-run-perl bookworm "$folder" "${sources[@]}"
  copy_source "$root" "$folder/bloomsketch"
  cp "$work/$package" "$folder/"
  chmod -R go+rX "$folder/bloomsketch"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"
    exec chroot "$1" sh -ec "dpkg -i /$2 && chown -R postgres /bloomsketch && cd /bloomsketch &&
      exec runuser -u postgres -- make installcheck REGRESS= PROVE_TESTS=test/tap/readme.pl"' \
    package "$folder" "$package"
}

"$root/scripts/packages.sh" dpkg-dev debhelper g++ make libxxhash-dev postgresql-server-dev-15 mmdebstrap
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
build_package
if [[ $EUID -eq 0 ]]; then
  try_package
else
  echo 'it was not tried: that takes root'
fi
