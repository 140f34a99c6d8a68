"""The log in SQL."""

import time

from cluster import Cluster
from log_checks import check, check_complete, statements

READER_IS_LOADED = "select pg_read_file('/proc/self/maps') like '%libsteno_reader%';"


def test_sql_library(servers):
    """A session loads the reader at its first function that reads. Where steno is not preloaded, a setting is not believed."""
    with servers.started() as c:
        c.create_extension()
        check(c.sql(READER_IS_LOADED + "select count(*) >= 0 from steno.log;" + READER_IS_LOADED) == ["f", "t", "t"], "loading")
    with servers.made({"shared_preload_libraries": "''"}) as c:
        c.start()
        c.create_extension()
        refused = c.run(c.bin + "/psql", "-X", "-q", stdin="set steno.path = '/dev/zero'; select * from steno.log;", check=False).stderr
        check('there is no setting "steno.path"' in refused, refused)
        c.stop()


def test_sql(servers):
    """The log in SQL: rows, views, and who may see them."""
    with servers.started() as c:
        c.create_extension()

        # A query sees the records that a scribe has written.
        def comes(text, expected):
            Cluster.wait_for(lambda: c.sql(text, check=False) == expected, "%s from %s" % (expected, text))

        comes("select count(*) from steno.log(condition => 'duration < 0');", ["0"])
        c.sql("create table t(i int); insert into t select generate_series(1, 100);" + "select count(*) from t where i > 7;" * 9 +
              "select 1/(i-5) from t;", check=False)
        c.sql("create role watcher login; create role reader login; grant pg_monitor to watcher; grant pg_read_server_files to reader;")
        comes("select count(*) from steno.log() where command = 'GRANT ROLE';", ["2"])
        comes("select calls, query, rows, p50_ms <= p99_ms and p99_ms <= max_ms, total_ms > 0 from steno.statements "
              "where query like '%from t where%' and calls > 1;", ["9|select count(*) from t where i > $1|9|t|t"])
        comes("select sqlstate, message, severity, \"user\", backend_type from steno.errors;",
              ["22012|division by zero|ERROR|tester|client backend"])
        comes("select command, sqlstate, rows, text, pid > 0, application, time > now() - interval '1 hour', time <= now() "
              "from steno.log(condition => 'sqlstate != \"00000\"');",
              ["SELECT|22012|0|select 1/(i-5) from t|t|psql|t|t"])
        # Parameters have the types that they had.
        c.run(c.bin + "/psql", "-X", "-q", stdin="prepare p(int, text, float8, timestamptz) as select $1, $2, $3, $4;"
              "execute p(41, 'x', 0.5, '2026-01-02 03:04:05+00'); execute p(42, null, 2.25, '2026-01-02 03:04:06+00');")
        comes("select p1, p2, p3, p4, p5, parameters from steno.log(condition => 'p1 > 40') order by time;",
              ["41|x|0.5|2026-01-02 03:04:05+00||", "42||2.25|2026-01-02 03:04:06+00||"])
        comes("select sum(p1), max(p3), max(p4) - min(p4), count(p2) from steno.rows('{command} {query_id}: {rows} rows in', null, null, 'p3 > 0', null) "
              "as r (p1 bigint, p2 text, p3 float8, p4 timestamptz, \"user\" text);", ["83|2.25|00:00:01|1"])
        c.sql("set application_name = 'counted'; select 1; select 1/0; select g from generate_series(1, 5) g;", check=False)
        comes("select statements, errors, rows, total_ms > 0, first_statement < last_statement, \"user\", backend_type from steno.sessions "
              "where application = 'counted';", ["4|1|6|t|t|tester|client backend"])
        check(c.sql("select count(*) from steno.log(since => now() + interval '1 hour');") == ["0"], "since")
        # A query sees what waits in rings, too, whatever was asked before in the same transaction.
        c.sql("do $$ begin for i in 1..20 loop raise log 'round %', i; "
              "if (select count(*) from steno.messages where message like 'round %') <> i then raise 'round % is not seen', i; end if; end loop; end $$;")
        # Records that are written during a transaction are there for its next query.
        c.sql("listen later; do $$ begin for i in 1..6000 loop if exists (select from steno.log(condition => 'command == \"LISTEN\"')) then return; end if; "
              "perform pg_sleep(0.01); end loop; raise 'not seen'; end $$;")
        check(int(c.sql("select count(*) from steno.log(until => now());")[0]) > 10, "until")
        check(c.sql("select count(*) >= 0 from steno.slow;") == ["t"] and c.sql("select count(*) >= 0 from steno.verify();") == ["t"], "views")
        # The number of records is that of the command.
        c.stop()
        there = len(statements(c))
        before = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(time.time() + 1))
        time.sleep(1)
        c.start()
        comes("select count(*) from steno.log(until => '%s');" % before, [str(there)])

        def refused(role, text):
            done = c.run(c.bin + "/psql", "-X", "-A", "-t", "-q", "-U", role, "-c", text, check=False)
            return done.stderr.strip() if done.returncode != 0 else ""

        for text in ("select query_id from steno.statement_times()", "select pid from steno.sessions"):
            check(refused("watcher", text) == "", "a monitor sees times", refused("watcher", text))
        for text in ("select * from steno.log()", "select * from steno.statements", "select * from steno.errors",
                     "select * from steno.sessions(null, null, 'log/postgresql.steno')", "select * from steno.statement_times(null, null, 'log/postgresql.steno')",
                     "select * from steno.rows('query', null, null, null, '/etc/passwd') as (a text)"):
            check("permission denied" in refused("watcher", text), text)
            check("permission denied" not in refused("reader", text), text, refused("reader", text))
        for text, why in (("select * from steno.log(path => '/no/such')", "could not read the log: /no/such"),
                          ("select * from steno.log(condition => 'x ==')", "could not read the log"),
                          ("select * from steno.log(path => '/etc/passwd')", "could not read the log"),
                          ("select * from steno.rows('query {query_id}:', null, null, null, null) as (query bigint, backend_type text)", "another type")):
            done = c.run(c.bin + "/psql", "-X", "-c", text, check=False)
            check(why in done.stderr, text, done.stderr)
        check(c.sql("select 1;") == ["1"], "the server is gone")
