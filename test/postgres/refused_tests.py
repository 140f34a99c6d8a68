"""Statements that are refused before they run: who was denied what, with what values; and portals that nobody executes."""

import wire
from cluster import Cluster
from log_checks import check, messages, statements

SETUP = """create table secret(i int, s text); create role denied login; create table open(i int primary key); grant all on open to denied;
create view derived as select i + 1 as j from open; grant all on derived to denied;
create function planned(i int) returns int language plpgsql immutable as $$ begin return 1 / i; end $$;"""


def said(records):
    return [(r["args"]["command"], r["args"]["sqlstate"], r["args"]["text"]) for r in records]


def trimmed(rows):
    return [(row[0], row[1], row[2].strip(" ;")) for row in rows]


def started(c):
    """Runs what is given, and returns the records of the client's statements since then."""
    def run(what, *arguments):
        seen = len(statements(c))
        what(*arguments)
        return statements(c)[seen:]
    return run


def texts(c, record):
    return [r["args"]["query"] for r in c.records("--site", "query_text.c") if r["args"]["query_id"] == record["args"]["query_id"]]


def test_denied(servers):
    """Statements without the right to: text, user and parameters are there, by every protocol, whatever is logged of values."""
    with servers.started() as c:
        c.sql(SETUP)
        run = started(c)
        denied = wire.Wire(c, "denied")
        for text in ("select * from secret where i = 47", "delete from secret where s = 'x'", "insert into secret values (1, 'y')"):
            found = run(denied.query, text)
            check(said(found) == [(text.split()[0].upper(), "42501", text)] and found[0]["args"]["user"] == "denied", text, found)
        for text in ("drop table secret", "alter table secret add k int", "create role other", "copy secret to stdout", "truncate secret", "lock table secret"):
            found = run(denied.query, text)
            check(len(found) == 1 and found[0]["args"]["sqlstate"] in ("42501", "25P01") and texts(c, found[0])[:1] == [text], text, found)
        found = run(denied.ask, wire.parse("select * from secret where i = $1 and s = $2", "", (23, 25)), wire.bind("4711", "it's"), wire.execute())
        args = found[0]["args"]
        check(len(found) == 1 and (args["sqlstate"], args["p1"], args["p2"], args["user"]) == ("42501", 4711, "it's", "denied"), found)
        check(texts(c, found[0]) == ["select * from secret where i = $1 and s = $2"], texts(c, found[0]))
        # If a message has several statements, the refused one is recorded.
        check(said(run(denied.query, "select 1; select i from secret where i = 2; select 3")) ==
              [("SELECT", "00000", "select 1"), ("SELECT", "42501", " select i from secret where i = 2")], "several")
        # A function's own statement is its caller's error.
        c.sql("create function asks() returns bigint language plpgsql as $$ begin return (select count(*) from secret); end $$;")
        check([row[:2] for row in said(run(denied.query, "select asks(), 1"))] == [("SELECT", "42501")], "nested")
        c.sql("alter role denied set steno.log_nested = on;")
        nested = wire.Wire(c, "denied")
        seen = len(statements(c, nested=True))
        nested.query("select asks(), 1")
        found = statements(c, nested=True)[seen:]
        check([(r["args"]["nesting"], r["args"]["sqlstate"]) for r in found] == [(1, "42501"), (0, "42501")], found)
        nested.close()
        # Values are not for all eyes.
        c.sql("alter role denied set steno.redact_parameters = on;")
        redacted = wire.Wire(c, "denied")
        found = []
        for text in ("select * from secret where i = 47110815", "select none, 47110815", "select 47110815 / 0", "47110815 nonsense"):
            found += run(redacted.query, text)
        check([r["args"]["sqlstate"] for r in found] == ["42501", "42703", "22012", "42601"], found)
        check(texts(c, found[0])[-1:] == ["select * from secret where i = $1"] and texts(c, found[2]) == ["select $1 / $2"], "texts")
        check("47110815" not in c.run(c.steno, "cat", c.log).stdout, "redacted")
        redacted.close()
        denied.close()


