#!/usr/bin/env python3
"""Questions that take too long, or more memory than there is, and too many exports at once: each is refused, and the
server goes on.

    limits.py STENO LIVE_PROGRAM
"""
import http.client
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


def begin_export(web):
    """An export of which nobody reads more than the first bytes of the answer: its status, headers, and connection."""
    connection = http.client.HTTPConnection(web.host, web.port, timeout=60)
    connection.request("GET", "/api/export?as=text", headers={"Cookie": web.cookie})
    response = connection.getresponse()
    return response.status, dict(response.getheaders()), connection


def export_at_once(steno, path):
    """Exports leave a place for the page's questions; one that must wait too long is refused for now."""
    with Web(steno, path, "--time-limit", "1s") as web:
        exports = []
        for _ in range(4):
            status, headers, connection = begin_export(web)
            check("Retry-After" in headers, status == 503, headers)
            exports.append((status, connection))
        check([status for status, _ in exports], [200, 200, 503, 503], "exports at once")
        check(web.get("breakdown", by="tenant")["rows"][0]["count"] > 0, True, "a question meanwhile")
        for _, connection in exports:
            connection.close()
        status, _, connection = begin_export(web)
        check(status, 200, "an export after the others")
        connection.close()


def main():
    steno, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        path = Path(name, "requests.steno")
        subprocess.run([program, path, str(RECORDS), "requests"], check=True)
        ask_too_long(steno, path)
        ask_too_much(steno, path)
        export_at_once(steno, path)


if __name__ == "__main__":
    main()
