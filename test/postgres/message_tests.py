"""Messages of the server."""

import json
import os
import random
import re
import socket

import message_formats
from cluster import Cluster
from log_checks import check, check_complete, message_text, messages


# The fields of jsonlog, as SQL that finds the same in the log. Where jsonlog leaves a field out, it is null.
JSONLOG = {
    "user": 'nullif("user", \'\')', "dbname": "nullif(database, '')", "pid": "pid", "remote_host": "nullif(client, '')", "remote_port": "nullif(client_port, '')::int",
    "session_id": "session_id", "line_num": "line_num", "ps": "case when client <> '' then ps end", "session_start": "to_char(session_start, 'YYYY-MM-DD HH24:MI:SS TZ')",
    "vxid": "case when vxid_backend >= %d then vxid_backend || '/' || vxid_local end", "txid": "xid", "error_severity": "severity", "state_code": "sqlstate", "message": "message",
    "detail": "nullif(detail, '')", "hint": "nullif(hint, '')", "internal_query": "nullif(internal_query, '')", "internal_position": "nullif(internal_position, 0)",
    "context": "nullif(\"where\", '')", "statement": "nullif(statement, '')", "cursor_position": "case when statement <> '' then nullif(cursor, 0) end", "func_name": "source_function",
    "file_name": "source_file", "file_line_num": "source_line", "application_name": "nullif(application, '')", "backend_type": "backend_type",
    "leader_pid": "nullif(leader_pid, 0)", "query_id": "query_id"}


def free_port():
    """Below those that the system gives to clients."""
    for port in random.sample(range(15000, 32000), 100):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no port is free")


def test_formats(servers):
    """Any format and text: what is read from the text gives the text again."""
    message_formats.run(servers.source, servers.work)


def test_columns(servers):
    """A message's format is its statement, its arguments are columns; jsonlog has the same messages."""
    port = free_port()
    with servers.started({"log_connections": "on", "log_disconnections": "on", "log_checkpoints": "on", "log_min_duration_statement": 0,
                         "log_destination": "'jsonlog'", "logging_collector": "on", "log_directory": "'collected'", "log_filename": "'server'",
                         "log_min_messages": "debug1", "log_error_verbosity": "verbose", "log_timezone": "'UTC'", "listen_addresses": "'127.0.0.1'", "port": port,
                         "max_parallel_workers_per_gather": 2, "parallel_setup_cost": 0, "parallel_tuple_cost": 0, "min_parallel_table_scan_size": 0,
                         "parallel_leader_participation": "off"}, port) as c:
        c.create_extension()
        c.sql("create table t(i int primary key, s text); insert into t values (1); insert into t values (1); select * from nix;"
              "select 'a{b}c %d'::int; select 1/0; do $$ begin raise warning 'wary of %', 7; end $$;"
              "do $$ begin for i in 1..5 loop raise log 'order % of {shop} took % s', i * 100, i + 0.25; raise log 'once %', repeat('x', i) || i; end loop; end $$;"
              "do $$ begin raise log 'all' using detail = 'a detail', hint = 'a hint'; execute 'select none'; end $$;"
              "create function loud(n int) returns int language plpgsql parallel safe as $$ begin raise log 'among workers'; return n; end $$; select sum(loud(i)) from t;", check=False)
        c.run(c.bin + "/psql", "-X", "-q", "-h", "127.0.0.1", "-c", "select 'by TCP'")
        c.run(c.bin + "/psql", "-X", "-q", "-c", "checkpoint")
        c.pgbench("-i", "-q")
        c.pgbench("-M", "prepared", "-n", "-t", "20")
        c.sql("select pg_sleep(0.2);")
        c.stop()
        # The log has as many messages of each kind as the server has written, with the same fields.
        with open(os.path.join(c.data, "collected", "server.json")) as lines:
            written = [{"state_code": "00000", **json.loads(line)} for line in lines]
        for name in set(JSONLOG) - {name for said in written for name in said}:
            raise AssertionError("no message has " + name)

        def fields(said):
            # Before the collector is there, and after it has gone, only steno has them: it has counted more lines of these processes.
            left_out = () if said["backend_type"] in ("client backend", "parallel worker") else ("line_num",)
            if said["backend_type"] == "parallel worker":  # it has its leader's session here (who_tests)
                left_out = ("user", "dbname", "remote_host", "remote_port", "session_id", "ps")
            return json.dumps({name: said.get(name) for name in JSONLOG if name not in left_out})

        written = [fields(said) for said in written]
        c.set({"log_min_messages": "panic", "log_min_duration_statement": -1, "log_connections": "off", "log_disconnections": "off"})
        c.start()

        first_backend = 0 if c.version >= 17 else 1
        columns = ", ".join("'%s', %s" % item for item in {**JSONLOG, "vxid": JSONLOG["vxid"] % first_backend}.items())

        def there():
            rows = c.sql("select json_build_object(%s) from steno.messages(until => (select pg_postmaster_start_time()));" % columns)
            return [fields(json.loads(row)) for row in rows]

        Cluster.wait_for(lambda: len(there()) >= len(written), "messages")
        missing = list(written)
        for row in there():
            if row in missing:
                missing.remove(row)
        near = [row for row in there() if missing and json.loads(row)["pid"] == json.loads(missing[0])["pid"]]
        check(not missing, len(missing), "of", len(written), "messages are missing:", *missing[:3], "\nof this process there are", *near)
        found = c.run(c.steno, "agg", c.log, "duration: {m1:.3f} ms  statement", "--arg", "m1", "--op", "max").stdout.split()
        check(200 <= float(found[-1].replace(",", "")) < 60000, found)
        check(c.sql("select m1::float8 >= 200 from steno.messages(condition => 'm1 > 199 and m2 == \"select pg_sleep(0.2);\"');") == ["t"], "a condition on values")
        by = {row.split("|")[0]: row.split("|")[1:] for row in c.sql("select message_id, bool_and(m1 is not null), count(*) from steno.messages() group by 1;")}
        check(by['relation "%s" does not exist'][0] == "t" and by["division by zero"][0] == "f" and by["%s"][0] == "f", by)
        # Numbers in RAISE become values from the second message on that differs in nothing else.
        orders = c.sql("select message, message_id, m1, m2 from steno.messages() where message like 'order%' order by time;")
        check(orders == ["order %d of {shop} took %d.25 s|%%s|%s" % (i * 100, i, "%d|%d.25" % (i * 100, i) if i > 1 else "|") for i in range(1, 6)], orders)
        found = c.run(c.steno, "agg", c.log, "order {m1} of {{shop}} took {m2:.2f} s", "--arg", "m1", "--op", "sum").stdout.split()
        check(found[-1] == "1,400", found)
        check(c.sql("select count(*), count(m1) from steno.messages() where message like 'once x%';") == ["5|0"], "each of them comes once")
        complete = [message for message in by if message.startswith("checkpoint complete")]
        check(len(complete) == 1 and by[complete[0]][0] == "t", by)


