"""What a connection costs the log."""

import contextlib
import os
import subprocess

import wire
from cluster import Cluster
from log_checks import check, check_complete

CONNECTIONS = 100
MOST = 200  # bytes of a short one


def bytes_each(c, ask):
    """Of the file, for each time; three times before, for what is logged once and what others are packed by."""
    def size():
        # The records of backends that have ended are there.
        Cluster.wait_for(lambda: len([pid for pid, line in c.processes().items() if "tester" in line]) == 0, "end of the backends")
        c.flush()
        return os.path.getsize(c.log)

    for _ in range(3):
        ask()
    before = size()
    for _ in range(CONNECTIONS):
        ask()
    return (size() - before) / CONNECTIONS


def ask_once(c):
    connection = wire.Wire(c)
    connection.query("select 1;")
    connection.close()


def be_refused(c):
    with contextlib.suppress(AssertionError):  # the server closes the connection
        wire.Wire(c, database="none")


def check_refusals(c):
    """They are all there."""
    counted = int(c.run(c.steno, "cat", "--count", c.log, "--where", 'sqlstate == "3D000"').stdout)
    check(counted == CONNECTIONS + 3, "refusals:", counted)


def test_connections(servers):
    """Short connections: a session each, which is packed by another one like it."""
    with servers.started() as c:
        Cluster.wait_for(c.scribes, "scribe")
        statement = bytes_each(c, lambda: ask_once(c))
        refused = bytes_each(c, lambda: be_refused(c))
        print("bytes of a connection with a statement: %.0f, of a refused one: %.0f" % (statement, refused))
        check(statement <= MOST, "bytes of a connection with a statement:", statement)
        check(refused <= MOST, "bytes of a refused connection:", refused)
        counted = int(c.run(c.steno, "cat", "--count", c.log, "--where", 'text == "select 1;" or text == "select 1"').stdout)
        check(counted == CONNECTIONS + 3, "statements:", counted)
        check_refusals(c)


def test_slow_refusals(servers):
    """A refused connection costs no more where its process takes a while to end, as all do on a busy machine."""
    headers = subprocess.run([servers.pg_config, "--includedir-server"], capture_output=True, text=True, check=True).stdout.strip()
    with servers.made() as c:
        slow = os.path.join(c.own, "slow_end.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-I" + headers, "-o", slow, os.path.join(servers.source, "test/postgres/slow_end.c")], check=True)
        c.set({"shared_preload_libraries": "'%s, %s'" % (c.library[:-3], slow)})
        c.start()
        Cluster.wait_for(c.scribes, "scribe")
        refused = bytes_each(c, lambda: be_refused(c))
        check(refused <= MOST, "bytes of a refused connection that ends slowly:", refused)
        check_refusals(c)
        c.stop()
        check_complete(c)
