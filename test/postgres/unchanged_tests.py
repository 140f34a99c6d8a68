"""What clients see of a server is the same where all is logged, errors with their places in the server's source too."""

import difflib
import os
import subprocess

from cluster import find_pg_config
from log_checks import check, statements

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unchanged")
# Nested statements are logged too, all plans, and messages that nobody reads.
ALL = {"steno.log_nested": "on", "steno.log_plans": 0, "log_min_messages": "debug1", "log_min_duration_statement": 0, "steno.replace_log": "on",
       "compute_query_id": "regress"}


def isolation_tester():
    pgxs = subprocess.run([find_pg_config(), "--pgxs"], check=True, capture_output=True, text=True).stdout.strip()
    return os.path.join(os.path.dirname(pgxs), "..", "test", "isolation", "isolationtester")


def seen(cluster):
    """By the name of what is run: all that it prints."""
    found = {}
    for name in sorted(os.listdir(HERE)):
        with open(os.path.join(HERE, name)) as text:
            script = text.read()
        if name.endswith(".sql"):
            done = cluster.run("sh", "-c", "exec %s/psql -X -a -q 2>&1" % cluster.bin, stdin=script)
        elif os.path.exists(isolation_tester()):
            done = cluster.run(isolation_tester(), "host=%s dbname=postgres" % cluster.socket, stdin=script)
        else:
            continue  # of no package here
        found[name] = done.stdout + done.stderr
    return found


def test_unchanged(servers):
    """The same scripts and sessions, with the extension and without."""
    with servers.made({"shared_preload_libraries": "''"}) as plain:
        plain.start()
        expected = seen(plain)
        plain.stop()
    check("division by zero" in expected["statements.sql"] and "LOCATION:" in expected["statements.sql"], expected["statements.sql"][:1000])
    check("deadlock detected" in expected.get("locks.spec", "deadlock detected"), expected)
    with servers.started(ALL) as c:
        for name, text in seen(c).items():
            difference = list(difflib.unified_diff(expected[name].splitlines(), text.splitlines(), "without", "with", lineterm=""))
            check(not difference, name, "\n".join(difference[:60]))
        check(any(r["args"]["nesting"] > 1 for r in statements(c, nested=True)), "nothing is nested")
