"""Sinks of the server's scribe: steno.sinks."""

import json
import os

from cluster import Cluster
from log_checks import check, statements


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as text:
        return text.read().splitlines()


def test_sinks(servers):
    """Records go to the sinks of steno.sinks as well; a file that is wrong costs the log nothing."""
    with servers.made({"steno.sinks": "'sinks.toml'"}) as c:
        shown = os.path.join(c.directory, "shown.json")
        toml = os.path.join(c.data, "sinks.toml")
        with open(toml, "w") as out:
            out.write('[[sinks]]\npath = "%s"\nformat = "json"\n' % shown)
        c.start()
        c.sql("select 40 + 2 as shown;")
        # The statement's text, once, and its record.
        Cluster.wait_for(lambda: any("as shown" in line for line in lines_of(shown)), "text")
        Cluster.wait_for(lambda: any(json.loads(line)["args"].get("command") == "SELECT" for line in lines_of(shown)), "record")
        c.stop()

        with open(toml, "w") as out:
            out.write("[[sinks]]\npaht = 1\n")
        c.start()
        c.sql("select 1 as logged;")
        c.stop()
        check([r for r in statements(c) if r["args"]["text"] == "select 1 as logged"], "the log stood still")
        with open(c.server_log) as text:
            said = text.read()
        check("did you mean 'path'" in said and "goes on without the sinks" in said, said[-2000:])
