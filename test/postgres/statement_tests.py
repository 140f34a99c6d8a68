"""Records of statements: how many, and what is in them."""

import json
import os

from cluster import Cluster
from log_checks import check, check_complete, commands, message_text, messages, statements


def test_counts(servers):
    """As many records as statements, by every protocol; and what is in them."""
    with servers.made() as c:
        c.start()
        c.pgbench("-i", "-q")
        before = len(statements(c, application="pgbench"))
        c.pgbench("-S", "-M", "prepared", "-n", "-c", "4", "-t", "300")
        c.pgbench("-M", "simple", "-n", "-c", "2", "-t", "50")
        c.pgbench("-M", "extended", "-n", "-c", "2", "-t", "50")
        c.pgbench("-S", "-n", "-C", "-t", "30")  # a connection for each
        c.stop()
        records = statements(c, application="pgbench")[before:]
        # pgbench itself asks for the number of branches, and for partitions.
        own = [r for r in records if r["args"]["duration"] >= 0]
        by = {name: commands(own).count(name) for name in ("SELECT", "UPDATE", "INSERT", "BEGIN", "COMMIT")}
        check(by["UPDATE"] == 600 and by["INSERT"] == 200 and by["BEGIN"] == 200 and by["COMMIT"] == 200, by)
        accounts = [r for r in own if r["args"]["command"] == "SELECT" and "p1" in r["args"]]
        check(len(accounts) == 1200 + 100, len(accounts))
        check(1 <= accounts[0]["args"]["p1"] <= 100000, accounts[0])
        check(accounts[0]["args"]["rows"] == 1 and accounts[0]["args"]["shared_hit"] + accounts[0]["args"]["shared_read"] > 0,
              accounts[0])
        check(accounts[0]["args"]["user"] == "tester" and accounts[0]["args"]["database"] == "postgres", accounts[0])
        updates = [r for r in own if r["args"]["command"] == "UPDATE"]
        check(all(u["args"]["wal_bytes"] > 0 and u["args"]["xid"] > 0 for u in updates), updates[0])
        # The WAL that a commit writes is its own.
        commits = [r["args"] for r in own if r["args"]["command"] == "COMMIT"]
        check(all(commit["wal_bytes"] > 0 and commit["xid"] > 0 for commit in commits), commits[0])
        # Each text once: the constants are not in it.
        texts = [r["args"]["query"] for r in c.records("--site", "query_text.c") if "UPDATE pgbench_branches" in r["args"]["query"]]
        check(texts and all("$1" in t for t in texts) and len(texts) <= 2, texts)
        check_complete(c)


