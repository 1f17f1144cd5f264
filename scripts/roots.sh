# shellcheck shell=bash
# Sourced by what makes root folders of Debian suites, or fetches from them.

# The Debian mirror that this system uses, whatever its suite.
mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -nE 's/^URIs: *(\S+\/debian)\/?( .*)?$/\1/p; s/^deb +(\[[^]]*\] *)?(\S+\/debian)\/? .*/\2/p' | head -n 1
}

# copy_source FROM TO: the source tree as git has it, without what a build has left in it.
copy_source() {
  rm -rf "$2"
  mkdir -p "$2"
  { git -C "$1" ls-files -z --cached --others --exclude-standard 2>/dev/null ||
    (cd "$1" && find . -name .git -prune -o -type f -print0); } |
    tar -C "$1" --null --ignore-failed-read -T - -cf - | tar -C "$2" -xf -
}
