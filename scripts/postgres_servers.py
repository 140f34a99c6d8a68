"""PostgreSQL servers that log every statement by different means, and what pgbench measures of each: for bench_postgres,
which has test/postgres in its path."""
import contextlib
import glob
import os
import re
import subprocess
import time

from cluster import Cluster
from syslog_server import SyslogServer

ALL = {"log_min_duration_statement": "0"}
COLLECTED = {"logging_collector": "on", "log_directory": "'collected'", "log_filename": "'server'", **ALL}
SYSLOG = {"syslog": None, "syslog by UDP": "udp", "syslog by TCP": "tcp"}
PLAIN = "not logged"
PIPELINED = 50
CONNECTIONS = 200
OTHER_NAME = {"PGAPPNAME": "connections"}  # than statements have that are counted
ONE_CORE = ", one core"
# The cost of a statement for the backend shows best where it does little else: no system call for each.
PIPELINE = ("\\set aid random(1, 100000)\n\\set low -1000000000\n\\startpipeline\n" +
            "SELECT abalance FROM pgbench_accounts WHERE aid = :aid AND bid >= :scale AND abalance > :low;\n" * PIPELINED +
            "\\endpipeline\n")
SCRIPTS = 100  # of pgbench's, which takes 128
QUERIES = 3  # of each


def long_texts(directory):
    """Scripts of queries that differ in their lists, so that each has an id of its own."""
    made = []
    for script in range(SCRIPTS):
        path = os.path.join(directory, "texts%d.sql" % script)
        with open(path, "w") as out:
            out.write("\\set aid random(1, 100000)\n")
            for query in range(QUERIES):
                values = ", ".join(str(-1000000 - n) for n in range(100 + script * QUERIES + query))
                out.write("SELECT abalance FROM pgbench_accounts WHERE aid = :aid AND abalance NOT IN (%s);\n" % values)
        made += ["-f", path]
    return made


def ways(library, syslog):
    steno = {"shared_preload_libraries": "'%s'" % library}
    return {
        PLAIN: {},
        "stderr": {"log_destination": "stderr", **COLLECTED},
        "csvlog": {"log_destination": "csvlog", **COLLECTED},
        "jsonlog": {"log_destination": "jsonlog", **COLLECTED},
        **({name: {"log_destination": "syslog", **ALL} for name in SYSLOG} if syslog else {}),
        "pg_stat_statements": {"shared_preload_libraries": "pg_stat_statements"},
        "auto_explain, csvlog": {"shared_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_format": "json",
                                 "log_destination": "csvlog", **COLLECTED, "log_min_duration_statement": "-1"},
        "steno: statements": {**steno, "steno.log_parameters": "off"},
        "steno: with parameters": steno,
        "steno: with plans": {**steno, "steno.log_plans": "0"},
        "steno: server log": {**steno, **ALL, "steno.log_statement": "none", "steno.replace_log": "on"},
    }


def ticks_of(pid, fields):
    """Seconds of CPU: utime, stime, cutime and cstime are fields 11 to 14 after the name."""
    try:
        with open("/proc/%d/stat" % pid) as text:
            return sum(int(field) for field in text.read().rpartition(")")[2].split()[fields]) / os.sysconf("SC_CLK_TCK")
    except FileNotFoundError:
        return 0  # the postmaster has its time now


