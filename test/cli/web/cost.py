#!/usr/bin/env python3
"""The page's break-down costs hardly more than the command that computes the same numbers: CPU time, in one run.

    cost.py STENO LIVE_PROGRAM [RECORDS]
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from page import Web, check

# The page also counts by steps of time, and more. The rest is for noise: other programs share the caches, and the
# kernel tells the time in ticks.
MOST = 2.0
RUNS = 5


def cpu_of(process):
    """Seconds of CPU that a process has taken, in ticks of 10 ms."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_of_command(words):
    """Seconds of CPU that a command takes; its output."""
    before = os.times()
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, out


def main():
    steno, program = sys.argv[1:3]
    records = sys.argv[3] if len(sys.argv) > 3 else "4000000"
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        path = Path(name, "requests.steno")
        subprocess.run([program, path, records, "requests"], check=True)
        for by in ("tenant", "logger"):
            command = [steno, "agg", str(path), "--by", by, "--op", "count,ratio(level >= ERROR),p50,p99", "--arg",
                       "elapsed", "--format", "csv"]
            with Web(steno, path) as web:
                web.get("breakdown", by=by, quantity="elapsed")  # from here on the files are in memory
                asked, own = [], []
                for _ in range(RUNS):
                    cpu, out = cpu_of_command(command)
                    own.append(cpu)
                    before = cpu_of(web.process)
                    rows = web.get("breakdown", by=by, quantity="elapsed", bins=40)["rows"]
                    asked.append(cpu_of(web.process) - before)
            wanted = sorted(line.split(",")[1] for line in out.splitlines()[1:])
            check(sorted(str(row["count"]) for row in rows), wanted, "counts")
            ratio = min(asked) / min(own)
            print(f"by {by}: {min(asked):.2f} s of CPU, the command {min(own):.2f} s: {ratio:.2f}")
            check(ratio <= MOST, True, f"by {by}: {ratio:.2f} times the command's own time")


if __name__ == "__main__":
    main()
