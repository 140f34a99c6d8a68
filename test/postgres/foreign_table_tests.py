"""The log as foreign tables: what is pushed down, and that it changes no result."""

import os
import random
import shutil

from log_checks import check

TEXTS = ["", "a", "it's", 'q"uote', "back\\slash", "ä?ö", "new\nline", "7", "select $1", "tester", "22012", "00000"]
NUMBERS = ["-1", "0", "1", "7", "41", "42", "41.5", "-0.5", "9000000000", "1e30", "'nan'::numeric", "100000"]
REALS = ["'nan'::float8", "'infinity'::float8", "0", "0.1", "2.25", "-1e300", "1"]
# The kind of values that a column is compared with, by its type.
LOG = {"duration": "number", "query_id": "number", "rows": "number", "nesting": "number", "wal_bytes": "number", "pid": "number",
       "command": "text", "sqlstate": "text", '"user"': "text", "p1": "text", "p2": "text", "text": "text", "parameters": "text", "time": "time"}
MESSAGES = {"level": "level", "severity": "text", "message": "text", "m1": "text", "message_id": "text", "source_line": "number",
            "sqlstate": "text", "time": "time"}
TYPED = {"p1": "number", "p2": "text", "p3": "real", "time": "time"}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def random_condition(random_, columns, texts, times, depth=2):
    if depth > 0 and random_.random() < 0.4:
        parts = [random_condition(random_, columns, texts, times, depth - 1) for _ in range(random_.randrange(2, 4))]
        return "(" + random_.choice((" and ", " or ")).join(parts) + ")"
    column, kind = random_.choice(sorted(columns.items()))

    def value():
        if kind == "number":
            return random_.choice(NUMBERS)
        if kind == "real":
            return random_.choice(REALS)
        if kind == "time":
            return quoted(random_.choice(times)) + "::timestamptz"
        if kind == "level":
            return quoted(random_.choice(("INFO", "ERROR", "CRITICAL", "WARN", "none")))
        return quoted(random_.choice(texts))

    form = random_.random()
    if form < 0.1:
        return "%s is %snull" % (column, random_.choice(("", "not ")))
    if form < 0.2:
        return "%s between %s and %s" % (column, value(), value())
    if form < 0.35:
        return "%s in (%s)" % (column, ", ".join(value() for _ in range(random_.randrange(1, 4))))
    if form < 0.4:
        return "not (%s = %s)" % (column, value())
    if form < 0.45:
        return "%s = %s || ''" % (column, value()) if kind in ("text", "level") else "%s <= (select %s)" % (column, value())
    operator = random_.choice(("=", "<>", "<", "<=", ">", ">="))
    return " ".join((column, operator, value()) if form < 0.8 else (value(), operator, column))


