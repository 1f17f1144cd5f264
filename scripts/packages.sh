#!/usr/bin/env bash
# Usage: scripts/packages.sh PACKAGE...
# Installs the Debian packages that are missing; does nothing, and needs no
# rights, when all of them are there.
set -euo pipefail

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || printf '%s\n' "$package"
  done
}

# Root needs nothing; everybody else needs sudo, which may only ask for a
# password where somebody can type one. Looked up here, because apt-get runs
# without stdin.
if [[ $EUID -eq 0 ]]; then
  become_root=()
elif [[ -t 0 ]]; then
  become_root=(sudo)
else
  become_root=(sudo -n)
fi

as_root() {
  "${become_root[@]}" "$@"
}

# The lock option waits for another apt-get instead of failing beside it.
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@"
}

# A failing update alone is no reason to stop: the lists that are there may do.
# A failing install often means that they are out of date, hence the second try.
install_packages() {
  local attempt
  for attempt in 1 2; do
    apt_get update || printf 'apt-get update failed (try %s of 2)\n' "$attempt"
    apt_get install -y --no-install-recommends "$@" && return 0
  done
  return 1
}

# Debian's first server package also makes a cluster "main" and starts it. A
# demo or test run must not leave a server behind, so Debian's own switch is
# turned off while packages are installed, and removed afterwards.
install_without_cluster() (
  switches=/etc/postgresql-common/createcluster.d
  switch=$switches/bloomsketch-install.conf
  install_packages postgresql-common || exit 1
  trap 'as_root rm -f "$switch"; as_root rmdir --ignore-fail-on-non-empty "$switches"' EXIT
  as_root mkdir -p "$switches" || exit 1
  echo 'create_main_cluster = false' | as_root tee "$switch" >/dev/null || exit 1
  install_packages "$@"
)

give_up() {
  local sudo=
  [[ $EUID -eq 0 ]] || sudo='sudo '
  {
    printf '%s\nPlease install them first, with\n' "$1"
    printf '    %sapt-get install --no-install-recommends %s\n' "$sudo" "${missing[*]}"
  } >&2
  exit 1
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  printf 'This is no Debian-like system; these packages are needed: %s\n' "$*" >&2
  exit 1
fi

mapfile -t missing < <(missing_packages "$@")
[[ ${#missing[@]} -gt 0 ]] || exit 0

if [[ $EUID -ne 0 ]] && ! { command -v sudo && as_root true; } >/dev/null; then
  give_up "Packages are missing, and only root can install them."
fi

installer=install_packages
for package in "${missing[@]}"; do
  if [[ $package =~ ^postgresql-[0-9]+$ ]]; then installer=install_without_cluster; fi
done

printf 'installing packages: %s\n' "${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "$installer" "${missing[@]}" >"$log" 2>&1 </dev/null; then
  tail -n 40 "$log" >&2
  give_up "Packages are missing and could not be installed."
fi
if [[ $installer = install_without_cluster ]]; then
  echo "(no database cluster was created; pg_createcluster makes one if you want it)"
fi
