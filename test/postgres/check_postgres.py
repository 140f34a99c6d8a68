#!/usr/bin/env python3
"""steno for PostgreSQL, against a server of its own.
   check_postgres.py SOURCE BUILD WORK [--kills N] [TEST…]   BUILD: where libsteno.so and the command are; WORK: where the extension
                                                 is compiled; N: backends to kill, a fifth as many scribes and
                                                 servers, in place of a few
Exit code 77: there is no PostgreSQL that extensions can be built against here; a line says so."""

import concurrent.futures
import json
import os
import random
import signal
import sys
import threading
import time
import traceback

from cluster import Cluster, build_extension, find_pg_config


class Servers:
    kills = 0  # 0: a few

    def __init__(self, pg_config, source, build, work):
        self.library = build_extension(pg_config, source, build, work)
        self.make = lambda settings=None: Cluster(pg_config, source, build, self.library, settings)


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def statements(cluster, nested=False, **context):
    """Records of statements, in order of time."""
    found = [r for r in cluster.records("--site", "statement_record.c") if nested or r["args"]["nesting"] == 0]
    for name, value in context.items():
        found = [r for r in found if r["args"].get(name) == value]
    return found


def commands(records):
    return [r["args"]["command"] for r in records]


def messages(cluster):
    return cluster.records("--site", "server_log.c")


def check_complete(cluster):
    verdict = cluster.verify()
    check(verdict.startswith("complete") and "0 lost" in verdict, verdict)


# A client that says "select N" again and again, and knows what the server has confirmed.
class Counter(threading.Thread):
    def __init__(self, cluster, first):
        super().__init__()
        self.process = cluster.popen(cluster.bin + "/psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1",
                                     stdin=-1, stdout=-1, stderr=-3)
        self.next = first
        self.confirmed = []

    def run(self):
        try:
            while True:
                self.process.stdin.write("select %d as confirmed;\n" % self.next)
                self.process.stdin.flush()
                line = self.process.stdout.readline()
                if not line:
                    break
                self.confirmed.append(int(line))
                self.next += 1
        except OSError:
            pass
        self.process.kill()
        self.process.wait()


def counted(cluster):
    """The N of the records of "select N", each as often as it is there."""
    found = []
    for record in statements(cluster):
        words = record["args"]["text"].split()
        if len(words) == 4 and words[3] == "confirmed" and words[0] == "select":
            found.append(int(words[1]))
    return found


def check_counters(cluster, counters):
    there = counted(cluster)
    check(len(there) == len(set(there)), "statements are there twice")
    there = set(there)
    for counter in counters:
        missing = [n for n in counter.confirmed if n not in there]
        check(not missing, "not in the log:", missing[:10], "of", len(counter.confirmed))
    most = sum(len(c.confirmed) + 1 for c in counters)
    check(len(there) <= most, len(there), "records of at most", most, "statements")


def test_counts(servers):
    """As many records as statements, by every protocol; and what is in them."""
    c = servers.make()
    try:
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
        # Each text once: the constants are not in it.
        texts = [r["args"]["query"] for r in c.records("--site", "query_text.c") if "UPDATE pgbench_branches" in r["args"]["query"]]
        check(texts and all("$1" in t for t in texts) and len(texts) <= 2, texts)
        check_complete(c)
    finally:
        c.remove()


def test_kinds(servers):
    """Statements of all sorts: one record each, with how it ended."""
    c = servers.make({"steno.parameter_max_length": 20, "max_parallel_workers_per_gather": 4,
                      "max_worker_processes": 16, "parallel_setup_cost": 0, "parallel_tuple_cost": 0,
                      "min_parallel_table_scan_size": 0})
    try:
        c.start()
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
        c.stop()
        check_complete(c)
    finally:
        c.remove()


def test_encodings(servers):
    """Databases of other encodings: what is logged is UTF-8, what is asked in SQL is the database's."""
    c = servers.make({"steno.parameter_max_length": 20})
    try:
        c.start()
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
        check([(m["primary_message"], m["detail"], m["hint"]) for m in said] == [("übel 1", "Ä", "ß"), ('relation "é" does not exist', "", "")], said)
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
        c.stop()
        check_complete(c)
    finally:
        c.remove()


