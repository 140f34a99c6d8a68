#!/usr/bin/env bash
# PostgreSQL 15.20 (Debian 12, postgresql-15 15.20-0+deb12u1), seen 2026-11-28; 17.12 and 18.6 likewise.
# One would guess: a SET, BEGIN or CALL that a driver has prepared once and executes 50 times has 50 calls in
#   pg_stat_statements, as a SELECT has.
# What happens: it has 1. pg_stat_statements takes the query id from a command before it runs, so that nothing within it
#   counts twice; a prepared one keeps its plan, without an id from then on. Parsed anew each time (the simple protocol,
#   or Parse before each Bind) it has 50.
# Why it matters here: steno counts each execution, so that its views have more calls than pg_stat_statements for what
#   drivers prepare (test/postgres/statistics_tests.py), and computes the id again where it was taken.
# Prints the calls by each protocol; exits with 1 if they are others.
set -euo pipefail
work=$(mktemp -d)
as=()
if ((EUID == 0)); then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
stop() {
  [[ ! -f data/postmaster.pid ]] || "${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >"$work/log" 2>&1 || true
  rm -rf "$work"
}
trap stop EXIT
cd "$work"
for package in postgresql-15=15.20-0+deb12u1 postgresql-client-15=15.20-0+deb12u1; do
  apt-get -q -o APT::Sandbox::User=root download "$package" >log 2>&1 || { cat log; exit 2; }
done
for package in *.deb; do dpkg-deb -x "$package" package; done
chmod -R a+rX .
if ((EUID == 0)); then chown 65534:65534 "$work"; fi
bin=$work/package/usr/lib/postgresql/15/bin
export PGHOST=$work PGDATABASE=postgres PGUSER=tester HOME=$work LC_ALL=C
"${as[@]}" "$bin/initdb" -D "$work/data" -U tester -A trust -N >log
"${as[@]}" "$bin/pg_ctl" -D "$work/data" -w -l "$work/messages" -o "-c listen_addresses= -k $work -c shared_preload_libraries=pg_stat_statements" start >log
"${as[@]}" "$bin/psql" -X -q -c "create extension pg_stat_statements" -c "create procedure nothing() language sql as 'select 1'"
printf 'call nothing();\nset work_mem = 4096;\nselect 1 as selected;\n' >commands.sql
chmod a+r commands.sql
status=0
"$bin/postgres" --version
for protocol in simple extended prepared; do
  "${as[@]}" "$bin/psql" -X -q -A -t -c "select from pg_stat_statements_reset()" >log
  "${as[@]}" "$bin/pgbench" -n -M $protocol -t 50 -f commands.sql >log 2>&1
  calls=$("${as[@]}" "$bin/psql" -X -q -A -t -c "select string_agg(split_part(query, ' ', 1) || ' ' || calls, ', ' order by query) from pg_stat_statements
    where query like 'call nothing%' or query like 'set work_mem%' or query like '%as selected'")
  echo "  50 times by the $protocol protocol: $calls"
  commands=$([[ $protocol == prepared ]] && echo 1 || echo 50)
  [[ $calls == "call $commands, select 50, set $commands" ]] || status=1
done
exit $status
