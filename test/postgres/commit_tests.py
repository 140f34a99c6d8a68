"""Statements that end with their transaction: those that commit themselves have the error of their commit."""

import os

from log_checks import check, messages, statements

LATE = """create table late(i int unique deferrable initially deferred);
create table of(i int primary key); create table refers(i int references of deferrable initially deferred);
create table bad(i int);
create function refuse() returns trigger language plpgsql as $$ begin perform 1; raise 'refused at commit'; end $$;
create constraint trigger refuses after insert on bad deferrable initially deferred for each row execute function refuse();
create procedure fills() language sql as $$ insert into late values (5), (5) $$;"""


def states(records):
    return [(r["args"]["command"], r["args"]["sqlstate"]) for r in records]


def test_own_commits(servers):
    """A statement that is a transaction by itself and fails when it commits has the error; those in front of it and after it have none."""
    with servers.started({"max_prepared_transactions": 2}) as c:
        c.sql(LATE)

        def run(*texts, nested=False):
            seen = len(statements(c, nested=True))
            for text in texts:
                c.run(c.bin + "/psql", "-X", "-q", "-c", text, check=False)
            found = statements(c, nested=True)[seen:]
            return states(found if nested else [r for r in found if r["args"]["nesting"] == 0])

        ok = "00000"
        check(run("insert into late values (1), (1)") == [("INSERT", "23505")], "a constraint")
        check(run("insert into refers values (1);") == [("INSERT", "23503")], "a foreign key")
        check(run("insert into bad values (1); -- last") == [("INSERT", "P0001")], "a trigger, and a comment after the statement")
        check(run("call fills()") == [("CALL", "23505")], "a command")
        check(run("with w as (insert into late values (1), (1) returning i) select * from w") == [("SELECT", "23505")], "WITH")
        check(run("prepare p(int) as insert into late values ($1), ($1)", "execute p(1)")[:1] == [("PREPARE", ok)], "PREPARE")
        check(states(statements(c)[-1:]) == [("EXECUTE", "26000")], "each has a connection")
        # Several in a message are one transaction, which the last one commits; a statement that fails by itself takes nothing to others.
        check(run("select 1; insert into late values (1), (1)") == [("SELECT", ok), ("INSERT", "23505")], "several")
        check(run("insert into late values (1), (1); select 1") == [("INSERT", ok), ("SELECT", "23505")], "the last one commits")
        check(run("insert into of values (7); select none") == [("INSERT", ok), ("SELECT", "42703")], "a statement that is not understood")
        check(run("select 1; select 1/0") == [("SELECT", ok), ("SELECT", "22012")], "planning fails")
        # In a block, the COMMIT has the error.
        check(run("begin; insert into late values (1), (1); commit") == [("BEGIN", ok), ("INSERT", ok), ("COMMIT", "23505")], "a block")
        check(run("begin; insert into late values (2); commit and chain; insert into late values (3), (3); commit") ==
              [("BEGIN", ok), ("INSERT", ok), ("COMMIT", ok), ("INSERT", ok), ("COMMIT", "23505")], "a block after another")
        check(run("begin; select 1/0") == [("BEGIN", ok), ("SELECT", "22012")], "a block that is left open")
        c.sql("begin; select 1/0; rollback and chain; insert into late values (4), (4); commit; insert into late values (4), (4); insert into of values (9);", check=False)
        check(states(statements(c)[-7:]) == [("BEGIN", ok), ("SELECT", "22012"), ("ROLLBACK", ok), ("INSERT", ok), ("COMMIT", "23505"), ("INSERT", "23505"), ("INSERT", ok)],
              states(statements(c)[-7:]))
        # Triggers that run at the commit are not the client's statements.
        found = run("set steno.log_nested = on; insert into bad values (1)", nested=True)
        check(found[-1] == ("INSERT", "P0001") and found[-2] == ("SELECT", ok) and run("insert into bad values (1)", nested=True) == [("INSERT", "P0001")], found)
        # A statement that failed is logged, however long it took.
        check(run("set steno.min_duration = '10s'; insert into late values (1), (1)") == [("INSERT", "23505")], "min_duration")
        check(len([m for m in messages(c) if m["args"]["sqlstate"] == "23505"]) >= 8, "messages")


def test_serialization(servers):
    """A serialization failure at the commit of a statement."""
    with servers.started() as c:
        c.sql("create table t(i int, n int); insert into t select g, 0 from generate_series(1, 100) g;"
              "create function slow() returns int language plpgsql as $$ begin perform pg_sleep(0.3); return 1; end $$;")
        one = c.popen(c.bin + "/psql", "-X", "-q", "-c", "set default_transaction_isolation = serializable", "-c", "update t set n = (select sum(n) from t) + slow() where i = 1", stdout=-3, stderr=-3)
        two = c.popen(c.bin + "/psql", "-X", "-q", "-c", "set default_transaction_isolation = serializable", "-c", "update t set n = (select sum(n) from t) + slow() where i = 2", stdout=-3, stderr=-3)
        ended = [one.wait(60), two.wait(60)]
        said = [r["args"]["sqlstate"] for r in statements(c) if r["args"]["command"] == "UPDATE"]
        check(sorted(said) == sorted("40001" if status else "00000" for status in ended), said, ended)


def test_commits_in_pipelines(servers):
    """Each statement of a pipeline by itself, with what its own transaction came to."""
    with servers.started() as c:
        c.sql(LATE)
        script = os.path.join(c.directory, "late.sql")
        for mode in ("prepared", "extended"):
            for text, expected in (
                    ("insert into late values (1), (1);\n", [("INSERT", "23505")]),
                    ("\\startpipeline\nselect 1;\ninsert into late values (1), (1);\n\\endpipeline\n", [("SELECT", "00000"), ("INSERT", "23505")]),
                    ("\\startpipeline\nselect 1;\nselect 2;\nselect none;\n\\endpipeline\n",
                     [("SELECT", "00000"), ("SELECT", "00000"), ("SELECT", "42703")]),
                    ("\\startpipeline\nselect 1;\nselect 1/0;\n\\endpipeline\n", [("SELECT", "00000"), ("SELECT", "22012")])):
                with open(script, "w") as out:
                    out.write(text)
                os.chmod(script, 0o644)
                seen = len(statements(c))
                c.pgbench("-n", "-M", mode, "-t", "1", "-f", script, check=False)
                found = states(statements(c)[seen:])
                if "none" in text:
                    found.sort()  # pgbench prepares it sooner, and the portal of the one in front of it ends later
                check(found == expected, mode, text, found)
