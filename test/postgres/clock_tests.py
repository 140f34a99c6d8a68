"""How often statements read the clock."""

import os
import subprocess

from log_checks import check

TIMES = 200
# More than without steno: when it is planned, executed and, since a client's whole wait is known, analysed or committed.
MOST = {"select 1": 5, "select count(*) from t": 5, "insert into t values (1)": 7, "update t set a = 2 where a = 3": 7, "set work_mem = '5MB'": 3}


def count_reads(c, statement):
    """Of one execution, on average, each in a message of its own."""
    before, after = c.sql("select clock_reads();\n" + (statement + ";\n") * TIMES + "select clock_reads();")[-2:]
    return (int(after) - int(before)) / TIMES


def test_clock_reads(servers):
    """A statement that is parsed and committed by itself reads the clock once more than what planning and execution need."""
    if servers.installed.version >= 19:
        return  # it reads the processor's counter
    headers = subprocess.run([servers.pg_config, "--includedir-server"], capture_output=True, text=True, check=True).stdout.strip()
    found = {}
    for preloaded in (True, False):
        with servers.made() as c:
            counter = os.path.join(c.own, "clock_reads.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-I" + headers, "-o", counter, os.path.join(servers.source, "test/postgres/clock_reads.c")], check=True)
            c.of_server = {**c.of_server, "LD_PRELOAD": ":".join(filter(None, [c.of_server.get("LD_PRELOAD"), counter]))}
            if not preloaded:
                c.set({"shared_preload_libraries": "''"})
            c.start()
            c.sql("create function clock_reads() returns bigint language c as '%s'; create table t (a int);" % counter)
            for statement in MOST:
                count_reads(c, statement)  # what is looked up once
                found[statement, preloaded] = count_reads(c, statement)
            c.stop()
    for statement, most in MOST.items():
        more = found[statement, True] - found[statement, False]
        check(0 < more < most + 0.5, statement, "reads the clock", more, "times more, not", most)
