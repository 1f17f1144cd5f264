#!/usr/bin/env bash
# Runs the tests on other PostgreSQL majors: in a root folder for each, made from
# the Debian suite that has it, with this suite's own compiler. Needs to be root.
#
#   MAJORS="17 18"      which ones; all known ones without it
#   MATRIX_ROOTS=DIR    keep the root folders there, and use those that are there
#   KINDS="regress tap" which kinds of test; test.sh knows them
#
# Ends with the sum of what passed and failed. A root that can't be made is
# reported and counts as nothing, but one at least has to run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/roots.sh
source "$root/scripts/roots.sh"

known_majors="17 18 19"
passed=0
failed=0
ran=

# Experimental has one major and no compiler: sid has the rest.
suite_of() {
  case $1 in
    17) echo trixie ;;
    18) echo forky ;;
    19) echo sid ;;
    *) printf 'no suite is known to have PostgreSQL %s\n' "$1" >&2; return 1 ;;
  esac
}

# Old release files are fine for a test, where this system takes them too.
apt_options() {
  apt-config dump | sed -nE 's/^(Acquire::Check-(Valid-Until|Date)) "(.*)";$/--aptopt=\1 "\3"/p'
}

make_root() {
  local major=$1 folder=$2 suite mirror options=() sources packages preferences=$work/preferences
  suite=$(suite_of "$major")
  mirror=$(mirror)
  mapfile -t options < <(apt_options)
  packages="postgresql-$major postgresql-server-dev-$major g++ make diffutils libxxhash-dev libgtest-dev libipc-run-perl python3-xxhash"
  sources=("deb $mirror $suite main")
  if [[ $major = 17 ]]; then
    # For pg_upgrade from 15, which the suite before has.
    sources+=("deb $mirror bookworm main")
    packages+=" postgresql-15 postgresql-server-dev-15"
  fi
  if [[ $suite = sid ]]; then
    sources+=("deb $mirror experimental main")
    printf 'Package: postgresql*-%s libpq5 libpq-dev\nPin: release a=experimental\nPin-Priority: 900\n' \
      "$major" >"$preferences"
    # The quotes are for the shell that mmdebstrap runs the hook with.
    # shellcheck disable=SC2016
    options+=("--setup-hook=mkdir -p \"\$1/etc/apt/preferences.d\" && cp '$preferences' \"\$1/etc/apt/preferences.d/experimental\"")
  fi
  mmdebstrap --mode=root --variant=apt "${options[@]}" \
    --include="${packages// /,}" \
    "$suite" "$folder" "${sources[@]}"
}

# Mounts and processes of its own: all gone when the tests end, however they do.
run_in_root() {
  local major=$1 folder=$2
  copy_source "$root" "$folder/bloomsketch"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    mount -t tmpfs tmpfs "$1/dev/shm" 2>/dev/null
    exec chroot "$1" env PG_MAJOR="$2" KINDS="$3" PG_TEST_EXTRA="$4" /bloomsketch/scripts/test.sh' \
    matrix "$folder" "$major" "${KINDS:-}" "$([[ $major != 17 ]] || echo upgrade)"
}

# test_major MAJOR: adds to the sums.
test_major() {
  local major=$1 folder=${MATRIX_ROOTS:-$work}/bloomsketch-root-$1 log=$work/log-$1 counts
  printf '\nPostgreSQL %s\n' "$major"
  if [[ ! -e $folder/complete ]]; then
    rm -rf "$folder"
    if ! make_root "$major" "$folder" >"$log" 2>&1; then
      grep -E '^E: ' "$log" | head -n 5
      printf 'no root could be made for PostgreSQL %s\n' "$major"
      return
    fi
    touch "$folder/complete"
  fi
  run_in_root "$major" "$folder" 2>&1 | tee "$log" || true
  if ! counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1) || [[ -z $counts ]]; then
    failed=$((failed + 1))
    return
  fi
  ran="$ran $major"
  passed=$((passed + ${counts%% *}))
  counts=${counts#*, }
  failed=$((failed + ${counts%% *}))
  [[ -n ${MATRIX_ROOTS:-} ]] || rm -rf "$folder"
}

if [[ $EUID -ne 0 ]]; then
  echo 'the matrix makes root folders and enters them: run it as root' >&2
  exit 1
fi
"$root/scripts/packages.sh" mmdebstrap
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "${MATRIX_ROOTS:-$work}"

for major in ${MAJORS:-$known_majors}; do
  test_major "$major"
done

printf '\nPostgreSQL majors that ran:%s\n' "${ran:- none}"
printf '%s passed, %s failed\n' "$passed" "$failed"
[[ $failed -eq 0 && -n $ran ]]