def test_plans(servers):
    """steno.log_plans: a plan as JSON for each shape, of statements that took as long."""
    c = servers.make()
    try:
        c.start()
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
        # Another plan of the same query; once, whichever backend it is.
        ran, plans = run("set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off; select * from t where i = 9;")
        check(len(plans) == 1 and plans[0]["plan_id"] == ran[-1]["plan_id"] != first and json.loads(plans[0]["plan"])["Plan"]["Node Type"] == "Seq Scan", plans)
        check(run("select * from t where i = 10;")[1] == [], "the plan is there already")
        # Not: what takes less, what must not be seen.
        for setting in ("log_plans = '1h'", "log_plans = -1", "redact_parameters = on", "log_parameters = off"):
            ran, plans = run("set steno.%s; select count(*) from t where i = 424242 group by i;" % setting)
            check(ran[-1]["plan_id"] == 0 and plans == [], setting, ran, plans)
        c.create_extension()
        c.sql("set steno.log_plans = 0; select pg_sleep(0.15);")
        c.stop()
        c.start()
        check(c.sql("select plan like '%\"Node Type\": \"Result\"%' from steno.slow where command = 'SELECT';") == ["t"], "steno.slow has no plan")
        check(c.sql("select count(*) > 0 from steno.plans() where plan like '%Seq Scan%';") == ["t"], "steno.plans()")
        c.stop()
        check_complete(c)
    finally:
        c.remove()


def test_server_log(servers):
    """Messages of the server: their fields, steno.replace_log, steno.redact_parameters, what settings are refused."""
    c = servers.make({"log_connections": "on"})
    try:
        c.start()
        c.sql("create table k(i int primary key); insert into k values (1); insert into k values (1);", check=False)
        c.sql("do $$ begin raise warning 'wary of %', 7 using hint = 'be calm', detail = 'a detail'; end $$;")
        refused = c.run(c.bin + "/psql", "-X", "-U", "nobody_known", "-c", "select 1", check=False)
        check(refused.returncode != 0, "an unknown role is let in")
        Cluster.wait_for(lambda: any(m["level"] == "CRITICAL" for m in messages(c)), "FATAL message")
        said = messages(c)
        twice = [m for m in said if m["args"]["sqlstate"] == "23505"][0]
        check(twice["level"] == "ERROR" and twice["args"]["error_severity"] == "ERROR" and twice["args"]["detail"] == "Key (i)=(1) already exists." and
              "insert into k values (1);" in twice["args"]["statement"] and twice["args"]["backend_type"] == "client backend" and
              twice["args"]["application"] == "psql" and twice["args"]["message_id"].startswith("duplicate key value") and
              twice["args"]["source_function"] == "_bt_check_unique" and twice["args"]["source_line"] > 0 and
              twice["args"]["query_id"] != 0, twice)
        warning = [m for m in said if m["args"]["primary_message"] == "wary of 7"][0]
        check(warning["level"] == "WARN" and warning["args"]["hint"] == "be calm" and warning["args"]["detail"] == "a detail" and
              "inline_code_block" in warning["args"]["where"], warning)
        fatal = [m for m in said if m["level"] == "CRITICAL"][0]
        check(fatal["args"]["sqlstate"] == "28000" and "nobody_known" in fatal["args"]["primary_message"], fatal)
        types = {m["args"].get("backend_type") for m in said}
        check("postmaster" in types and "startup" in types and "client backend" in types, types)
        # With replace_log they are here only.
        c.set({"steno.replace_log": "on"})
        c.reload()
        Cluster.wait_for(lambda: c.sql("show steno.replace_log;") == ["on"], "reload")
        c.sql("select 'only here'::int;", check=False)
        with open(c.server_log) as text:
            check("only here" not in text.read(), "the server's own log has what steno replaces")
        check(any("only here" in m["args"]["primary_message"] for m in messages(c)), "the message is nowhere")
        # What redaction leaves out is nowhere: texts, values, messages, details.
        c.set({"steno.redact_parameters": "on", "log_min_duration_statement": 0})
        c.reload()
        Cluster.wait_for(lambda: c.sql("show steno.redact_parameters;") == ["on"], "reload")
        c.sql("create role r password 'secret1'; select 'secret2', 98765432; select 'secret3'::int;"
              "prepare p(text) as select $1; execute p('secret4'); insert into k values (44556677); insert into k values (44556677);"
              "do $$ begin raise 'secret5'; end $$;", check=False)
        text = c.run(c.steno, "cat", c.log).stdout
        for secret in ("secret1", "secret2", "98765432", "secret3", "secret4", "44556677", "secret5"):
            check(secret not in text, secret, "is in the log")
        check("create role r password $1" in text and "select $1, $2" in text, "texts without values are missing")
        c.stop()
        check(any("shut down" in m["args"]["primary_message"] for m in messages(c)), "the last message is missing")
        check_complete(c)
        # A setting that is wrong: PostgreSQL warns, and goes on without it.
        c.set({"steno.ring_size": "100kB", "steno.path": "''", "steno.nonsense": "1"})
        c.start()
        check(c.sql("show steno.ring_size; show steno.path;") == ["8MB", "log/postgresql.steno"], "settings that are wrong")
        c.stop()
        with open(c.server_log) as text:
            said = text.read()
        for why in ('"steno.ring_size" must be a power of two', '"steno.path" must name a file', '"steno.nonsense"'):
            check(why in said, why, "is not said")
    finally:
        c.remove()