MISUNDERSTOOD = (
    ("select none", [("SELECT", "42703", "select none")]),
    ("/* app=shop */ select * from nowhere where i = 7;", [("SELECT", "42P01", "/* app=shop */ select * from nowhere where i = 7")]),
    ("selekt 1; select 2", [("", "42601", "selekt 1; select 2")]),
    ("select 'open", [("SELECT", "42601", "select 'open")]),
    ("select 1; ; -- a;b\n update nowhere set i = ';'; select 2", [("SELECT", "00000", "select 1"), ("UPDATE", "42P01", "-- a;b\n update nowhere set i = ';'")]),
    ("values (1, 2), (3)", [("SELECT", "42601", "values (1, 2), (3)")]),
    ("with w as (select 1) select x from w", [("", "42703", "with w as (select 1) select x from w")]),
    ("insert into open values (1, 2)", [("INSERT", "42601", "insert into open values (1, 2)")]),
    ("insert into derived values (1)", [("INSERT", "55000", "insert into derived values (1)")]),  # as it is rewritten
    ("explain select none", [("EXPLAIN", "42703", "explain select none")]),
    ("create table x as select none", [("CREATE TABLE", "42703", "create table x as select none")]),
    ("begin; select 1/0", [("BEGIN", "00000", ""), ("SELECT", "22012", "select 1/0")]),
    ("insert into open values (3); select 4", [("INSERT", "25P02", "insert into open values (3)")]),  # the transaction has failed
    ("drop table open", [("DROP TABLE", "25P02", "drop table open")]),
    ("rollback", [("ROLLBACK", "00000", "")]),
    ("select 1; select 2", [("SELECT", "00000", "select 1"), ("SELECT", "00000", "select 2")]),
)


def test_unanalysed(servers):
    """Statements that are not understood, or not let through: each with its own text and what it waited."""
    with servers.started() as c:
        c.sql(SETUP)
        run = started(c)
        w = wire.Wire(c)
        for text, expected in MISUNDERSTOOD:
            found = trimmed(said(run(w.query, text)))
            check(found == expected, repr(text), found)
        # Extended protocol: at Parse, at Bind and in a failed transaction.
        check(said(run(w.ask, wire.parse("select none + $1"), wire.bind("1"), wire.execute())) == [("SELECT", "42703", "select none + $1")], "Parse")
        check(said(run(w.ask, wire.parse("select $1::int"), wire.bind("no number"), wire.execute())) == [("SELECT", "22P02", "select $1::int")], "Bind")
        w.query("begin")
        w.ask(wire.parse("select $1::int", "s"))
        w.query("select 1/0")
        check(said(run(w.ask, wire.bind("5", name="s"), wire.execute())) == [("SELECT", "25P02", "select $1::int")], "failed transaction")
        w.query("rollback")
        # Planning: the values that it failed with, but those whose types it would have to look up.
        c.sql("create type mood as enum ('fine');")
        text = "select 10 / $1::int, $2::numeric, $3::text, $4::mood, $5::int, $6::uuid"
        found = run(w.ask, wire.parse(text), wire.bind("0", "1.50", "it's", "fine", None, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), wire.execute())
        args = found[0]["args"]
        check(len(found) == 1 and args["sqlstate"] == "22012" and args["text"] == text and
              [args.get("p%d" % i) for i in range(1, 7)] == [0, "1.50", "it's", "?", None, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], found)
        check(said(run(w.query, "select planned(0)")) == [("SELECT", "22012", "select planned(0)")], "a function of constants")
        # These statements wait in vain for a lock, or are ended while they wait.
        holder = wire.Wire(c)
        holder.query("begin; lock table open")
        found = run(w.query, "set lock_timeout = '200ms'; select i from open where i = 9")
        check(trimmed(said(found))[1:] == [("SELECT", "55P03", "select i from open where i = 9")] and found[1]["args"]["elapsed"] >= 190_000_000 and
              found[1]["args"]["parsing"] >= 190_000_000, found)
        victim = c.popen(c.bin + "/psql", "-X", "-q", "-c", "select i from open where i = 10", stdout=-3, stderr=-3)
        Cluster.wait_for(lambda: c.sql("select count(*) from pg_locks where not granted;") == ["1"], "wait for the lock")
        seen = len(statements(c))
        c.sql("select pg_terminate_backend(pid) from pg_locks where not granted;")
        victim.wait(60)
        found = [row for row in said(statements(c)[seen:]) if row[1] != "00000"]
        check(found == [("SELECT", "57P01", "select i from open where i = 10")], found)
        holder.query("rollback")
        holder.close()
        # Statements that are not to be logged are not logged.
        w.query("set steno.log_statement = mod")
        for text, states in (("select none", []), ("select 1/0", []), ("select 1; insert into nowhere values (1)", ["42P01"]), ("insert into open values (5), (5)", ["23505"])):
            check([r["args"]["sqlstate"] for r in run(w.query, text)] == states, text)
        check(run(w.ask, wire.parse("select 1 / $1::int"), wire.bind("0"), wire.execute()) == [], "a failure of planning")
        w.query("insert into open values (0)")
        check(run(w.ask, wire.parse("select 1 / i from open where i = $1"), wire.bind("0"), wire.execute()) == [], "a failure of execution")
        w.query("set steno.log_statement = ddl")
        check([r["args"]["sqlstate"] for r in run(w.query, "create table z as select none")] == ["42703"] and run(w.query, "update nowhere set i = 1") == [], "ddl")
        w.query("set steno.log_statement = none")
        check(run(w.query, "select none") == [], "none")
        w.query("set steno.log_statement = 'all'; set steno.sample_rate = 0")
        check(run(w.query, "select none") == [], "sample_rate")
        w.query("set steno.sample_rate = 1; set steno.min_duration = '1h'")
        check(said(run(w.query, "select none")) == [("SELECT", "42703", "select none")], "min_duration")
        w.query("set steno.log_parameters = off")
        check(said(run(w.query, "select none, 'private'")) == [("SELECT", "42703", "")], "log_parameters")
        w.close()
        errors = [m for m in messages(c) if m["args"]["error_severity"] == "ERROR"]
        check(len(errors) > 25, len(errors))


