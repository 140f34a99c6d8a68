"""What is in the log when processes are killed, and when it cannot be written."""

import os
import random
import signal
import threading

from cluster import Cluster
from log_checks import check, check_complete, statements


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


def test_kills(servers):
    """Backends, the scribe and the whole server are killed: every statement that was answered is in the log, once."""
    with servers.made({"restart_after_crash": "on"}) as c:
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
            Cluster.wait_for(lambda: (now := c.scribes()) and now != killed, "scribe that goes on")
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


def test_full_disk(servers):
    """The log's file cannot grow for a while: nothing that fits into the rings is lost."""
    with servers.made() as c:
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

        # These texts cannot be packed.
        noise = ["".join("%016x" % random.getrandbits(64) for _ in range(60)) for _ in range(300)]
        half = len(noise) // 2
        c.sql("".join("select length('%s');" % one for one in noise[:half]))
        Cluster.wait_for(lambda: size() > limit * 3 // 4, "file that is full")
        c.sql("".join("select length('%s');" % one for one in noise[half:]))
        check(size() <= limit and c.scribes() == [scribe], size(), c.scribes())
        # The scribe's own user may do this without a right.
        c.run("prlimit", "--pid", str(scribe), "--fsize=unlimited:unlimited")
        Cluster.wait_for(lambda: size() > limit * 2, "file that grows again")
        c.stop()
        texts = [r["args"]["text"] for r in statements(c) if "length('" in r["args"]["text"]]
        check([text.split("'")[1] for text in texts] == noise, len(texts), "of", len(noise))
        check_complete(c)


def test_no_log(servers):
    """A log that cannot be written: the server runs."""
    with servers.made({"steno.path": "'/proc/no/such.steno'", "steno.when_full": "drop"}) as c:
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