class Server:
    """One way's."""

    # A statement of pgbench's, once in each text log: what is prepared has lines for its parts, too.
    OWN = "(execute [^:]*|statement): SELECT abalance|Query Text.*SELECT abalance"

    def __init__(self, name, cluster, settings, script, protocol):
        self.name, self.cluster, self.script = name, cluster, script
        self.protocol = ["-M", protocol, "-n"]
        self.asked = ["-S"] if script == "select" else []
        self.of_transaction = {"select": 1, "tpcb": 7, "texts": QUERIES}[script]
        self.selects = 0  # of pgbench_accounts' balances
        self.inserts = 0
        self.statements = 0
        self.starts = 0
        self.heard = [0, 0]  # by syslog: bytes, statements
        self.unheard = 0  # statements without a daemon
        self.found = {}
        cluster.set(settings)
        self.start()

    def start(self):
        cluster = self.cluster
        cluster.start()
        self.count(self.pgbench("-S", "-M", "prepared", "-n", "-t", "2000"), 1, 0, 1)  # what is read is in memory then
        self.unheard += 2000
        self.starts += 1
        self.children = self.children_now()
        self.scribe = 0
        if self.name.startswith("steno"):
            Cluster.wait_for(cluster.scribes, "scribe")
            self.scribe = cluster.scribes()[0]

    def children_now(self):
        postmaster = self.cluster.postmaster()
        with open("/proc/%d/task/%d/children" % (postmaster, postmaster)) as pids:
            return set(pids.read().split())

    def count(self, transactions, selects, inserts, statements):
        self.selects += selects * transactions
        self.inserts += inserts * transactions
        self.statements += statements * transactions

    def pgbench(self, *arguments):
        """How many transactions; `tps` is of the last call."""
        out = self.cluster.pgbench(*arguments).stdout
        done = int(re.search(r"actually processed: (\d+)", out).group(1))
        if done == 0:
            raise SystemExit("bench_postgres: no transaction in the time given: " + out)
        self.tps = float(re.search(r"tps = ([\d.]+)", out).group(1))
        return done

    def cpu(self):
        """Of the backends that have ended; of all of the server's processes."""
        postmaster = self.cluster.postmaster()
        backends = ticks_of(postmaster, slice(13, 15))
        others = [int(pid) for pid in self.children] + [self.scribe]
        return backends, backends + ticks_of(postmaster, slice(11, 13)) + sum(ticks_of(pid, slice(11, 15)) for pid in others)

    @contextlib.contextmanager
    def bound_to(self, cores):
        """All of the server's processes, and what is started meanwhile."""
        def bind(to):
            os.sched_setaffinity(0, to)
            for pid in [self.cluster.postmaster(), *self.children_now(), *([self.scribe] if self.scribe else [])]:
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # those that end meanwhile
                    for thread in os.listdir("/proc/%s/task" % pid):
                        os.sched_setaffinity(int(thread), to)

        before = os.sched_getaffinity(0)
        bind(cores)
        try:
            yield
        finally:
            bind(before)

    def latencies(self):
        """Of a tenth of the transactions of the last call, in microseconds."""
        found = []
        for name in glob.glob(os.path.join(self.cluster.directory, "latency.*")):
            with open(name) as lines:
                found += [int(line.split(" ", 3)[2]) for line in lines]
            os.unlink(name)
        return sorted(found)

    def measure(self, load, pipeline, *arguments):
        cores = os.sched_getaffinity(0)
        with self.bound_to({min(cores)} if load.endswith(ONE_CORE) else cores), self.syslog():
            before = self.cpu()
            if pipeline is None:
                done = self.pgbench(*self.asked, *self.protocol, "-l", "--log-prefix=latency", "--sampling-rate=0.1", *arguments)
                self.count(done, QUERIES if self.script == "texts" else 1, self.script == "tpcb", self.of_transaction)
                self.starts += bool(self.asked) or self.script == "tpcb"
                statements = done * self.of_transaction
            else:
                done = self.pgbench("-M", "prepared", "-n", "-f", pipeline, *arguments)
                self.count(done, PIPELINED, 0, PIPELINED)
                statements = done * PIPELINED
            Cluster.wait_for(lambda: self.children_now() <= self.children, "end of the backends")
            after = self.cpu()
        of = self.found.setdefault(load, {"tps": [], "backends": [], "server": [], "p50": [], "p99": []})
        of["tps"].append(self.tps)
        latencies = self.latencies()
        if latencies:
            of["p50"].append(latencies[len(latencies) // 2])
            of["p99"].append(latencies[len(latencies) * 99 // 100])
        of["backends"].append((after[0] - before[0]) / statements)
        of["server"].append((after[1] - before[1]) / statements)

    @contextlib.contextmanager
    def syslog(self):
        if self.name not in SYSLOG:
            yield
            return
        daemon = SyslogServer(SYSLOG[self.name])
        try:
            yield
            self.heard[0] += os.path.getsize(daemon.settle())
            self.heard[1] += self.count_own([daemon.file])
        finally:
            daemon.stop()

    def log_size(self):
        """Of all that was logged until now."""
        if not self.name.startswith("steno"):
            time.sleep(1)  # the collector takes what is in its pipe
            return sum(os.path.getsize(name) for name in self.collected())
        self.cluster.run(self.cluster.steno, "ctl", self.cluster.log, "flush", "--timeout", "60s")
        return os.path.getsize(self.cluster.log)

    def bytes_of_connections(self):
        """Of one with a short statement, and of one that is refused; None where there is no log of each."""
        if not self.name.startswith("steno") and not self.collected():
            return None
        script = os.path.join(self.cluster.directory, "one.sql")
        with open(script, "w") as out:
            out.write("SELECT 1;\n")
        found = []
        for ask in (lambda: self.cluster.run(self.cluster.bin + "/pgbench", "-n", "-C", "-t", str(CONNECTIONS), "-f", script, environment=OTHER_NAME),
                    lambda: [self.cluster.run(self.cluster.bin + "/psql", "-X", "-d", "none", check=False, environment=OTHER_NAME) for _ in range(CONNECTIONS)]):
            before = self.log_size()
            ask()
            Cluster.wait_for(lambda: self.children_now() <= self.children, "end of the backends")
            found.append((self.log_size() - before) / CONNECTIONS)
        return found

    def count_own(self, files):
        said = subprocess.run(["grep", "-c", "-h", "-E", self.OWN] + files, capture_output=True, text=True).stdout
        return sum(int(line) for line in said.split())

    def stop(self):
        """Bytes a statement, where there is a log of each."""
        self.cluster.stop()
        files = [self.cluster.log] if self.name.startswith("steno") else self.collected()
        size = self.heard[0] if self.name in SYSLOG else sum(os.path.getsize(name) for name in files)
        return size / (self.statements - (self.unheard if self.name in SYSLOG else 0)) if size else None

    def collected(self):
        return glob.glob(os.path.join(self.cluster.data, "collected", "*"))

    def missing(self):
        """Statements that are not in the log; None where there is no log of each."""
        if self.name.startswith("steno"):
            # By the fields that all have, for texts are not logged with each. pgbench's own scripts ask twice at each start.
            own, expected = 'application == "pgbench"', self.selects
            which = ["--site", "server_log.c", "--grep", self.OWN]
            if "server log" not in self.name:
                which = ["--site", "statement_record.c"]
                if self.script == "tpcb":
                    own, expected = own + ' and command == "INSERT"', self.inserts
                else:
                    expected += 2 * self.starts
            return expected - int(self.cluster.run(self.cluster.steno, "cat", "--count", self.cluster.log, *which, "--where", own).stdout)
        if self.name in SYSLOG:
            return self.selects - self.unheard - self.heard[1]
        return self.selects - self.count_own(self.collected()) if self.collected() else None
