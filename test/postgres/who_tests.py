"""Who a record is of: roles that were taken, workers' clients, workers without one."""

import wire
from cluster import Cluster
from log_checks import check, message_text, messages, statements


def test_roles(servers):
    """SET ROLE and SET SESSION AUTHORIZATION: the role is a field beside the user of the connection, also of what is denied."""
    with servers.started() as c:
        c.create_extension()
        c.sql("create role app; create role other; create role member login in role app; create table t(i int); grant select on t to app;")
        w = wire.Wire(c, "member")
        seen = len(statements(c))
        for text in ("select 1", "set role app", "select 2 from t", "insert into t values (1)", "begin; set local role member; select 3; rollback", "select 4", "reset role", "select 5"):
            w.query(text)
        w.close()
        found = [(r["args"]["command"], r["args"]["user"], r["args"]["role"], r["args"]["sqlstate"]) for r in statements(c)[seen:]]
        expected = [("SELECT", "", "00000"), ("SET", "app", "00000"), ("SELECT", "app", "00000"), ("INSERT", "app", "42501"), ("BEGIN", "app", "00000"),
                    ("SET", "member", "00000"), ("SELECT", "member", "00000"), ("ROLLBACK", "member", "00000"), ("SELECT", "app", "00000"), ("RESET", "", "00000"), ("SELECT", "", "00000")]
        check([(row[0], row[2], row[3]) for row in found] == expected and all(row[1] == "member" for row in found), found)
        denied = [m["args"] for m in messages(c) if m["args"]["sqlstate"] == "42501"]
        check(len(denied) == 1 and denied[0]["role"] == "app" and denied[0]["user"] == "member", denied)
        c.sql("set session authorization other; select 6; set role none; select 7; reset session authorization; select 8;")
        found = [r["args"]["role"] for r in statements(c)[-6:] if r["args"]["command"] == "SELECT"]
        check(found == ["other", "other", ""], found)
        Cluster.wait_for(lambda: c.sql("select count(*) from steno.log where role = 'app' and \"user\" = 'member';") == ["5"], "roles in SQL")
        check(c.sql("select count(*) from steno.messages where role = 'app';") == ["1"], "messages")


def test_applications(servers):
    """The name of an application is what PostgreSQL makes of it, which is ASCII: ? for other bytes in 15, \\xNN from 16 on."""
    with servers.started() as c:
        for name in ("shop", "größe", "a b 'c'"):
            shown = c.sql("set application_name = '%s'; show application_name; select 1;" % name.replace("'", "''"))[0]
            check(statements(c)[-1]["args"]["application"] == shown, name, shown, statements(c)[-1])
            check(shown == (name if name.isascii() else "gr%se" % ("????" if c.version == 15 else "\\xc3\\xb6\\xc3\\x9f")), name, shown)


def test_workers(servers):
    """Messages of parallel workers are of their leader's session and client."""
    with servers.started({"max_parallel_workers_per_gather": 2, "parallel_setup_cost": 0, "parallel_tuple_cost": 0, "min_parallel_table_scan_size": 0,
                         "parallel_leader_participation": "off"}) as c:
        c.sql("create role asks login; create database other;")
        c.sql("create table t as select g as i from generate_series(1, 1000) g;"
              "create function loud(n int) returns int language plpgsql parallel safe as $$ begin if n % 100 = 0 then raise log 'among workers'; end if; return n; end $$;"
              "grant all on t to asks;", database="other")
        for user in ("tester", "asks"):
            w = wire.Wire(c, user, "other")
            w.query("select sum(loud(i)) from t")
            w.close()
        said = [m["args"] for m in messages(c) if message_text(m["args"]) == "among workers"]
        check(len(said) == 20 and {args["backend_type"] for args in said} == {"parallel worker"}, said)
        for user in ("tester", "asks"):
            its = [args for args in said if args["user"] == user]
            check(len(its) == 10 and {args["database"] for args in its} == {"other"} and {args["client"] for args in its} == {"[local]"}, its)
            sessions = {r["args"]["session_id"] for r in statements(c, user=user, database="other", command="SELECT")}
            check(len(sessions) == 1 and {args["session_id"] for args in its} == sessions, sessions, its)
            check({args["leader_pid"] for args in its} == {int(next(iter(sessions)).split(".")[1], 16)}, "leader")


def test_apply_workers(servers):
    """What an apply worker says has its database and user, from its first transaction on."""
    with servers.started({"wal_level": "logical", "wal_retrieve_retry_interval": "'100ms'"}) as c:
        c.sql("create table t(i int primary key); create publication p for table t; select pg_create_logical_replication_slot('s', 'pgoutput'); create database copy;")
        c.sql("create table t(i int primary key); insert into t values (7);"
              "create subscription s connection 'host=%s dbname=postgres user=tester' publication p with (create_slot = false, slot_name = 's', copy_data = false);" % c.directory, database="copy")
        c.sql("insert into t values (7);")
        Cluster.wait_for(lambda: any(m["args"]["sqlstate"] == "23505" for m in messages(c)), "error of the worker")
        failed = [m["args"] for m in messages(c) if m["args"]["sqlstate"] == "23505"][0]
        check("logical replication" in failed["backend_type"] and failed["database"] == "copy" and failed["user"] == "tester", failed)
        c.sql("alter subscription s disable; alter subscription s set (slot_name = none); drop subscription s;", database="copy")
        Cluster.wait_for(lambda: c.sql("select pg_drop_replication_slot('s');", check=False) == [""], "end of the sender")
