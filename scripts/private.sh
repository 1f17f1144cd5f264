# shellcheck shell=bash
# Sourced by test.sh and demo.sh. Gives them a private PostgreSQL: a copy of the
# installed one in a temporary folder, into which this source tree is built and
# installed, with throw-away servers. The installed PostgreSQL and its clusters
# are only read, so neither rights nor a running server are needed, and any
# number of runs may go on side by side.
#
#   PG_MAJOR=16   use this PostgreSQL instead of the one that is found
#   SERVER_PREFIX=DIR  use the PostgreSQL installed there as it is, which is the
#                 run's own: no copy of it is made
#   KEEP=1        keep the temporary folder
#   VERBOSE=1     show the output of every step

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=    # the temporary folder, once private_begin has made it
job=     # the process group of the step that runs now

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Whatever the caller has set for its own servers, make or git would change what
# is tested, or even where a statement goes.
clean_environment() {
  local name
  while read -r name; do
    case $name in
      PG_MAJOR | PG_TEST_*) ;;
      PG* | LC_* | LANG | LANGUAGE | GIT_* | CDPATH | MAKE* | MFLAGS | GNUMAKEFLAGS | DESTDIR) unset "$name" ;;
    esac
  done < <(compgen -e)
  export LC_ALL=C.UTF-8
  umask 022
}

# ---------------------------------------------------------------------------
# Steps

# One line a step: what runs, what came out, how long it took.
step_begin() {
  step_started=$EPOCHREALTIME
  printf '%-46s' "$1 ..."
  if [[ ${VERBOSE:-0} = 1 ]]; then echo; fi
}

step_end() {
  printf '%s(%s s)\n' "${1:+$1  }" "$(seconds_since "$step_started")"
}

seconds_since() {
  awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'
}

# run_logged LOG COMMAND...: sets job_status. A process group of its own, so that a
# signal to this script can end all of it; in the background, so that bash heeds
# the signal at once and not when the command has ended. Not to be called in a
# condition: there bash would go on after an error inside COMMAND.
run_logged() {
  local log=$1
  shift
  job_status=0
  set -m
  if [[ ${VERBOSE:-0} = 1 ]]; then
    { "$@" 2>&1 | tee "$log"; } </dev/null &
  else
    "$@" >"$log" 2>&1 </dev/null &
  fi
  job=$!
  set +m
  wait "$job" || job_status=$?
  job=
}

# step WHAT COMMAND...: a step that must succeed.
step() {
  local log=$work/logs/step.log
  step_begin "$1"
  shift
  run_logged "$log" "$@"
  if [[ $job_status -ne 0 ]]; then
    step_end FAILED
    tail -n 60 "$log" >&2
    exit 1
  fi
  step_end
}

# ---------------------------------------------------------------------------
# Which PostgreSQL

is_installed() {
  [[ -x /usr/lib/postgresql/$1/bin/postgres && -e /usr/include/postgresql/$1/server/postgres.h ]]
}

