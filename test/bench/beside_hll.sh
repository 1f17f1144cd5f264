#!/usr/bin/env bash
# Measures hll beside postgresql-hll, on the same values and a private server (see
# scripts/private.sh), and writes the table into docs/ACCURACY.md: some minutes.
#
#   RUNS=5   so many of each number of values, for a quick look
set -euo pipefail

# shellcheck source=scripts/private.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/private.sh"

by=test/bench/beside_hll.sh
runs=${RUNS:-100}

measure() {
  as_user "$private/bin/psql" -X -q -P pager=off -v ON_ERROR_STOP=1 -v runs="$runs" -f "$source/test/bench/beside_hll.sql"
}

[[ $runs =~ ^[1-9][0-9]*$ ]] || die "RUNS must be a number of runs, not \"$runs\""
clean_environment
choose_major
"$root/scripts/packages.sh" g++ make libxxhash-dev "postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR" "postgresql-$PG_MAJOR-hll"
private_begin
private_build
# shellcheck disable=SC2119  # no settings of its own
server_start
step "building and counting sketches" measure
cp "$work/logs/step.log" "$work/logs/table.md"
server_stop
awk -v sketch=beside -v by="$by" -f "$root/test/bench/splice.awk" "$work/logs/table.md" "$root/docs/ACCURACY.md" >"$work/logs/ACCURACY.md"
cp "$work/logs/ACCURACY.md" "$root/docs/ACCURACY.md"
cat "$work/logs/table.md"
