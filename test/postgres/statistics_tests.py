"""The log's views against pg_stat_statements: the same ids, counts and times, whichever of the two is loaded first."""

import contextlib
import itertools
import json

import wire
from cluster import Cluster
from log_checks import check, check_complete

SETUP = """create extension pg_stat_statements; create table t(i int, s text); create procedure pr(n int) language sql as 'select 1';
insert into t select g, repeat('x', 100) from generate_series(1, 5000) g; create table zero(i int); insert into zero values (0);
create function fires() returns trigger language plpgsql as $$ begin perform pg_sleep(0.01); return null; end $$;
create table fired(i int); create trigger after_it after insert on fired for each row execute function fires();"""

WORK = """select 1; select 2; select count(*) from t where i > 7; select count(*) from t where i > 8; insert into t values (1); insert into t values (2), (3);
update t set s = 'y' where i < 100; delete from t where i = 3; select * from t order by s, i limit 3; set work_mem = '64kB'; select s, i from t order by s, i;
call pr(1); call pr(2); begin; savepoint a; select pg_sleep(0.05); rollback to a; commit; prepare p(int) as select $1 + 1; execute p(1); execute p(2); deallocate p;
explain select count(*) from t; begin; declare k cursor for select i from t; fetch 3 from k; close k; commit; copy t to '/dev/null';
do $$ begin perform count(*) from t; end $$; create table u as select i from t; create index on t(i); vacuum t; truncate u; select 1/i from zero; insert into fired values (1);
select 1/i from zero; create materialized view m as select i from t; refresh materialized view m; values (1), (2); with w as (delete from t where i = 9 returning i) select * from w;
merge into t using (values (1)) v(i) on t.i = v.i when matched then update set s = 'z'; table zero; create temp table x(v varchar(10)); drop table x; lock table t; show work_mem;"""

PREPARED = ("call pr(7)", "set enable_hashjoin = on", "begin", "commit", "show enable_hashjoin", "select count(*) from t where i < $1", "insert into t values ($1)")

FACTS = ("calls", "rows", "exec", "plan", "hit", "read", "temp", "wal")
MEASURED = """select json_agg(json_build_object('id', queryid::text, 'query', query, 'calls', calls, 'rows', rows, 'exec', total_exec_time, 'plan', total_plan_time,
'hit', shared_blks_hit, 'read', shared_blks_read, 'temp', temp_blks_written, 'wal', wal_bytes::bigint)) from pg_stat_statements where query not like '%pg_stat_statements%' and query not like '%steno.%';"""
LOGGED = """select json_agg(json_build_object('id', query_id::text, 'query', query, 'command', command, 'calls', calls - errors, 'rows', rows, 'exec', total_ms, 'plan', planning_ms,
'hit', shared_hit, 'read', shared_read, 'temp', temp_written, 'wal', wal_bytes)) from steno.statements('%s') where coalesce(query, '') not like '%%steno.%%' and coalesce(query, '') not like '%%pg_stat_statements%%';"""


@contextlib.contextmanager
def both(servers, steno_first, settings=None):
    """A server with both; steno_first: its library is loaded before the other's."""
    with servers.made({"pg_stat_statements.save": "off", **(settings or {})}) as c:
        libraries = [c.library[:-3], "pg_stat_statements"]
        c.set({"shared_preload_libraries": "'%s'" % ",".join(libraries if steno_first else libraries[::-1])})
        c.start()
        c.create_extension()
        c.sql(SETUP)
        yield c
        c.stop()
        check_complete(c)


