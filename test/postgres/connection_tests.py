"""What a connection costs the log."""

import os

from cluster import Cluster
from log_checks import check

CONNECTIONS = 100


def bytes_each(c, ask):
    """Of the file, for each time; once before, for what is logged once."""
    def size():
        # What is of the backends that have ended is there.
        Cluster.wait_for(lambda: len([pid for pid, line in c.processes().items() if "tester" in line]) == 0, "end of the backends")
        c.flush()
        return os.path.getsize(c.log)

    ask()
    before = size()
    for _ in range(CONNECTIONS):
        ask()
    return (size() - before) / CONNECTIONS


def test_connections(servers):
    """Short connections: a session each, with what a reader needs to understand its records, and little more than that."""
    with servers.started() as c:
        Cluster.wait_for(c.scribes, "scribe")
        statement = bytes_each(c, lambda: c.sql("select 1;"))
        refused = bytes_each(c, lambda: c.run(c.bin + "/psql", "-X", "-d", "none", check=False))
        check(statement < 1500, "bytes of a connection with a statement:", statement)
        check(refused < 1300, "bytes of a refused connection:", refused)
