"""Totals by statement and by session, against SQL that computes the same from rows."""

import os
import random
import subprocess

from cluster import Cluster
from log_checks import check

STATEMENTS = """
  SELECT query_id, command, "user", database, count(*), count(*) FILTER (WHERE sqlstate <> '00000'),
         sum(duration), sum(planning), sum(rows), sum(shared_hit), sum(shared_read), sum(temp_written), sum(wal_bytes),
         min(duration), percentile_disc(0.5) WITHIN GROUP (ORDER BY duration), percentile_disc(0.99) WITHIN GROUP (ORDER BY duration),
         percentile_disc(0.999) WITHIN GROUP (ORDER BY duration), max(duration)
    FROM steno.rows('{command} {query_id}: {rows} rows in', SINCE, UNTIL, NULL, PATH) AS r
         (query_id bigint, command text, "user" text, database text, duration bigint, planning bigint, rows bigint,
          sqlstate text, shared_hit bigint, shared_read bigint, temp_written bigint, wal_bytes bigint, nesting bigint) %s
   GROUP BY query_id, command, "user", database"""
# If records have the same microsecond, either may be the last one.
SESSIONS = """
  SELECT pid, "user", database, client, backend_type, min("time"), max("time"), count(*),
         count(*) FILTER (WHERE sqlstate <> '00000'), sum(duration), sum(rows), sum(wal_bytes)
    FROM steno.rows('{command} {query_id}: {rows} rows in', SINCE, UNTIL, NULL, PATH) AS r
         (session bigint, pid bigint, "user" text, database text, client text, application text, backend_type text,
          "time" timestamptz, duration bigint, rows bigint, sqlstate text, wal_bytes bigint, nesting bigint)
   WHERE nesting = 0
   GROUP BY session, pid, "user", database, client, backend_type"""
LATEST = """
  SELECT DISTINCT s.pid, s."user", s.database, s.client, s.backend_type, s.application
    FROM steno.session_totals(SINCE, UNTIL, PATH) s
   WHERE NOT EXISTS (SELECT FROM steno.log(SINCE, UNTIL, NULL, PATH) l
                      WHERE nesting = 0 AND l.time = s.last_statement AND
                            (s.user, s.database, s.client, s.application) IS NOT DISTINCT FROM (l.user, l.database, l.client, l.application))"""


def write_log(servers, cluster, name, seed, *what):
    path = os.path.join(cluster.directory, name)
    subprocess.run([servers.random_statements, path, str(seed), *map(str, what)], check=True)
    os.chmod(path, 0o644)
    return path


def test_totals(servers):
    """What is computed from columns is what SQL computes from rows, bit by bit."""
    with servers.started() as c:
        c.create_extension()
        c.sql("create database latin encoding 'LATIN1' template template0;")
        c.create_extension("latin")
        seed = random.randrange(2**32)
        random_ = random.Random(seed)
        logs = [write_log(servers, c, "random%d.steno" % i, seed + i, records) for i, records in enumerate(("groups", 0, 1, 1500, 5000))]
        times = c.sql("".join("select array_to_string(array(select time from (select time, row_number() over (order by time) n, count(*) over () from steno.log(path => '%s')) l "
                              "where n in (count / 3, count / 2) order by time), ',');" % path for path in logs))
        asked = []
        for path, found in zip(logs, times):
            bounds = ["null"] + ["'%s'" % time for time in found.split(",") if time]
            for since, until in {("null", "null"), (random_.choice(bounds), random_.choice(bounds)), (bounds[0], bounds[-1])}:
                for totals, oracle in (("select * from steno.statement_totals(SINCE, UNTIL, PATH, true)", STATEMENTS % ""),
                                       ("select * from steno.statement_totals(SINCE, UNTIL, PATH)", STATEMENTS % "WHERE nesting = 0"),
                                       ("select pid, \"user\", database, client, backend_type, first_statement, last_statement, statements, errors, duration, "
                                        "rows, wal_bytes from steno.session_totals(SINCE, UNTIL, PATH)", SESSIONS), (LATEST, "select * from (%s) l where false" % LATEST)):
                    text = "with t as (%s), o as (%s) select (select count(*) from t) - (select count(*) from o), count(*) from (table t except all table o) d;"
                    asked.append((text % (totals, oracle)).replace("SINCE", since).replace("UNTIL", until).replace("PATH", "'%s'" % path))
        for database in ("postgres", "latin"):
            found = c.sql("\n".join(asked), database=database)
            check(len(found) == len(asked), found)
            for text, differences in zip(asked, found):
                check(differences == "0|0", "seed", seed, database, differences, text)
        # There are groups; and the views say the same, in milliseconds.
        check(int(c.sql("select count(*) from steno.statement_totals(null, null, '%s');" % logs[-1])[0]) > 100, "groups")
        Cluster.wait_for(lambda: c.sql("select count(*) > 0 from steno.statement_times();") == ["t"], "statements")
        check(c.sql("select bool_and(total_ms = duration / 1e6 and mean_ms = duration / calls / 1e6 and p99_ms = p99 / 1e6 and min_ms = min / 1e6) from steno.statement_times() "
                    "join steno.statement_totals(null, null, null) using (query_id, command, \"user\", database, calls);") == ["t"], "milliseconds")