def test_unexecuted(servers):
    """A portal that is bound and not executed has no record, however it ends; one that is has one."""
    with servers.started({"steno.log_nested": "on"}) as c:
        c.sql(SETUP)
        w = wire.Wire(c)
        w.ask(wire.parse("select i from open where i > $1", "q", (23,)), wire.parse("insert into open values ($1)", "i", (23,)))
        seen = len(statements(c, nested=True))

        def since():
            nonlocal seen
            found = [(r["args"]["command"], r["args"]["sqlstate"], r["args"].get("p1")) for r in statements(c, nested=True)[seen:]]
            seen += len(found)
            return found

        for prepared in ("q", "i"):
            w.ask(wire.bind("1", name=prepared))
            w.ask(wire.bind("2", name=prepared, portal="a"), wire.bind("3", name=prepared, portal="b"), wire.close_portal("a"))
            check(since() == [], prepared, "nothing was executed")
        check(c.sql("select count(*) from open;") == ["0"] and len(since()) == 1, "an INSERT that was not executed")
        w.ask(wire.bind("4", name="i"), wire.execute(), wire.bind("0", name="q"), wire.execute())
        check(since() == [("INSERT", "00000", 4), ("SELECT", "00000", 0)], "executed")
        # An error of another one: what waits is thrown away.
        w.ask(wire.bind("5", name="i", portal="waits"), wire.parse("select 1/i from (values (0)) v(i)"), wire.bind(), wire.execute())
        check(since() == [("SELECT", "22012", None)], "an error of another portal")
        # Partly executed, and cursors.
        w.query("insert into open select generate_series(10, 20)")
        since()
        w.ask(wire.bind("0", name="q", portal="part"), wire.execute("part", 2))
        check(since() == [("SELECT", "00000", 0)], "two rows of it")
        w.query("begin; declare k cursor for select i from open; declare l cursor for select i from open; fetch 1 from k; commit")
        found = [row[0] for row in since()]
        check(found.count("SELECT") == 1, found)
        # Ended as it waits.
        w.send(wire.bind("7", name="i", portal="left"), ("H", b""))
        check(w.read(1) == b"2", "bound")
        w.socket.close()
        Cluster.wait_for(lambda: c.sql("select count(*) from pg_stat_activity where backend_type = 'client backend';") == ["1"], "end of the connection")
        check([row for row in since() if row[0] == "INSERT"] == [], "ended")