def test_foreign_tables(servers):
    with servers.started() as c:
        c.create_extension()
        typed = "prepare p(int, text, float8) as select $1, $2, $3;" + "".join(
            "execute p(%d, %s, %s);" % (number, quoted(TEXTS[number % len(TEXTS)]), real)
            for number, real in zip(range(30, 60), ("0.1", "2.25", "'nan'", "-1e300", "'infinity'", "1") * 5))
        c.run(c.bin + "/psql", "-X", "-q", stdin=typed + "prepare q(text, int) as select $1, $2;" + "".join(
            "execute q(%s, %s);" % (quoted(text), random.choice(("null", "7", "41"))) for text in TEXTS))
        c.sql("create table t(i int); insert into t select generate_series(1, 50); select * from t where i > 7; select 1/0; select * from nix;"
              "do $$ begin raise warning 'seven'; end $$; select 'x'::int; select * from \"it's\"", check=False)
        c.flush()  # the scribe may still write when the server has ended, and a copy has what is in the file alone
        c.stop()
        shutil.copy(c.log, c.directory + "/copy.steno")
        os.chmod(c.directory + "/copy.steno", 0o644)
        c.start()
        # This copy does not grow while it is queried.
        c.sql("create schema kept; import foreign schema steno from server steno into kept options (path '%s/copy.steno');" % c.directory +
              "create foreign table kept.typed (p1 bigint, p2 text, p3 float8, \"time\" timestamptz) server steno options "
              "(path '%s/copy.steno', statement $$({p1}, '{p2}', {p3}{parameters})$$);" % c.directory)
        times = c.sql("select time from kept.log;")
        check(len(times) > 60 and c.sql("select count(*) from kept.typed;") == ["30"], len(times))
        texts = TEXTS + c.sql("select distinct message from kept.messages;") + ["SELECT", "EXECUTE", "ERROR", "LOG", "tester", "42P01", "nix"]
        seed = random.randrange(2**32)
        random_ = random.Random(seed)
        script = []
        conditions = []
        for table, columns in (("log", LOG), ("messages", MESSAGES), ("typed", TYPED)):
            for _ in range(servers.conditions):
                condition = random_condition(random_, columns, texts, times)
                conditions.append((table, condition))
                for source in ("kept.%s" % table, "(select * from kept.%s offset 0)" % table):
                    script.append("select count(*), md5(string_agg(r::text, '' order by r::text)) from %s r where %s;" % (source, condition))
        found = c.sql("\n".join(script))
        check(len(found) == 2 * len(conditions), len(found))
        for i, condition in enumerate(conditions):
            check(found[2 * i] == found[2 * i + 1], "seed", seed, condition, found[2 * i:2 * i + 2])
        kept = [int(row.split("|")[0]) for row in found[::2]]
        check(any(kept) and not all(kept), kept)

        def plan(text):
            return "\n".join(c.sql("explain (analyze, costs off, timing off, summary off) " + text))

        # Rows that the reader leaves out do not come to the filter.
        for condition, pushed in (
                ("sqlstate = '22012'", "Steno Condition: sqlstate = '22012'::text"),
                ("time > now() - interval '5 min' and duration < 0", "duration < 0 AND time > (now() - '00:05:00'::interval)"),
                ("duration > 1e15", "duration > '1000000000000000'::numeric"),
                ("p1 = '41' or nesting > 5", "(p1 = '41'::text OR nesting > 5)"),
                ("query_id in (1, 2) and \"user\" = current_user", "query_id = ANY ('{1,2}'::bigint[])"),
                ("'nobody' = \"user\"", "user = 'nobody'::text")):
            said = plan("select * from kept.log where " + condition)
            check(pushed in said and ("Rows Removed" not in said or "p1" in condition), condition, said)
        for condition in ("length(text) > 3", "text like 'a%'", "p1 is null", "duration + 1 = 7", "text < 'b'", "duration > random()"):
            check("Steno Condition" not in plan("select * from kept.log where " + condition), condition)
        check("Steno Condition: level = 'ERROR'" in plan("select * from kept.messages where level = 'ERROR'"), "level")
        # Prepared, joined, in a cursor that goes back to its begin.
        check(c.sql("set plan_cache_mode = force_generic_plan; prepare p(text) as select count(*) > 0 from kept.log where command = $1; execute p('SELECT'); execute p('none');") ==
              ["t", "f"], "prepared")
        check(c.sql("set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off;"
                    "select count(*) = (select count(*) from kept.log) from kept.log l, (values (1), (2)) v(i) where v.i = 1;") == ["t"], "joined")
        check(c.sql("begin; declare k scroll cursor for select command from kept.log; move 10 in k; move absolute 0 in k; fetch 1 from k; rollback;") ==
              c.sql("select command from kept.log limit 1;"), "a cursor")
        c.sql("checkpoint;")
        c.sql("create foreign table kept.checkpoints (\"time\" timestamptz, buffers bigint options (field 'm1'), seconds float8 options (field 'm8')) "
              "server steno options (statement 'wrote {m1} buffers (');")
        check(c.sql("select count(*) > 0 from kept.checkpoints where buffers >= 0 and seconds >= 0;") == ["t"], "a table of other fields")
        # Estimates by the file's size.
        rows = int(c.sql("explain select * from kept.log;")[0].split("rows=")[1].split()[0])
        check(len(times) / 20 < rows < len(times) * 2000, rows, "of", len(times))
        # Privileges decide who may read.
        c.sql("create role watcher login; create role reader login; grant pg_monitor to watcher; grant pg_read_server_files to reader; grant create on schema public to watcher, reader;")

        def says(text, role="tester"):
            done = c.run(c.bin + "/psql", "-X", "-A", "-t", "-q", "-U", role, "-c", text, check=False)
            return done.stderr.strip()

        for text in ("select * from steno.log", "create foreign table public.f (a text) server steno", "import foreign schema steno from server steno into public"):
            check("permission denied" in says(text, "watcher"), text, says(text, "watcher"))
        c.sql("grant usage on foreign server steno to watcher;")
        check("only members of pg_read_server_files" in says("create foreign table public.f (a text) server steno options (path '/etc/passwd')", "watcher"), "a path")
        for text in ("select count(*) from steno.log where time > now() - interval '1 min'", "select message from steno.messages limit 1",
                     "create foreign table public.f (a text) server steno options (path '/no/such')"):
            check(says(text, "reader") == "", text, says(text, "reader"))
        for text, why in (("select * from public.f", "could not read the log: /no/such"),
                          ("import foreign schema other from server steno into public", 'there is no foreign schema "other"'),
                          ("create foreign table public.g (a text) server steno options (pfad '/x')", 'invalid option "pfad"'),
                          ("create foreign table public.g (a text options (field 'x', type 'y')) server steno", 'invalid option "type"'),
                          ("insert into steno.log (command) values ('x')", "cannot insert into foreign table"),
                          ("alter foreign table kept.typed alter p2 type bigint; select * from kept.typed", "has another type")):
            check(why in says(text), text, says(text))