def test_kinds(servers):
    """Statements of all sorts: one record each, with how it ended."""
    with servers.started({"steno.parameter_max_length": 20, "max_parallel_workers_per_gather": 4,
                         "max_worker_processes": 16, "parallel_setup_cost": 0, "parallel_tuple_cost": 0,
                         "min_parallel_table_scan_size": 0}) as c:
        c.sql("create table t(i int, s text); insert into t select g, 'row ' || g from generate_series(1, 20000) g;"
              "create function twice(n int) returns int language plpgsql as $$ begin perform n; return 2 * n; end $$;")

        def run(text, check_=False):
            seen = len(statements(c, nested=True))
            c.sql(text, check=check_)
            return statements(c, nested=True)[seen:]

        def states(records):
            return [(r["args"]["command"], r["args"]["sqlstate"]) for r in records]

        ok = "00000"
        check(states(run("select 1/0;")) == [("SELECT", "22012")], "a statement that fails in planning")
        failed = run("select 1/(i-5) from t;")
        check(states(failed) == [("SELECT", "22012")], states(failed))
        check(states(run("set statement_timeout=50; select pg_sleep(10);")) == [("SET", ok), ("SELECT", "57014")], "cancelled")
        check(states(run("begin; savepoint a; select 1/i from (values(0)) v(i); rollback to a; commit;")) ==
              [("BEGIN", ok), ("SAVEPOINT", ok), ("SELECT", "22012"), ("ROLLBACK", ok), ("COMMIT", ok)], "savepoints")
        check(states(run("begin; declare c cursor for select * from t; fetch 3 from c; rollback;")) ==
              [("BEGIN", ok), ("DECLARE CURSOR", ok), ("FETCH", ok), ("ROLLBACK", ok)], "a cursor")
        check(states(run("prepare p(int) as select $1 + i from t where i = $1; execute p(7); execute p(8); execute p;")) ==
              [("PREPARE", ok), ("SELECT", ok), ("SELECT", ok), ("EXECUTE", "42601")], "prepared")
        check(states(run("do $$ begin perform 1; perform 2; end $$;")) == [("DO", ok)], "DO")
        check(states(run("do $$ begin perform 1/0; exception when others then null; end $$;")) == [("DO", ok)], "a caught error")
        copied = run("copy (select * from t) to '/dev/null';")
        check(states(copied) == [("COPY", ok)] and copied[0]["args"]["rows"] == 20000, copied)
        with open(os.path.join(c.directory, "rows"), "w") as rows:
            rows.writelines("%d\n" % i for i in range(30000, 30500))
        os.chmod(rows.name, 0o644)
        copied = run("create temp table loaded(i int); copy loaded from '%s'; copy loaded from '/no/such';" % rows.name)
        check(states(copied) == [("CREATE TABLE", ok), ("COPY", ok), ("COPY", "58P01")] and copied[1]["args"]["rows"] == 500, copied)
        held = run("begin; declare h cursor with hold for select i from t where i < 100; commit; fetch 5 from h; close h;")
        check(states(held) == [("BEGIN", ok), ("DECLARE CURSOR", ok), ("COMMIT", ok), ("FETCH", ok), ("CLOSE CURSOR", ok)] and held[3]["args"]["rows"] == 5, states(held))
        check(states(run("begin; savepoint a; insert into t values (-1, 'x'); savepoint b; insert into t values (1/(-1 + 1), 'y'); rollback to b; release a; rollback;")) ==
              [("BEGIN", ok), ("SAVEPOINT", ok), ("INSERT", ok), ("SAVEPOINT", ok), ("INSERT", "22012"), ("ROLLBACK", ok), ("RELEASE", ok), ("ROLLBACK", ok)], "nested savepoints")
        # Ended by its administrator while it runs.
        seen = len(statements(c))
        victim = c.popen(c.bin + "/psql", "-X", "-q", "-c", "select pg_sleep(300)", stdout=-3, stderr=-3)
        Cluster.wait_for(lambda: c.sql("select count(*) from pg_stat_activity where query like 'select pg_sleep%' and wait_event = 'PgSleep';") == ["1"], "statement")
        c.sql("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%';")
        victim.wait(60)
        Cluster.wait_for(lambda: any("pg_sleep(300)" in r["args"]["text"] for r in statements(c)[seen:]), "record of it")
        check([r["args"]["sqlstate"] for r in statements(c)[seen:] if "pg_sleep(300)" in r["args"]["text"]] == ["57P01"], "terminated")
        check(states(run("explain select * from t;")) == [("EXPLAIN", ok)], "EXPLAIN")
        check(states(run("create schema s create table x(i int);")) == [("CREATE SCHEMA", ok)], "a command of several")
        check(states(run("merge into t using (values(1)) v(i) on t.i = v.i when matched then update set s = 'x';")) ==
              [("MERGE", ok)], "MERGE")
        parallel = run("select count(*), sum(length(s)) from t;")
        check(states(parallel) == [("SELECT", ok)] and parallel[0]["args"]["rows"] == 1, states(parallel))
        check(len(run("select twice(i) from t where i < 4;")) == 1, "nested ones")
        nested = run("set steno.log_nested=on; select twice(i) from t where i < 4;")
        check([r["args"]["nesting"] for r in nested] == [0, 1, 1, 1, 0], states(nested))
        # These run when a plan is finished: triggers, and the rest of WITH.
        c.sql("create table kept(i int); create table fired(i int); create function fire() returns trigger language plpgsql as "
              "$$ begin perform pg_sleep(0.02); insert into fired values (new.i); return null; end $$;"
              "create trigger after_it after insert on kept for each row execute function fire();")
        fired = run("set steno.log_nested=on; with w as (insert into kept values (1) returning i) select 7 as seven;")
        check([(r["args"]["command"], r["args"]["nesting"]) for r in fired[1:]] == [("SELECT", 1), ("INSERT", 1), ("SELECT", 0)], states(fired), fired)
        check(fired[-1]["args"]["duration"] > 20000000 and c.sql("select i from fired;") == ["1"], fired[-1])
        failed = run("alter table fired add check (i < 2); set steno.log_nested=on; with w as (insert into kept values (2) returning i) select 7 as seven;")
        check(states(failed)[2:] == [("SELECT", ok), ("INSERT", "23514"), ("SELECT", "23514")], states(failed))
        # Statements of a batch, each with its own text.
        batch = run("select 1 as a\\; select 2 as b;")
        check([r["args"]["text"] for r in batch] == ["select 1 as a", " select 2 as b"], batch)
        # Settings.
        check(states(run("set steno.log_statement=mod; select 1; delete from t where i=2; create table u();")) ==
              [("SET", ok), ("DELETE", ok), ("CREATE TABLE", ok)], "mod")
        check(states(run("set steno.log_statement=ddl; select 1; delete from t where i=3; drop table u;")) ==
              [("SET", ok), ("DROP TABLE", ok)], "ddl")
        check(states(run("set steno.log_statement=none; select 1; delete from t where i=4;")) == [("SET", ok)], "none")
        check(states(run("set steno.min_duration='10s'; select 1; select 1/i from (values(0)) v(i);")) ==
              [("SELECT", "22012")], "min_duration")
        check(len(run("set steno.sample_rate=0; select 1; select 2;")) == 1, "sample_rate")
        sampled = len(run("set steno.sample_rate=0.5;" + "select 1;" * 200))
        check(50 < sampled < 150, sampled, "of 200 at a rate of 0.5")
        check(run("set steno.log_parameters=off; select 'private';")[1]["args"]["text"] == "", "log_parameters=off")
        # Parameters: their types, and the mark of what was cut.
        c.run(c.bin + "/psql", "-X", "-q", stdin="prepare q(int, bigint, text, bool, timestamp, uuid, numeric, text) as select $1,$2,$3,$4,$5,$6,$7,$8;"
              "execute q(-1, 9000000000, 'it''s', true, '2026-01-02 03:04:05', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1.50, null);"
              "execute q(1, 1, repeat('é', 30), false, null, null, null, '');")
        values = [r["args"] for r in statements(c)[-2:]]

        def typed(args, count=8):
            return [args.get("p%d" % (i + 1)) for i in range(count)]

        check(typed(values[0]) == [-1, 9000000000, "it's", True, "2026-01-02T03:04:05.000000Z", "a0eebc99-9c0b-4ef8-b...[+16 bytes]", "1.50", None],
              values[0])
        check(typed(values[1]) == [1, 1, "%s...[+40 bytes]" % ("é" * 10), False, None, None, None, ""], values[1])
        check("p8" not in values[0] and "p5" not in values[1] and values[0]["parameters"] == "", "what is NULL has no value")
        # The other types; beyond the eighth they are text, and what is no time is too.
        c.run(c.bin + "/psql", "-X", "-q", stdin="prepare r(int2, float4, float8, oid, timestamptz, date, bpchar, name, int, bool, text, timestamp, float8) as "
              "select $1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13;"
              "execute r(-7, 1.5, 0.1, 4000000000, '2026-01-02 03:04:05.123456+00', '2026-03-04', 'ab', 'n', 9, true, 'it''s', '2026-01-02', 2.5);"
              "execute r(1, 'nan', 'infinity', 1, 'infinity', null, null, null, null, false, null, '-infinity', null);")
        values = [r["args"] for r in statements(c)[-2:]]
        check(typed(values[0]) == [-7, 1.5, 0.1, 4000000000, "2026-01-02T03:04:05.123456Z", "2026-03-04", "ab", "n"], values[0])
        check(values[0]["parameters"] == ", 9, true, 'it''s', '2026-01-02 00:00:00', 2.5", values[0])
        check(values[1]["p5"] == "infinity" and values[1]["parameters"] == ", NULL, false, NULL, '-infinity', NULL", values[1])
        # More combinations of types than have columns: the rest is text.
        c.run(c.bin + "/psql", "-X", "-q", stdin="prepare m(int, int, int, int, int, int, int) as select $1,$2,$3,$4,$5,$6,$7;" + "".join(
            "execute m(%s);" % ",".join("1" if n >> i & 1 else "null" for i in range(7)) for n in range(100)))
        many = [r["args"] for r in statements(c)[-100:]]
        as_text = [args for args in many if args["parameters"] != ""]
        check(many[3]["p1"] == 1 and many[3]["p2"] == 1 and "p3" not in many[3], many[3])
        check(30 < len(as_text) < 50 and as_text[-1]["parameters"] == "1, 1, NULL, NULL, NULL, 1, 1", as_text[-1])
        # Readers compare and sum up what is typed.
        for condition, count in (("p1 == -7", 1), ("p2 > 1.4 and p2 < 1.6", 1), ("p3 == \"it's\"", 1), ("p4 == 4000000000", 1)):
            found = c.run(c.steno, "cat", "--count", c.log, "--where", condition).stdout.strip()
            check(int(found) == count, condition, found)
        summed = c.run(c.steno, "agg", c.log, "--site", "statement_record.c", "--where", "p4 == 4000000000", "--arg", "p1", "--op", "sum").stdout.split()
        check(summed[-1] == "-7", summed)
        # A long text is cut, and says by how much.
        long_text = run("select length('%s');" % ("x" * 3000000))
        check(len(long_text) == 1 and 100000 < len(long_text[0]["args"]["text"]) < 3000000 and
              "…[+" in long_text[0]["args"]["text"][-30:], long_text[0]["args"]["text"][-40:])