def test_server_log(servers):
    """Messages of the server: their fields, steno.replace_log, steno.redact_parameters, what settings are refused."""
    with servers.made({"log_connections": "on"}) as c:
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
        warning = [m for m in said if message_text(m["args"]) == "wary of 7"][0]
        check(warning["level"] == "WARN" and warning["args"]["hint"] == "be calm" and warning["args"]["detail"] == "a detail" and
              "inline_code_block" in warning["args"]["where"], warning)
        fatal = [m for m in said if m["level"] == "CRITICAL"][0]
        check(fatal["args"]["sqlstate"] == "28000" and fatal["args"]["m1"] == "nobody_known" and message_text(fatal["args"]) == 'role "nobody_known" does not exist', fatal)
        types = {m["args"].get("backend_type") for m in said}
        check("postmaster" in types and "startup" in types and "client backend" in types, types)
        # With replace_log, messages are here only.
        c.set({"steno.replace_log": "on"})
        c.reload()
        Cluster.wait_for(lambda: c.sql("show steno.replace_log;") == ["on"], "reload")
        c.sql("select 'only here'::int;", check=False)
        with open(c.server_log) as text:
            check("only here" not in text.read(), "the server's own log has what steno replaces")
        check(any("only here" in message_text(m["args"]) for m in messages(c)), "the message is nowhere")
        # Redaction removes texts, values, messages and details everywhere.
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
        check(any("shut down" in message_text(m["args"]) for m in messages(c)), "the last message is missing")
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


def test_refused_connections(servers):
    """FATAL errors before there is a session: who was refused, why, and what only the log is told."""
    with servers.started({"password_encryption": "'scram-sha-256'", "log_connections": "on"}) as c:
        c.sql("create role known login password 'right'; create role barred login;")
        with open(os.path.join(c.data, "pg_hba.conf")) as text:
            before = text.read()
        with open(os.path.join(c.data, "pg_hba.conf"), "w") as out:
            out.write("local all known scram-sha-256\nlocal all barred reject\n" + before)
        c.reload()
        Cluster.wait_for(lambda: "rejects connection" in c.run(c.bin + "/psql", "-X", "-U", "barred", check=False).stderr, "new pg_hba.conf")

        def connect(user, password="", database="postgres"):
            return c.run(c.bin + "/psql", "-X", "-U", user, "-d", database, "-c", "select 1", check=False, environment={"PGPASSWORD": password}).stderr

        check("authentication failed" in connect("known", "wrong") and connect("known", "right") == "", "passwords")
        check("does not exist" in connect("tester", database="nowhere"), "databases")
        refused = {}
        for record in messages(c):
            if record["level"] == "CRITICAL":
                refused.setdefault(record["args"]["sqlstate"], []).append(record["args"])
        check(set(refused) == {"28000", "28P01", "3D000"}, refused)
        barred, wrong, nowhere = [refused[state][-1] for state in ("28000", "28P01", "3D000")]
        check(barred["user"] == "barred" and barred["error_severity"] == "FATAL" and "rejects connection" in message_text(barred), barred)
        # The log has details that the client is not told.
        check(wrong["user"] == "known" and re.search('pg_hba.conf"? line 1', wrong["detail"]) and message_text(wrong) == 'password authentication failed for user "known"', wrong)
        check(nowhere["database"] == "nowhere" and nowhere["client"] == "[local]" and nowhere["vxid_backend"] > 0, nowhere)
        check(not any("right" in json.dumps(record["args"]) for record in messages(c)), "a password is in the log")