def test_hostile(servers):
    """A file of others has columns of any types: what does not fit is an error."""
    both = {"statement_totals", "session_totals"}
    with servers.started() as c:
        c.create_extension()
        for n, (name, failing) in enumerate((("command", {"statement_totals"}), ("query_id", {"statement_totals"}), ("duration", both), ("sqlstate", both),
                                             ("user", both), ("application", {"session_totals"}))):
            path = write_log(servers, c, name + ".steno", 0, "types", n)
            for function in sorted(both):
                done = c.run(c.bin + "/psql", "-X", "-A", "-t", "-q", check=False, stdin="select * from steno.%s(null, null, '%s'); select 'alive';" % (function, path))
                check("alive" in done.stdout.splitlines(), name, function, done.stderr)
                said = 'column "%s" of the log has another type' % name in done.stderr
                check(said == (function in failing), name, function, done.stdout, done.stderr)


def test_bounds(servers):
    """Times that the log cannot have are before or behind all."""
    with servers.started() as c:
        c.create_extension()
        path = write_log(servers, c, "bounds.steno", 1, 200)
        sources = ["steno.statement_totals(%%s, %%s, '%s')" % path, "steno.session_totals(%%s, %%s, '%s')" % path, "steno.log(%%s, %%s, null, '%s')" % path,
                   "steno.rows('rows in', %%s, %%s, null, '%s') as r (\"time\" timestamptz, duration bigint)" % path]
        early = ["'-infinity'", "'0001-01-01'", "'1677-09-21'", "'1600-01-01'"]
        late = ["'infinity'", "'2263-01-01'", "'9999-12-31'", "'294276-01-01'"]
        for source in sources:
            text = "select count(*), md5(string_agg(r::text, ',' order by r::text)) from %s%s;" % (source, "" if " as r " in source else " r")
            bounds = list(zip(early, late)) + [("null", late[0]), (early[0], "null")]
            found = c.sql("".join(text % pair for pair in [("null", "null")] + bounds))
            check(int(found[0].split("|")[0]) > 0 and len(set(found)) == 1, source, found)
            none = [(since, "null") for since in late] + [("null", until) for until in early]
            check(c.sql("".join(text % pair for pair in none)) == ["0|"] * len(none), source)


def test_scans(servers):
    """Scans go over the log once opened, and leave nothing behind where they are cancelled."""
    with servers.started() as c:
        c.create_extension()
        path = write_log(servers, c, "large.steno", 1, 60000)
        check(os.path.getsize(path) > 1 << 20, "larger files keep a descriptor", os.path.getsize(path))
        c.sql("create schema kept; import foreign schema steno from server steno into kept options (path '%s');" % path)
        # Each row of the outer query starts the scan again: the file may have gone.
        c.sql("create function unlink_log() returns bigint language plpgsql as "
              "$$ begin execute 'copy (select 1) to program ''cat > /dev/null; rm -f %s/gone.steno'''; return 0; end $$;" % c.directory)
        os.link(path, c.directory + "/gone.steno")
        c.sql("create schema gone; import foreign schema steno from server steno into gone options (path '%s/gone.steno');" % c.directory)
        expected = c.sql("select (select count(*) from kept.log where nesting < g and sqlstate <> '00000') from generate_series(1, 3) g;")
        check(len(set(expected)) == 2 and expected[1] == expected[2], expected)
        check(c.sql("select (select count(*) from gone.log where nesting < g and sqlstate <> '00000') + unlink_log() from generate_series(1, 3) g;") == expected,
              "a scan that starts again opens the log again")
        check(not os.path.exists(c.directory + "/gone.steno"), "the log is still there")
        # Whatever they were at, nothing is open afterwards.
        queries = ["select count(*) from kept.log where duration < -9e18 and command = 'none'", "select count(*) from steno.statement_totals(null, null, '%s')" % path,
                   "select count(*) from steno.rows('rows in', null, null, 'query_id == 1', '%s') as r (text text)" % path,
                   "select count(*) from kept.log a, lateral (select * from kept.log b where b.rows = a.rows + 1 and b.wal_bytes < 0 offset 0) b"]
        count = "copy (select 1) to program 'cat > /dev/null; ls -l /proc/$PPID/fd | grep -c large.steno >> %s/open || true';\n" % c.directory
        script = "\\set ON_ERROR_STOP off\nbegin; declare k cursor for select * from kept.log; fetch 1 from k; %s rollback; %s" % (count, count)
        for timeout in (1, 20):
            # The timeout ends with a transaction: no statement that resets it runs under it.
            for query in queries:
                script += "begin; set local statement_timeout = '%dms';\n%s;\nrollback;\n" % (timeout, query)
            script += count
        done = c.run(c.bin + "/psql", "-X", "-A", "-t", "-q", stdin=script)
        check(done.stderr.count("canceling statement due to statement timeout") >= 2, "the last of these takes minutes", done.stderr)
        with open(c.directory + "/open") as numbers:
            check(numbers.read().split() == ["1", "0", "0", "0"], "open files")
        # It stays open until the query ends, not the transaction.
        os.unlink(c.directory + "/open")
        c.sql("create function count_open() returns int language plpgsql as $f$ begin execute $c$%s$c$; return 0; end $f$;" % count.rstrip(";\n"))
        reads = ["(select count(*) from %s)" % source
                 for source in ("steno.queries('%s')" % path, "steno.log(path => '%s')" % path, "kept.log", "steno.statement_totals(null, null, '%s')" % path)]
        c.sql("begin; select %s;\n%scommit;" % (", ".join(read + ", count_open()" for read in reads), count))
        with open(c.directory + "/open") as numbers:
            check(numbers.read().split() == ["1", "1", "1", "1", "0"], "open files of a query")
        # Reading steno.statements is part of the query, which opens its log once like those above.
        plan = "\n".join(c.sql("explain (costs off) select * from steno.statements('2000-01-01') union all select * from steno.statements;"))
        check(plan.count("Function Scan on statement_totals") == 2 and plan.count("Function Scan on rows") == 2 and "on statements" not in plan, plan)
