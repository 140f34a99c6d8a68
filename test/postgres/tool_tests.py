"""The steno command on a server's log, and the examples of docs/postgresql.md."""

import json
import os
import re
import shutil

from cluster import Cluster
from log_checks import check, check_complete, statements


def examples(source, language):
    """Commands, or statements, of the page's blocks of a language."""
    with open(os.path.join(source, "docs", "postgresql.md")) as text:
        blocks = re.findall(r"```(\w*)\n(.*?)```", text.read(), re.S)
    return [block for name, block in blocks if name == language]


def test_tools(servers):
    """tail, top, agg, pair, diff and stat, on a log that is written meanwhile."""
    with servers.made({"log_connections": "on", "log_disconnections": "on", "log_checkpoints": "on"}) as c:
        c.start()
        c.sql("create table t(i int); insert into t select generate_series(1, 100);")
        followed = c.popen(c.steno, "tail", "-f", "-n", "0", c.log, "--where", 'command == "SELECT"', "--format", "json", stdout=-1, stderr=-3)
        counted = c.popen(c.steno, "top", "--interval", "100ms", "--count", "20", "--json", c.log, stdout=-1, stderr=-3)
        try:
            lines = []
            # This runs until it follows; and makes so many connections that a server with hardly any differs from this
            # one (diff, below).
            for n in range(1000):
                c.sql("select %d from t where i = 7;" % n)
                if counted.poll() is not None and n >= 100:
                    break
            followed.terminate()
            lines = [json.loads(line)["args"]["text"] for line in followed.stdout]
        finally:
            followed.kill()
            counted.kill()
        # Records are there without a gap from the moment when it began to follow. A backend's first ones may come after
        # the next one's, so some of the last ones may be missing.
        numbers = sorted(int(text.split()[1]) for text in lines if text.endswith("from t where i = 7"))[:-5]
        check(numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers)
        rounds = [json.loads(line) for line in counted.stdout]
        files = {site["file"] for round_ in rounds for site in round_["sites"] if site["records"] > 0}
        check(any(name.endswith("statement_record.c") for name in files), files)
        c.stop()
        # The groups are queries, as in steno.statements.
        selects = [r["args"] for r in statements(c) if "from t where i" in r["args"]["text"]]
        found = c.run(c.steno, "agg", c.log, "--site", "statement_record.c", "--by", "query_id", "--arg", "duration", "--op", "count,max", "--format", "json").stdout
        by = {row["query_id"]: row for row in map(json.loads, found.splitlines())}
        own = by[selects[0]["query_id"]]
        check(own["count"] == len(selects) and own["max"] == max(s["duration"] for s in selects), own, len(selects))
        # The length of sessions is the time from one message to another, by whose they are.
        pairs = json.loads(c.run(c.steno, "pair", c.log, "connection received", "disconnection", "--key", "session_id", "--format", "json").stdout.splitlines()[0])
        check(pairs["pairs"] >= len(selects), pairs)
        # The comparison shows the difference after a change.
        shutil.copy(c.log, c.directory + "/before.steno")
        os.chmod(c.directory + "/before.steno", 0o644)
        os.unlink(c.log)
        c.start()
        # Its scribe has taken over what the one before left in shared memory: until then, the removed file is missed.
        Cluster.wait_for(lambda: os.path.exists(c.log), "log")
        c.sql("".join("update t set i = i + 1 where i = %d;" % n for n in range(200)) + "select 1/0;", check=False)
        c.stop()
        differences = c.run(c.steno, "diff", c.directory + "/before.steno", c.log).stdout
        check("division by zero" in differences and "connection" in differences, differences)
        check("duration" in c.run(c.steno, "stat", "--columns", c.log).stdout, "columns")
        check_complete(c)


def test_examples(servers):
    """Each command and each statement of the page runs."""
    with servers.made({"log_checkpoints": "on", "log_min_duration_statement": 0, "log_connections": "on", "log_disconnections": "on"}) as c:
        c.start()
        c.create_extension()
        c.sql("create role app; create schema last_week; checkpoint; select pg_sleep(0.2);")
        c.sql("create table t(i int); set deadlock_timeout = '10ms';")
        Cluster.wait_for(lambda: c.sql("select count(*) > 0 from steno.messages where message like 'checkpoint complete%';") == ["t"], "checkpoint")
        ran = 0
        for block in examples(servers.source, "sql"):
            for statement in re.sub(r"--.*", "", block).split(";\n"):
                if not statement.strip() or statement.strip().startswith("CREATE EXTENSION"):
                    continue
                c.sql(statement + ";")
                ran += 1
        check(ran > 6, ran)
        c.stop()
        shutil.copy(c.log, c.directory + "/before-the-upgrade.steno")
        os.chmod(c.directory + "/before-the-upgrade.steno", 0o644)
        environment = {"PATH": os.path.dirname(c.steno) + ":" + c.environment["PATH"], "PGDATA": c.data}
        ran = 0
        for block in examples(servers.source, ""):
            for line in block.splitlines():
                if line.startswith("steno ") and " -f " not in line:
                    done = c.run("sh", "-c", line, environment=environment, check=False)
                    check(done.returncode == 0, line, done.stderr)
                    ran += 1
        check(ran >= 6, ran)
