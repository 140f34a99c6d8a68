#!/usr/bin/env python3
"""Questions that take too long, or more memory than there is: each is refused, and the server goes on.

    limits.py STENO LIVE_PROGRAM
"""
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from page import Web, check

RECORDS = 1_500_000
QUESTION = "breakdown?by=message&quantity=elapsed"  # a value each


def ask_too_long(steno, path):
    with Web(steno, path, "--time-limit", "1ms") as web:
        status, headers, body = web.ask("/api/" + QUESTION)
        check((status, "too long" in json.loads(body)["error"]), (504, True), body)
        check("Retry-After" in headers, False, "it would take too long again")
        check(web.get("log")["records"], RECORDS, "a question that is quick")


def ask_too_much(steno, path):
    with Web(steno, path) as web:
        pid = web.process.pid
        web.get("timeline")  # from here on the threads are there
        data = int(re.search(r"VmData:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) << 10
        before = resource.prlimit(pid, resource.RLIMIT_DATA, (data + (16 << 20), resource.prlimit(pid, resource.RLIMIT_DATA)[1]))
        status, headers, body = web.ask("/api/" + QUESTION)
        check((status, "memory" in json.loads(body)["error"]), (507, True), body)
        check("Retry-After" in headers, False, "there would be as little again")
        resource.prlimit(pid, resource.RLIMIT_DATA, before)
        check(web.get("log")["records"], RECORDS, "with memory again")
        row, *_ = web.get("breakdown", by="tenant", quantity="elapsed")["rows"]
        check(row["count"] > RECORDS / 10, True, row)
        check(web.process.poll(), None, "the server still runs")


def main():
    steno, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        path = Path(name, "requests.steno")
        subprocess.run([program, path, str(RECORDS), "requests"], check=True)
        ask_too_long(steno, path)
        ask_too_much(steno, path)


if __name__ == "__main__":
    main()
