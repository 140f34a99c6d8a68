#!/usr/bin/env python3
"""steno for PostgreSQL, against a server of its own.
   check_postgres.py SOURCE BUILD WORK RANDOM_STATEMENTS [--sanitize] [--kills N] [--prepare | --prepared TEST… | --of-versions | TEST…]
BUILD: where libsteno.so and the command are; WORK: where the extension is compiled; RANDOM_STATEMENTS: the program of random_statements.cc; --sanitize: the extension is compiled with the sanitizers of addresses and of undefined behaviour; N: backends to kill, a fifth as many scribes and servers, in place of a few; --prepare: nothing but what all tests begin with, the compiled extension and the data of a server; --prepared: these are there; --of-versions: the tests of what differs between versions of PostgreSQL.
Exit code 77: there is no PostgreSQL that extensions can be built against here; a line says so."""

import concurrent.futures
import contextlib
import os
import signal
import sys
import time
import traceback

import clock_tests
import commit_tests
import connection_tests
import crash_tests
import cursor_tests
import duration_tests
import elapsed_tests
import foreign_table_tests
import install_tests
import limit_tests
import sink_tests
import source_tests
import message_tests
import refused_tests
import rotation_tests
import sql_tests
import statement_tests
import statistics_tests
import tool_tests
import totals_tests
import unchanged_tests
import who_tests
from cluster import Cluster, Installation, build_extension, extension_in, find_pg_config
from log_checks import check_complete

MODULES = [statement_tests, message_tests, sql_tests, totals_tests, statistics_tests, foreign_table_tests, unchanged_tests, commit_tests, elapsed_tests, duration_tests, clock_tests, connection_tests, refused_tests, cursor_tests, who_tests, crash_tests, limit_tests, rotation_tests, sink_tests, source_tests, install_tests, tool_tests]

# Tests of behaviour that differs between versions of PostgreSQL: ids and texts, messages, hooks, plans, statistics; and
# of the warnings of its compilers.
OF_VERSIONS = ["counts", "kinds", "plans", "columns", "server_log", "refused_connections", "sql", "statistics", "own_commits", "elapsed_waits", "denied", "unexecuted",
               "sources", "command_texts", "inner_ids", "roles", "applications", "workers", "examples", "connections",
               "header_warnings"]

WHEN_NAMED = ["installed", "other_version"]  # they compile the extension once more


class Servers:
    kills = 0  # 0: a few
    conditions = 40  # of each foreign table

    def __init__(self, pg_config, sanitize, prepared, source, build, work, random_statements):
        self.pg_config, self.sanitize, self.source, self.build, self.work, self.random_statements = pg_config, sanitize, source, build, work, random_statements
        self.library = extension_in(work) if prepared else build_extension(pg_config, source, build, work, sanitize)
        # All servers begin with the data of one that was never started.
        self.data = os.path.join(work, "data.tar")
        if not prepared:
            first = self.make(None, None)
            first.keep_data(self.data)
            first.remove()
        self.installed = Installation(pg_config)

    def make(self, settings, data):
        return Cluster(self.pg_config, self.source, self.build, self.library, settings, self.sanitize, data)

    @contextlib.contextmanager
    def made(self, settings=None, port=None):
        """A server that is not started; it is removed at the end, whether it runs or not."""
        cluster = self.make(settings, self.data)
        if port is not None:
            cluster.environment["PGPORT"] = str(port)
        try:
            yield cluster
        finally:
            cluster.remove()

    @contextlib.contextmanager
    def started(self, settings=None, port=None):
        """A server that runs; at the end it is stopped, and its log must be complete."""
        with self.made(settings, port) as cluster:
            cluster.start()
            yield cluster
            cluster.stop()
            check_complete(cluster)


def main():
    if len(sys.argv) < 5:
        raise SystemExit(__doc__)
    pg_config = find_pg_config()
    if pg_config is None:
        print("check_postgres: skipped, there is no PostgreSQL with its headers here (scripts/bootstrap installs one)")
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    arguments = sys.argv[5:]
    sanitize = arguments[:1] == ["--sanitize"]
    arguments = arguments[sanitize:]
    prepared = arguments[:1] == ["--prepared"]
    arguments = arguments[prepared:]
    servers = Servers(pg_config, sanitize, prepared, *[os.path.abspath(path) for path in sys.argv[1:5]])
    if arguments == ["--prepare"]:
        return 0
    if arguments[:1] == ["--kills"]:
        servers.kills = int(arguments[1])
        arguments = arguments[2:]
    if arguments == ["--of-versions"]:
        arguments = OF_VERSIONS
    tests = {name[5:]: test for module in MODULES for name, test in vars(module).items() if name.startswith("test_")}

    def run(name):
        begin = time.monotonic()
        try:
            tests[name](servers)
        except Exception:
            return "%s: FAILED\n%s" % (name, traceback.format_exc())
        return "%s: ok, %.1f s" % (name, time.monotonic() - begin)

    # They wait more than they compute.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(run, arguments or [name for name in tests if name not in WHEN_NAMED]))
    print("\n".join(outcomes))
    return int(any("FAILED" in outcome for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