def test_pipelines(servers):
    """Statements that are sent before those in front of them have ended: one record each, of the error's statement too."""
    with servers.started() as c:
        c.sql("create table t(i int);")
        script = os.path.join(c.directory, "pipeline.sql")
        for name, text in (("works", "\\startpipeline\ninsert into t values (1);\nselect i from t where i = 2;\ndelete from t;\n\\endpipeline\n"),
                           ("fails", "\\startpipeline\ninsert into t values (1);\nselect 1/i from t;\nselect 1/(i-1) from t;\nselect 7;\n\\endpipeline\n")):
            with open(script, "w") as out:
                out.write(text)
            os.chmod(script, 0o644)
            seen = len(statements(c))
            c.pgbench("-n", "-M", "prepared" if name == "works" else "extended", "-t", "5" if name == "works" else "1", "-f", script, check=False)
            found = [(r["args"]["command"], r["args"]["sqlstate"]) for r in statements(c)[seen:]]
            expected = [("INSERT", "00000"), ("SELECT", "00000"), ("DELETE", "00000")] * 5 if name == "works" else [
                ("INSERT", "00000"), ("SELECT", "00000"), ("SELECT", "22012")]  # what comes after the error is not executed
            check(found == expected, name, found)


def test_standby(servers):
    """A standby logs what it is asked, and what it says; promoted, it goes on."""
    with servers.started() as c:
        c.sql("create table t as select generate_series(1, 100) as i;")
        c.flush()  # a part of it is in the file
        standby = c.make_standby()
        # The primary's log is copied, too: what that has in its staging says nothing of the copy.
        copied = c.run(c.steno, "verify", os.path.join(standby.data, "log", "postgresql.steno"), check=False)
        check(copied.returncode == 1 and "has no end, and its staging is not here" in copied.stdout and "go on" not in copied.stdout, copied)
        check("go on" in c.verify(), c.verify())
        standby.start()
        try:
            c.sql("insert into t values (101);")
            Cluster.wait_for(lambda: standby.sql("select count(*) from t;") == ["101"], "replay")
            standby.sql("insert into t values (1);", check=False)
            standby.sql("begin; declare k cursor for select * from t where i > 50; fetch 7 from k; rollback;")
            ran = [(r["args"]["command"], r["args"]["sqlstate"], r["args"]["xid"]) for r in statements(standby)]
            check(ran[-5:] == [("INSERT", "25006", 0), ("BEGIN", "00000", 0), ("DECLARE CURSOR", "00000", 0), ("FETCH", "00000", 0), ("ROLLBACK", "00000", 0)], ran)
            consistent = [r["args"] for r in messages(standby) if r["args"]["message_id"].startswith("consistent recovery state reached at %X")]
            check(len(consistent) == 1 and consistent[0]["backend_type"] == "startup" and consistent[0]["m2"] > 0, consistent)
            standby.run(c.bin + "/pg_ctl", "-D", standby.data, "-w", "promote")
            standby.sql("insert into t values (102);")
            last = statements(standby)[-1]["args"]
            check(last["command"] == "INSERT" and last["sqlstate"] == "00000" and last["xid"] > 0, last)
        finally:
            standby.stop()
        check_complete(standby)
        check(not any(r["args"]["sqlstate"] == "25006" for r in statements(c)), "the standby's statements are in the primary's log")


