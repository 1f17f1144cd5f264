#!/usr/bin/env bash
# Shows what the extension is for, in a private throw-away PostgreSQL (see
# private.sh): counts the distinct visitors of two busy days exactly and with
# sketches, checks e-mail addresses with an index and with a filter, says how often
# books were viewed, and which paths of a web server were requested most. With KEEP=1
# the server goes on, to be played with.
set -euo pipefail

# shellcheck source=scripts/private.sh
source "$(dirname "${BASH_SOURCE[0]}")/private.sh"

demo_packages() {
  local packages="$root/scripts/packages.sh"
  "$packages" g++ make libxxhash-dev
  choose_major
  "$packages" "postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR"
}

# The settings help the exact count, which is what the sketches are compared with:
# memory for its sort, and no compilation of the query.
demo_server() {
  server_start "work_mem = '256MB'" "shared_buffers = '256MB'" "jit = off" \
    "wal_level = minimal" "max_wal_senders = 0"
}

run_demo() {
  as_user "$private/bin/psql" -X -q -P pager=off -v ON_ERROR_STOP=1 -f "$source/scripts/demo.sql" \
    -f "$source/scripts/demo_filter.sql" -f "$source/scripts/demo_frequency.sql" \
    -f "$source/scripts/demo_log.sql"
}

# The server is left to the caller: nothing ends it with this script.
keep_server() {
  local stop="$private/bin/pg_ctl -D $PGDATA -m fast stop && rm -rf $work"
  trap - EXIT
  if [[ $EUID -eq 0 ]]; then stop="runuser -u postgres -- $stop"; fi
  cat <<TEXT

The server goes on, with the tables above and the extension in them. To connect:

  $private/bin/psql -h $PGHOST -p $PGPORT -U $PGUSER $PGDATABASE

To stop it and remove all of it:

  $stop
TEXT
}

end_server() {
  server_stop
  printf '\nNothing is left of this: server, data and extension were temporary.\n'
}

where_next() {
  cat <<'TEXT'

  README.md           what the extension does, and more examples
  docs/               reference
  make test           run every test, again without touching your PostgreSQL
  make && sudo make install
                      install it for good; then, in a database of yours,
                      CREATE EXTENSION bloomsketch;
TEXT
}

clean_environment
demo_packages
private_begin
private_build
demo_server
run_demo
if [[ ${KEEP:-0} = 1 ]]; then keep_server; else end_server; fi
where_next