def test_statistics(servers):
    """Ids, calls, rows, times, blocks and WAL of each statement, in both orders of loading."""
    if servers.installed.lacks("pg_stat_statements"):
        return
    for steno_first, planning in itertools.product((True, False), (True, False)):
        with both(servers, steno_first, {"pg_stat_statements.track_planning": "on" if planning else "off"}) as c:
            since = c.sql("select pg_stat_statements_reset() is null; select clock_timestamp();")[-1]
            c.sql(WORK, check=False)
            w = wire.Wire(c)
            w.ask(*[wire.parse(text, "s%d" % i, (23,) if "$1" in text else ()) for i, text in enumerate(PREPARED)])
            for _ in range(3):
                for i, text in enumerate(PREPARED):
                    w.ask(wire.bind(*["5"] if "$1" in text else [], name="s%d" % i), wire.execute())
            w.close()
            measured = {row["id"]: row for row in json.loads("".join(c.sql(MEASURED)))}
            logged = {}

            def complete():
                logged.update((row["id"], row) for row in json.loads("".join(c.sql(LOGGED % since))))
                return sum(row["calls"] for row in logged.values()) >= sum(row["calls"] for row in measured.values()) and not set(measured) - set(logged)

            with contextlib.suppress(AssertionError):
                Cluster.wait_for(complete, "statements", 20)
            missing = [row["query"] for id, row in measured.items() if id not in logged]
            check(not missing, "steno first:", steno_first, "ids of pg_stat_statements that the log has not:", missing)
            more = [row for id, row in logged.items() if id not in measured]
            # It leaves them to what they prepare.
            check(all(row["command"] in ("PREPARE", "DEALLOCATE") or row["calls"] == 0 for row in more), steno_first, more)
            prepared = 0
            for id, ours in logged.items():
                if id not in measured:
                    continue
                theirs = measured[id]
                is_command = ours["command"] not in ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE")
                if is_command and theirs["calls"] < ours["calls"]:
                    prepared += 1  # of a command that is prepared it counts the first execution only
                    check(ours["calls"] == theirs["calls"] + 2, steno_first, ours, theirs)
                    continue
                check(ours["calls"] == theirs["calls"] and ours["rows"] == theirs["rows"], steno_first, ours, theirs)
                # One of them measures within the other. Of a plan PostgreSQL itself measures for pg_stat_statements.
                outer, inner = (theirs, ours) if steno_first and is_command else (ours, theirs)
                slack = 1e-5 * ours["calls"]
                check(outer["exec"] >= inner["exec"] - slack or ours["command"] == "SELECT" and "1/" in ours["query"], steno_first, ours, theirs)
                if "pg_sleep" in ours["query"]:
                    check(50 <= theirs["exec"] <= ours["exec"] <= theirs["exec"] + 20, ours, theirs)
                outer, inner = (theirs, ours) if steno_first else (ours, theirs)
                check(is_command or not planning or outer["plan"] >= inner["plan"] - slack, steno_first, ours, theirs)
                # A COMMIT's work is not within its command, and with times of planning it counts the blocks of that too.
                if ours["command"] != "COMMIT" and not planning:
                    check([ours[name] for name in FACTS[4:]] == [theirs[name] for name in FACTS[4:]], steno_first, ours, theirs)
            check(len(measured) > 35 and prepared >= 4, len(measured), prepared)


def test_nested_times(servers):
    """The views' times add up to what clients waited for: statements within functions are not counted beside those."""
    with servers.started({"steno.log_nested": "on"}) as c:
        c.create_extension()
        c.sql("create function slowly() returns int language plpgsql as $$ begin perform pg_sleep(0.2); return 1; end $$;")
        since = c.sql("select clock_timestamp();")[0]
        c.sql("select slowly(); do $$ begin perform slowly(); end $$; begin; declare k cursor for select slowly(); fetch 1 from k; commit;")
        time = "'%s', '%s'" % (since, c.sql("select clock_timestamp();")[0])
        Cluster.wait_for(lambda: int(c.sql("select count(*) from steno.log(%s) where duration >= 200000000;" % time)[0]) >= 8, "records of statements")
        clients, every = c.sql("select sum(duration) filter (where nesting = 0), sum(duration) from steno.log(%s);" % time)[0].split("|")
        check(600_000_000 <= int(clients) and int(every) >= 1_600_000_000, clients, every)
        for view in ("statements", "statement_times", "sessions"):
            check(c.sql("select (sum(total_ms) * 1e6)::bigint from steno.%s(%s);" % (view, time)) == [clients], view, "of", clients)
        check(c.sql("select sum(duration) from steno.statement_totals(%s, null, true);" % time) == [every], "nested ones too")