# 15 unless this system has another one, or its packages offer another one only.
choose_major() {
  local major
  if [[ -n ${SERVER_PREFIX:-} ]]; then
    PG_MAJOR=$("$SERVER_PREFIX/bin/pg_config" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
    return
  fi
  if [[ -n ${PG_MAJOR:-} ]]; then
    [[ $PG_MAJOR =~ ^[0-9]{2}$ && $PG_MAJOR -ge 15 ]] ||
      die "PG_MAJOR must be 15 or later, not \"$PG_MAJOR\""
    return
  fi
  for major in {15..30}; do
    if is_installed "$major"; then PG_MAJOR=$major; return; fi
  done
  PG_MAJOR=15
  if ! is_available postgresql-15; then
    for major in {16..30}; do
      if is_available "postgresql-server-dev-$major"; then PG_MAJOR=$major; fi
    done
  fi
}

# Whether apt knows the package. Never true while it has no lists at all.
is_available() {
  [[ -n $(apt-cache --quiet=0 policy "$1" 2>/dev/null | sed -n 's/^  Candidate: [0-9]/&/p') ]]
}

# ---------------------------------------------------------------------------
# The temporary folder

# initdb refuses root, so root hands over to the postgres user, which the
# packages have made. The home folder is private too: no .psqlrc, no .pgpass.
as_user() {
  local user=()
  if [[ $EUID -eq 0 ]]; then user=(runuser -u postgres --); fi
  "${user[@]}" env HOME="$work/home" TMPDIR="$work/tmp" PATH="$private/bin:$PATH" \
    BLOOMSKETCH_PRIVATE=1 "$@"
}

# Make cannot cope with blanks in a path, a socket's path must stay under 107
# bytes, and the user that runs the server has to get in.
temporary_root() {
  local folder=${TMPDIR:-/tmp} user=()
  if [[ $EUID -eq 0 ]]; then user=(runuser -u postgres --); fi
  if [[ $folder =~ ^/[A-Za-z0-9_./-]{1,40}$ ]] && "${user[@]}" test -x "$folder"; then
    printf '%s\n' "$folder"
  else
    echo /tmp
  fi
}

private_begin() {
  trap private_end EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  work=$(mktemp -d "$(temporary_root)/bloomsketch.XXXXXX")
  prefix=$work/postgresql
  private=${SERVER_PREFIX:-$prefix/lib/postgresql/$PG_MAJOR}
  source=$work/source
  mkdir "$work"/{logs,source,postgresql,data,socket,home,tmp}
  # Closed to everybody else: whoever reaches the socket is superuser there.
  if [[ $EUID -eq 0 ]]; then
    chgrp postgres "$work"
    chmod 750 "$work"
    chown postgres: "$work"/{source,postgresql,data,socket,home,tmp}
  fi
  if [[ ${KEEP:-0} = 1 ]]; then printf 'keeping everything in %s\n' "$work"; fi
  # The caller's folder may be closed to the user that does the work.
  cd "$work" || exit
}

private_end() {
  local status=$?
  trap '' INT TERM HUP
  if [[ -n $job ]]; then end_job; fi
  if [[ -n $work ]]; then
    stop_all_servers
    [[ ${KEEP:-0} = 1 ]] || rm -rf "$work"
  fi
  exit "$status"
}

# The whole group, which may need a moment to clean up: wait for it, then insist.
end_job() {
  local tenths=0
  kill -TERM -- "-$job" 2>/dev/null || return 0
  while kill -0 -- "-$job" 2>/dev/null && [[ $tenths -lt 50 ]]; do
    sleep 0.1
    tenths=$((tenths + 1))
  done
  kill -KILL -- "-$job" 2>/dev/null || true
}

# ---------------------------------------------------------------------------
# Source and PostgreSQL, copied

# What git knows and does not ignore. Git refuses a tree of another owner, and a
# release archive has no git: then everything but what a build makes.
copy_source() {
  local list=$work/logs/files
  list_with_git >"$list"
  grep -qzx Makefile "$list" || list_without_git >"$list"
  tar -C "$root" --null --no-recursion -T "$list" -cf - | as_user tar -C "$source" -xf -
}

list_with_git() {
  local file
  { git -C "$root" ls-files -z --cached --others --exclude-standard 2>/dev/null || true; } |
    while IFS= read -r -d '' file; do
      # A file that was deleted and not yet committed is still listed.
      if [[ -e $root/$file || -L $root/$file ]]; then printf '%s\0' "$file"; fi
    done
}

list_without_git() {
  (cd "$root" && find . \
    \( -name .git -o -path ./build -o -path ./results -o -path ./tmp_check \) -prune -o \
    ! -type d ! -name '*.o' ! -name '*.so' ! -name '*.bc' ! -name '*.d' ! -name 'regression.*' -print0)
}

# PostgreSQL finds its files relative to where its programs really are: programs
# that are copied into the same layout elsewhere use what lies around them there.
# Links do for the rest. The folders that an extension is installed into must be
# real ones.
copy_postgresql() {
  local lib=lib/postgresql/$PG_MAJOR share=share/postgresql/$PG_MAJOR
  as_user mkdir -p "$prefix/$lib" "$prefix/include"
  as_user cp -r --preserve=mode,timestamps,links "/usr/$lib/bin" "$prefix/$lib/"
  "$private/bin/postgres" --version ||
    die "programs cannot run in $work (mounted noexec?); set TMPDIR to another folder"
  link_folder "$lib/lib" bitcode
  link_folder "$share" extension
  as_user ln -sfn /usr/include/postgresql "$prefix/include/postgresql"
  # Links to an installed bloomsketch: install would write through them, and its
  # versions could be mistaken for ours.
  as_user find "$prefix/$lib" "$prefix/$share" -name 'bloomsketch*' -delete
  # Empty: programs are linked with the system's libraries.
  as_user mkdir -p "$("$private/bin/pg_config" --libdir)"
  check_postgresql
}

# link_folder FOLDER SUBFOLDER: both made anew, with links to all that is in them.
link_folder() {
  as_user mkdir -p "$prefix/$1/$2"
  if [[ -d /usr/$1/$2 ]]; then
    as_user find "/usr/$1/$2" -mindepth 1 -maxdepth 1 -exec ln -s -t "$prefix/$1/$2" {} +
  fi
  as_user find "/usr/$1" -mindepth 1 -maxdepth 1 ! -name "$2" -exec ln -s -t "$prefix/$1" {} +
}

# If one path still led into the system, `make install` would go there.
check_postgresql() {
  local what path
  for what in bindir libdir pkglibdir sharedir includedir-server pgxs; do
    path=$("$private/bin/pg_config" "--$what")
    [[ $path = "$prefix"/* && -e $path ]] ||
      die "this PostgreSQL cannot be copied: pg_config --$what says $path"
  done
}

private_make() {
  as_user make -C "$source" --no-print-directory PG_CONFIG="$private/bin/pg_config" "$@"
}

build_and_install() {
  private_make -j"$(nproc)"
  private_make install
}

# Other majors that are installed, to upgrade from or to.
other_majors() {
  local major
  for major in {15..30}; do
    if [[ $major != "$PG_MAJOR" ]] && is_installed "$major"; then echo "$major"; fi
  done
}

# private_build_beside MAJOR: another PostgreSQL with the extension in the same
# tree, before private_build. From sources of its own: objects differ.
private_build_beside() {
  local PG_MAJOR=$1 private=$prefix/lib/postgresql/$1 source=$work/source-$1
  mkdir "$source"
  if [[ $EUID -eq 0 ]]; then chown postgres: "$source"; fi
  copy_source
  copy_postgresql
  build_and_install
}

# Copies, builds and installs. A compiler warning counts as a failure.
private_build() {
  step "copying the sources" copy_source
  [[ -n ${SERVER_PREFIX:-} ]] || step "copying PostgreSQL $PG_MAJOR" copy_postgresql
  step "building and installing bloomsketch" build_and_install
  if grep -n 'warning:' "$work/logs/step.log" >&2; then
    die "the compiler warned, see above"
  fi
}

# ---------------------------------------------------------------------------
# Servers

# server_start [SETTING...]: a server that only this machine can reach, through a
# socket in the temporary folder. It need not survive a crash, hence no fsync.
server_start() {
  export PGHOST=$work/socket PGPORT=5432 PGUSER=postgres PGDATABASE=postgres PGDATA=$work/data/main
  step "starting a private server" server_create "$@"
}

server_create() {
  as_user "$private/bin/initdb" -E UTF8 --locale=C.UTF-8 --no-sync --auth=trust -U "$PGUSER"
  printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$PGHOST'" \
    "port = $PGPORT" "fsync = off" "$@" | as_user tee -a "$PGDATA/postgresql.conf"
  as_user "$private/bin/pg_ctl" -w -t 60 -l "$work/data/server.log" start ||
    { cat "$work/data/server.log"; return 1; }
}

server_stop() {
  step "stopping the server" as_user "$private/bin/pg_ctl" -w -m fast stop
}

# Ends what runs in the temporary folder, a test's own servers included.
stop_all_servers() {
  local file
  while IFS= read -r -d '' file; do
    as_user "$private/bin/pg_ctl" -D "$(dirname "$file")" -m immediate -t 30 stop \
      >/dev/null 2>&1 || true
  done < <(find "$work" -name postmaster.pid -print0)
}