def test_sql(servers):
    """The log in SQL: rows, views, and who may see them."""
    c = servers.make()
    try:
        c.start()
        c.create_extension()

        # What a scribe has written is what is asked.
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
        check(int(c.sql("select count(*) from steno.log(until => now());")[0]) > 10, "until")
        check(c.sql("select count(*) >= 0 from steno.slow;") == ["t"] and c.sql("select count(*) >= 0 from steno.verify();") == ["t"], "views")
        # As many as the command counts.
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
        c.stop()
        check_complete(c)
    finally:
        c.remove()


def test_kills(servers):
    """Backends, the scribe and the whole server are killed: every statement that was answered is in the log, once."""
    c = servers.make({"restart_after_crash": "on"})
    try:
        c.start()
        counters = []

        def counting(first, count=2):
            some = [Counter(c, first + i * 1000000) for i in range(count)]
            for counter in some:
                counter.start()
            Cluster.wait_for(lambda: all(len(one.confirmed) > 50 for one in some), "statements")
            counters.extend(some)
            return some

        # The scribe: nobody notices.
        some = counting(1)
        for _ in range(servers.kills // 5 or 3):
            Cluster.wait_for(lambda: len(c.scribes()) == 1, "scribe")
            killed = c.scribes()
            os.kill(killed[0], signal.SIGKILL)
            Cluster.wait_for(lambda: c.scribes() and c.scribes() != killed, "scribe that goes on")
            seen = [len(one.confirmed) for one in some]
            Cluster.wait_for(lambda: all(len(one.confirmed) > n + 20 for one, n in zip(some, seen)), "statements")
        # A backend: the server ends all others, and begins again; the scribe goes on.
        Cluster.wait_for(lambda: len(c.scribes()) == 1, "scribe")
        scribe = c.scribes()
        for kill in range(servers.kills or 2):
            backends = [int(pid) for pid in c.sql("select pid from pg_stat_activity where application_name='psql' and pid<>pg_backend_pid();")]
            check(len(backends) == 2, backends)
            os.kill(backends[kill % 2], signal.SIGKILL)
            for counter in some:
                counter.join(60)
            Cluster.wait_for(lambda: c.run(c.bin + "/pg_isready", check=False).returncode == 0, "server that begins again")
            if kill + 1 < (servers.kills or 2):
                some = counting(10000000 * (kill + 1) + 1)
        check(c.scribes() == scribe, "the scribe was another's victim")
        # One at a time, by its administrator.
        some = counting(1000000001)
        ended = c.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name='psql' and pid<>pg_backend_pid();")
        check(ended == ["t", "t"], ended)
        for counter in some:
            counter.join(60)
        # All of it, twice; the second time before anything was drained again.
        for round_ in range(servers.kills // 5 or 2):
            some = counting(1100000001 + round_ * 10000000)
            c.kill_all()
            for counter in some:
                counter.join(60)
            check_counters(c, counters)  # from what the dead have left
            c.start()
        check_counters(c, counters)
        c.stop()
        check_counters(c, counters)
        check_complete(c)
    finally:
        c.remove()


def test_full_disk(servers):
    """The log's file cannot grow for a while: nothing that fits into the rings is lost."""
    c = servers.make()
    try:
        # The limit of a file's size stands in for the disk's.
        limit = 32768
        limited = os.path.join(c.own, "limited")
        with open(limited, "w") as script:
            script.write('#!/bin/sh\nulimit -S -f %d\nexec "%s" "$@"\n' % (limit // 512, c.steno))
        os.chmod(limited, 0o755)
        c.set({"steno.command": "'%s'" % limited})
        c.start()
        Cluster.wait_for(c.scribes, "scribe")
        scribe = c.scribes()[0]

        def size():
            return os.path.getsize(c.log) if os.path.exists(c.log) else 0

        # What cannot be packed.
        noise = ["".join("%016x" % random.getrandbits(64) for _ in range(60)) for _ in range(300)]
        half = len(noise) // 2
        c.sql("".join("select length('%s');" % one for one in noise[:half]))
        Cluster.wait_for(lambda: size() > limit * 3 // 4, "file that is full")
        c.sql("".join("select length('%s');" % one for one in noise[half:]))
        check(size() <= limit and c.scribes() == [scribe], size(), c.scribes())
        # By the scribe's own user, who needs no right for it.
        c.run("prlimit", "--pid", str(scribe), "--fsize=unlimited:unlimited")
        Cluster.wait_for(lambda: size() > limit * 2, "file that grows again")
        c.stop()
        texts = [r["args"]["text"] for r in statements(c) if "length('" in r["args"]["text"]]
        check([text.split("'")[1] for text in texts] == noise, len(texts), "of", len(noise))
        check_complete(c)
    finally:
        c.remove()


def test_no_log(servers):
    """A log that cannot be written: the server runs."""
    c = servers.make({"steno.path": "'/proc/no/such.steno'", "steno.when_full": "drop"})
    try:
        c.start()
        check(c.sql("select 1;") == ["1"], "no answer")
        c.stop()
        c.set({"steno.path": "'log/postgresql.steno'", "steno.command": "'/no/such/steno'"})
        c.start()
        check(c.sql("select 2;") == ["2"], "no answer")

        def said():
            with open(c.server_log) as text:
                return text.read()

        Cluster.wait_for(lambda: 'could not execute "/no/such/steno"' in said(), "warning")
        c.kill_all()
        c.set({"steno.command": "'%s'" % c.steno})
        c.start()
        Cluster.wait_for(lambda: len(statements(c)) >= 1, "records of before")
        c.stop()
        check([r["args"]["text"] for r in statements(c)] == ["select 2"], statements(c))
    finally:
        c.remove()


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    pg_config = find_pg_config()
    if pg_config is None:
        print("check_postgres: skipped, there is no PostgreSQL with its headers here (scripts/bootstrap installs one)")
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    servers = Servers(pg_config, *[os.path.abspath(path) for path in sys.argv[1:4]])
    arguments = sys.argv[4:]
    if arguments[:1] == ["--kills"]:
        servers.kills = int(arguments[1])
        arguments = arguments[2:]
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}

    def run(name):
        begin = time.monotonic()
        try:
            tests[name](servers)
        except Exception:
            return "%s: FAILED\n%s" % (name, traceback.format_exc())
        return "%s: ok, %.1f s" % (name, time.monotonic() - begin)

    # They wait more than they compute.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(run, arguments or tests))
    print("\n".join(outcomes))
    return int(any("FAILED" in outcome for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
