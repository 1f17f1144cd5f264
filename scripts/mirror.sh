# shellcheck shell=bash
# Sourced by matrix.sh and assertions.sh, which fetch from other suites.

# The Debian mirror that this system uses, whatever its suite.
mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -nE 's/^URIs: *(\S+\/debian)\/?( .*)?$/\1/p; s/^deb +(\[[^]]*\] *)?(\S+\/debian)\/? .*/\2/p' | head -n 1
}