def test_encodings(servers):
    """Databases of other encodings: what is logged is UTF-8, what is asked in SQL is the database's."""
    with servers.started({"steno.parameter_max_length": 20}) as c:
        for name, encoding in (("latin", "LATIN1"), ("japanese", "EUC_JP"), ("bytes", "SQL_ASCII")):
            c.sql("create database %s encoding '%s' template template0 lc_collate 'C' lc_ctype 'C';" % (name, encoding))

        def run(database, text):
            seen = len(statements(c)), len(messages(c))
            c.sql("set client_encoding = utf8;" * (database != "bytes") + text, database=database, check=False)
            return ([r["args"] for r in statements(c)[seen[0]:] if r["args"]["command"] != "SET"],
                    [r["args"] for r in messages(c)[seen[1]:]])

        ran, said = run("latin", "prepare p(text) as select length($1); execute p('schön'); execute p(repeat('ü', 30)); select length('größe') as \"größe\";"
                        "do $$ begin raise 'übel %', 1 using detail = 'Ä', hint = 'ß'; end $$; select 1 from \"é\";")
        check([r.get("p1") for r in ran[1:3]] == ["schön", "ü" * 20 + "...[+10 bytes]"], ran)
        check(ran[3]["text"] == "select length('größe') as \"größe\"", ran[3])
        check([(message_text(m), m["detail"], m["hint"]) for m in said] == [("übel 1", "Ä", "ß"), ('relation "é" does not exist', "", "")], said)
        check("größe" in said[0]["statement"] or "übel" in said[0]["statement"], said[0])
        check(any("größe" in r["args"]["query"] for r in c.records("--site", "query_text.c")), "the text of a query")
        check(run("japanese", "prepare p(text) as select length($1); execute p('日本');")[0][1]["p1"] == "日本", "EUC_JP")
        ran, _ = run("bytes", "prepare p(text) as select length($1); execute p(E'a\\377b'); execute p('é');")
        check([r["p1"] for r in ran[1:]] == ["a\\xffb", "é"], ran)
        # Asked by a database that has no 日, and by one that has.
        c.create_extension("latin")
        c.create_extension()
        c.stop()
        c.start()
        for database, expected in (("latin", ["??", "schön"]), ("postgres", ["schön", "日本"])):
            found = c.sql("set client_encoding = utf8; select distinct p1 from steno.log() where p1 in ('%s', '%s') order by 1;" % tuple(expected), database=database)
            check(found == expected, database, found)
        check(c.sql("set client_encoding = utf8; select p1 from steno.log(condition => 'p1 == \"schön\"');", database="latin") == ["schön"], "a condition")


