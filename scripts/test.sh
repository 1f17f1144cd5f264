#!/usr/bin/env bash
# Runs every test in a private PostgreSQL (see private.sh): unit tests, SQL tests
# and TAP tests. A kind that fails does not keep the next one from running. The
# last line says how many passed and failed; the exit status is 0 only if none
# failed and each kind ran at least one.
#
#   KINDS="regress tap"   only these kinds, out of: unit regress tap
set -euo pipefail

# shellcheck source=scripts/private.sh
source "$(dirname "${BASH_SOURCE[0]}")/private.sh"

kinds=${KINDS:-unit regress tap}
total_passed=0
total_failed=0

test_packages() {
  local packages="$root/scripts/packages.sh"
  "$packages" g++ make libxxhash-dev libgtest-dev libipc-run-perl python3-xxhash
  choose_major
  if [[ -n ${SERVER_PREFIX:-} ]]; then return; fi
  "$packages" "postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR"
  # Another extension with a type named hll, for the tests that live beside it.
  if [[ $PG_MAJOR -eq 15 ]] || is_available "postgresql-$PG_MAJOR-hll"; then
    "$packages" "postgresql-$PG_MAJOR-hll"
  fi
}

# test_kind WHAT KIND COMMAND...: KIND_counts reads the log on stdin and prints the
# numbers that passed and failed; KIND_details prints what helps after a failure.
test_kind() {
  local what=$1 kind=$2 log=$work/logs/$2.log passed failed
  shift 2
  [[ " $kinds " = *" $kind "* ]] || return 0
  step_begin "$what"
  run_logged "$log" "$@"
  read -r passed failed < <("${kind}_counts" <"$log")
  # A crash, say, fails without any test that says so.
  if [[ $job_status -ne 0 && $failed -eq 0 ]]; then failed=1; fi
  if [[ $((passed + failed)) -eq 0 ]]; then
    failed=1
    step_end "NO TEST RAN"
  else
    step_end "$passed passed, $failed failed"
  fi
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
  if [[ $failed -gt 0 ]]; then show "$kind" "$log"; fi
}

show() {
  printf -- '---- %s\n' "$1"
  "$1_details" "$2" || true
  printf -- '----\n'
}

# GoogleTest, once per program: "[  PASSED  ] 3 tests." and, if there are any,
# "[  FAILED  ] 1 test, listed below:".
unit_counts() {
  awk '/^\[  PASSED  \] [0-9]+ tests?\./ { passed += $4 }
       /^\[  FAILED  \] [0-9]+ tests?, listed below/ { failed += $4 }
       END { print passed + 0, failed + 0 }'
}

unit_details() {
  grep -v '^\[ RUN      \]\|^\[       OK \]' "$1" | tail -n 200
}

# pg_regress, before 16: "test hll ... ok 12 ms" or "... FAILED"; in a parallel group
# without "test". Since 16: "ok 1 - hll 12 ms" or "not ok 1 - hll", + in a group.
regress_counts() {
  awk '/^(test|  ) .*\.\.\. ok( |$)/ || /^ok +[0-9]+ +[-+] / { passed++ }
       /^(test|  ) .*\.\.\. FAILED( |$)/ || /^not ok +[0-9]+ +[-+] / { failed++ }
       END { print passed + 0, failed + 0 }'
}

regress_details() {
  if [[ -s $source/regression.diffs ]]; then
    tail -n 200 "$source/regression.diffs"
  else
    tail -n 60 "$1"
  fi
  echo "---- server log"
  grep -E 'PANIC|FATAL|TRAP|terminated by signal' "$work/data/server.log" | tail -n 20 || true
}

# prove: "Files=2, Tests=30, ..." and, for each program that failed,
# "test/tap/plans.pl (Wstat: 512 (exited 2) Tests: 29 Failed: 2)". A program that dies
# may leave no failed test: it counts as one.
tap_counts() {
  awk '/\(Wstat: .*Tests: [0-9]+ Failed: [0-9]+\)$/ {
         failed += $NF
         unexplained = ($NF + 0 == 0)
       }
       /^  (Non-zero|Parse errors)/ && unexplained { died++; unexplained = 0 }
       /^Files=[0-9]+, Tests=[0-9]+/ { split($2, part, /[=,]/); tests = part[2] }
       END { print (tests > failed ? tests - failed : 0), failed + died }'
}

# The logs of the programs that failed, then what prove said.
tap_details() {
  local program file
  while read -r program; do
    for file in "$source"/tmp_check/log/{"regress_log_$program","${program}_"*}; do
      [[ -f $file ]] || continue
      printf -- '---- %s\n' "$(basename "$file")"
      tail -n 30 "$file"
    done
  done < <(sed -n 's|^\([^ ]*/\)\{0,1\}\([^ /]*\)\.pl *(Wstat: .*|\2|p' "$1")
  echo "---- prove"
  tail -n 100 "$1"
}

check_kinds() {
  local kind
  for kind in $kinds; do
    [[ $kind =~ ^(unit|regress|tap)$ ]] || die "there is no kind \"$kind\" of test"
  done
}

clean_environment
check_kinds
test_packages
private_begin
if [[ -z ${SERVER_PREFIX:-} && $kinds = *tap* ]]; then
  for major in $(other_majors); do
    step "building for PostgreSQL $major" private_build_beside "$major"
  done
fi
private_build
test_kind "unit tests" unit private_make -j"$(nproc)" --output-sync unit
# shellcheck disable=SC2119  # no settings of its own
server_start
# Two calls, because a failure in the first half would keep make from the second.
test_kind "SQL tests" regress private_make installcheck TAP_TESTS=
# The programs side by side: what one measures is its server's processor time.
test_kind "TAP tests" tap private_make installcheck REGRESS= ISOLATION= PROVE_FLAGS="--jobs=$(nproc)"
server_stop

printf '%s passed, %s failed\n' "$total_passed" "$total_failed"
[[ $total_failed -eq 0 && $total_passed -gt 0 ]]
