"""How long a statement takes as its client sees it, and of what that is made up."""

import os
import time

from cluster import Cluster
from log_checks import check, statements

WAIT = 300_000_000  # ns of each wait


def times(record):
    args = record["args"]
    parts = [args[name] for name in ("parsing", "planning", "duration", "commit")]
    check(args["elapsed"] + 3000 >= sum(parts) if args["nesting"] == 0 else args["elapsed"] >= args["duration"], args)
    return args


def last(c, text):
    found = [r for r in statements(c) if text in r["args"]["text"] or text == r["args"]["command"]]
    check(found, text, "has no record")
    return times(found[-1])


def scripted(c, mode, text):
    """Runs a statement by pgbench, in this protocol."""
    script = os.path.join(c.directory, "script.sql")
    with open(script, "w") as out:
        out.write(text + ";\n")
    os.chmod(script, 0o644)
    return c.popen(c.bin + "/pgbench", "-n", "-M", mode, "-t", "1", "-f", script, stdout=-3, stderr=-3)


def test_elapsed_waits(servers):
    """Waits for a table's lock, planning and the commit count, by every protocol; steno.min_duration and steno.slow go by them."""
    with servers.started({"steno.min_duration": "'200ms'"}) as c:  # of three protocols, in blocks and not, and one that is planned
        c.create_extension()
        c.sql("create table t(i int); create table d(i int);"
              "create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return null; end $$;"
              "create constraint trigger slow after insert on d deferrable initially deferred for each row execute function slowly();"
              "create function planned() returns int language plpgsql immutable as $$ begin perform pg_sleep(0.3); return 1; end $$;")
        for mode in ("simple", "extended", "prepared"):
            for block in (False, True):
                holder = c.popen(c.bin + "/psql", "-X", "-q", stdin=-1, stdout=-3)
                holder.stdin.write("begin; lock table t;\n")
                holder.stdin.flush()
                Cluster.wait_for(lambda: c.sql("select count(*) from pg_locks where relation = 't'::regclass and mode = 'AccessExclusiveLock' and granted;") == ["1"], "lock")
                waiting = scripted(c, mode, ("begin;\n" if block else "") + "select count(*) as %s_%s from t" % (mode, block) + (";\ncommit" if block else ""))
                Cluster.wait_for(lambda: c.sql("select count(*) from pg_locks where relation = 't'::regclass and not granted;") == ["1"], "waiting statement")
                time.sleep(0.3)
                holder.stdin.close()
                check(holder.wait(60) == 0 and waiting.wait(60) == 0, "the statements fail")
                found = [r for r in statements(c) if r["args"]["command"] == "SELECT"]
                check(found, mode, block, "a statement that waited has no record")
                args = times(found[-1])
                check(args["elapsed"] >= WAIT and args["parsing"] >= WAIT and args["elapsed"] - args["duration"] >= WAIT, mode, block, args)
        for mode in ("simple", "extended", "prepared"):
            check(scripted(c, mode, "insert into d values (1)").wait(60) == 0, "INSERT")
            args = last(c, "INSERT")
            check(args["commit"] >= WAIT and args["elapsed"] - args["duration"] >= WAIT, mode, args)
        c.sql("select planned();")
        args = last(c, "SELECT")
        check(args["planning"] >= WAIT and args["elapsed"] >= WAIT, args)
        c.sql("begin; insert into d values (2); commit;")
        args = last(c, "COMMIT")
        check(args["duration"] >= WAIT and args["elapsed"] >= args["duration"], args)
        Cluster.wait_for(lambda: c.sql("select count(*) from steno.slow where command = 'SELECT' and elapsed >= 300000000 and duration < 100000000;") == ["7"],
                         "statements in steno.slow")


def test_elapsed_is_the_servers(servers):
    """The client's own time is in no statement: all together take no longer than the client has waited."""
    with servers.started() as c:
        c.sql("create table t as select generate_series(1, 1000) as i;")
        session = c.popen(c.bin + "/psql", "-X", "-A", "-t", "-q", stdin=-1, stdout=-1)
        waited = 0

        def ask(text):
            begin = time.monotonic_ns()
            session.stdin.write(text + "\n\\echo done\n")
            session.stdin.flush()
            while session.stdout.readline() != "done\n":
                pass
            return time.monotonic_ns() - begin

        for text in ("select 1;", "begin;", "select 2;", "prepare p as select count(*) from t;", "execute p;", "commit;", "select pg_sleep(0.1); select 3;",
                     "select pg_sleep(0.1)\\; select 4;", "begin\\; select pg_sleep(0.1)\\; commit\\; select 5;", "set steno.log_statement = mod;",
                     "select pg_sleep(0.1)\\; delete from t where i = 1;", "set steno.log_statement = 'all';", "select 6;"):
            time.sleep(0.1)
            seen = len(statements(c))
            took = ask(text)
            records = [times(r) for r in statements(c)[seen:]]
            total = sum(args["elapsed"] for args in records)
            check(total <= took + 2_000_000, text, "took", took, "and its records", total, records)
            waited += took
        session.stdin.close()
        session.wait(60)
        # A pipeline, and statements that are prepared in one message and executed in others.
        script = os.path.join(c.directory, "script.sql")
        with open(script, "w") as out:
            out.write("\\startpipeline\nselect pg_sleep(0.05);\nselect 7;\nselect count(*) from t;\n\\endpipeline\nbegin;\n\\sleep 100 ms\nselect 8;\n\\sleep 100 ms\ncommit;\n")
        os.chmod(script, 0o644)
        for mode in ("extended", "prepared"):
            seen = len(statements(c, application="pgbench"))
            begin = time.monotonic_ns()
            c.pgbench("-n", "-M", mode, "-t", "3", "-f", script)
            took = time.monotonic_ns() - begin
            records = [times(r) for r in statements(c, application="pgbench")[seen:]]
            total = sum(args["elapsed"] for args in records)
            check(len(records) == 18 and total <= took - 550_000_000, mode, took, total, records)