def test_plans(servers):
    """steno.log_plans: a plan as JSON for each shape, of statements that took as long."""
    with servers.started() as c:
        c.sql("create table t as select g as i from generate_series(1, 1000) g; create index on t(i); analyze t; select count(*) from t;")
        c.set({"steno.log_plans": 0})
        c.reload()
        Cluster.wait_for(lambda: c.sql("show steno.log_plans;") == ["0"], "reload")

        def logged_plans():
            return [r["args"] for r in c.records() if "plan" in r["args"]]

        def run(text):
            seen = len(statements(c)), len(logged_plans())
            c.sql("/* asked */ " + text)
            ran = [r["args"] for r in statements(c)[seen[0]:] if r["args"]["command"] == "SELECT"]
            return ran, logged_plans()[seen[1]:]

        ran, plans = run("select * from t where i = 7; select * from t where i = 8;")
        check(len(ran) == 2 and len(plans) == 1, ran, plans)
        check(ran[0]["plan_id"] == ran[1]["plan_id"] == plans[0]["plan_id"] != 0 and ran[0]["query_id"] == plans[0]["query_id"], ran, plans)
        shape = json.loads(plans[0]["plan"])["Plan"]
        check(shape["Node Type"].startswith("Index") and plans[0]["user"] == "tester", shape)
        first = plans[0]["plan_id"]
        # The query gets another plan, which is recorded once, whichever backend runs it.
        ran, plans = run("set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off; select * from t where i = 9;")
        check(len(plans) == 1 and plans[0]["plan_id"] == ran[-1]["plan_id"] != first and json.loads(plans[0]["plan"])["Plan"]["Node Type"] == "Seq Scan", plans)
        check(run("select * from t where i = 10;")[1] == [], "the plan is there already")
        # The compiler of expressions takes this time, where it is installed.
        ran, _ = run("set jit = on; set jit_above_cost = 0; select sum(i + 1) from t where i % 7 = 3;")
        available = c.sql("select pg_jit_available();") == ["t"]
        check(len(ran) == 1 and (ran[0]["jit"] > 0) == available, ran)
        check(run("set jit = off; select sum(i + 1) from t where i % 7 = 3;")[0][-1]["jit"] == 0, "without it")
        # A plan that takes less, or that must not be seen, is not recorded.
        for setting in ("log_plans = '1h'", "log_plans = -1", "redact_parameters = on", "log_parameters = off"):
            ran, plans = run("set steno.%s; select count(*) from t where i = 424242 group by i;" % setting)
            check(ran[-1]["plan_id"] == 0 and plans == [], setting, ran, plans)
        c.create_extension()
        c.sql("set steno.log_plans = 0; select pg_sleep(0.15);")
        c.stop()
        c.start()
        check(c.sql("select plan like '%\"Node Type\": \"Result\"%' from steno.slow where text like '%pg_sleep(0.15)%';") == ["t"], "steno.slow has no plan")
        check(c.sql("select count(*) > 0 from steno.plans() where plan like '%Seq Scan%';") == ["t"], "steno.plans()")
