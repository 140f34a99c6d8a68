"""What waits are in which duration: the table of docs/postgresql.md, against the server's own log, auto_explain and pg_stat_statements."""

import os
import re
import time

import wire
from cluster import Cluster
from log_checks import check, message_text, messages, statements

WAIT = 300  # ms
SETUP = """create extension pg_stat_statements; create table locked(i int); create table r(i int); insert into r values (1);
create table late(i int); create table fired(i int); create table zero(i int); insert into zero values (0);
create function sleeps() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return null; end $$;
create constraint trigger slow after insert on late deferrable initially deferred for each row execute function sleeps();
create trigger slow after insert on fired for each row execute function sleeps();
create function planned() returns int language plpgsql immutable as $$ begin perform pg_sleep(0.3); return 1; end $$;
create function called() returns int language plpgsql as $$ begin perform pg_sleep(0.3); return 1; end $$;"""
# A row's first words in the table; what waits; who holds what it waits for; the fields that have it.
KINDS = (
    ("waiting for the lock of a table", "select count(*) from locked", "begin; lock table locked", ["elapsed", "parsing"]),
    ("planning", "select planned()", None, ["elapsed", "planning"]),
    ("execution", "select pg_sleep(0.3)", None, ["elapsed", "duration"]),
    ("waiting for the lock of a row", "update r set i = 2", "begin; update r set i = 3", ["elapsed", "duration"]),
    ("triggers at the end of the statement", "insert into fired values (1)", None, ["elapsed", "duration"]),
    ("a client that is slow to read", "select repeat('x', 1000000) from generate_series(1, 30)", None, ["elapsed", "duration"]),
    ("statements within functions", "select called()", None, ["elapsed", "duration"]),
    ("the commit of a statement", "insert into late values (1)", None, ["elapsed", "commit"]),
    ("a statement that fails", "select pg_sleep(0.3), 1/i from zero", None, ["elapsed", "duration"]),
)


def table(source):
    """Rows of the table by their first words: the other cells."""
    with open(os.path.join(source, "docs", "postgresql.md")) as text:
        lines = text.read().split("| | steno | server's `duration:` |")[1].splitlines()[2:]
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0]] = cells[1:]
    return rows


def test_durations(servers):
    """Each kind of wait is where the table says that it is, and nowhere else."""
    rows = table(servers.source)
    if servers.installed.lacks("pg_stat_statements", "auto_explain"):
        return
    with servers.made({"log_min_duration_statement": 0, "auto_explain.log_min_duration": 0}) as c:
        c.set({"shared_preload_libraries": "'%s,pg_stat_statements,auto_explain'" % c.library[:-3]})
        c.start()
        c.sql(SETUP)
        for words, text, held, fields in KINDS:
            named = [cells for first, cells in rows.items() if first.startswith(words)]
            check(len(named) == 1, words, "is not a row of the table")
            ours, csvlog, explained, counted = named[0]
            seen = len(statements(c, application="")), len(messages(c))
            c.sql("select pg_stat_statements_reset();")
            w, holder = wire.Wire(c), wire.Wire(c)
            if held is not None:
                holder.query(held)
            w.send(("Q", wire.text_of(text)))
            if held is not None:
                Cluster.wait_for(lambda: c.sql("select count(*) > 0 from pg_locks where not granted;") == ["t"], "wait")
            if held is not None or "read" in words:
                time.sleep(0.35)
            holder.query("rollback")
            w.answers()
            w.close()
            holder.close()
            record = [r["args"] for r in statements(c, application="")[seen[0]:] if r["args"]["command"] in ("SELECT", "INSERT", "UPDATE")][-1]
            has = [name for name in ("elapsed", "parsing", "planning", "duration", "commit") if record[name] >= 0.99e6 * WAIT]
            check(has == fields and re.findall("`(.*?)`", ours)[:2] == fields, words, has, ours, record)
            said = [message_text(m["args"]) for m in messages(c)[seen[1]:]]
            for cell, durations in ((csvlog, [float(s.split()[1]) for s in said if s.startswith("duration") and "statement: " + text in s]),
                                    (explained, [float(s.split()[1]) for s in said if s.startswith("duration") and "plan:\nQuery Text: " + text in s]),
                                    (counted, [float(row) for row in c.sql("select total_exec_time from pg_stat_statements where query like '%s%%';" % re.split(r"[(]| = ", text)[0])])):
                there = any(duration >= 0.99 * WAIT for duration in durations)
                check(there == cell.startswith("yes"), words, "cell", repr(cell), durations, said)
        c.stop()
