"""The log goes on in new files."""

import glob
import json
import os
import signal

from cluster import Cluster
from log_checks import check


def rotate(c):
    """The log goes on in a new file; returns the name of the closed one."""
    before = set(glob.glob(c.log[:-len(".steno")] + "*"))
    os.kill(c.scribes()[0], signal.SIGHUP)
    Cluster.wait_for(lambda: set(glob.glob(c.log[:-len(".steno")] + "*")) - before, "new file")
    return (set(glob.glob(c.log[:-len(".steno")] + "*")) - before).pop()


def test_texts_after_rotation(servers):
    """A new file has the texts of queries that are in use, whoever has logged them before: with a rotation of steno's and with another's."""
    with servers.started() as c:
        c.create_extension()
        c.sql("create procedure pr(n int) language sql as 'select 1';")
        ask = "select 4711 as asked, 'x'::text, 8 % 3; call pr(1);"
        c.sql(ask)
        Cluster.wait_for(c.scribes, "scribe")

        def texts():
            found = c.run(c.steno, "cat", c.log, "--format", "json", "--site", "query_text.c", check=False).stdout  # a new file has none
            queries = [json.loads(line)["args"]["query"] for line in found.splitlines()]
            return [query for query in queries if "asked" in query or "pr(" in query]

        check(len(texts()) == 3, texts())

        def named():
            return c.sql("select query from steno.statements where command in ('CALL', 'SELECT') and (query like '%asked%' or query like 'call%');")

        for how in ("its own", "by name"):
            if how == "its own":
                rotate(c)
            else:
                os.rename(c.log, c.log + ".1")
                Cluster.wait_for(lambda: os.path.exists(c.log), "new file")
            seen = len(texts())

            def asked():
                c.sql(ask)
                return len(texts()) > seen and len(named()) == 2

            # One of them may have begun just before the new file was seen.
            Cluster.wait_for(asked, lambda: "texts in the new file, %s: %s" % (how, named()))
            c.sql(ask * 20)
            check(len(texts()) <= seen + 6, "texts are logged again and again:", texts())
