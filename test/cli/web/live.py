#!/usr/bin/env python3
"""`steno web` beside a process that logs: what it logs comes, its levels change, and after a kill nothing is missing.

    live.py STENO LIVE_PROGRAM
"""
import http.client
import json
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

from page import Web, check, check_verdict


def wait_for(what, holds):
    """Until it holds; a test that waits for ever is ended from outside."""
    while not holds():
        time.sleep(0.05)


def post(web, **parameters):
    status, _, body = web.ask("/api/level", "POST", body=urllib.parse.urlencode(parameters),
                              headers={"Origin": f"http://{web.host}:{web.port}",
                                       "Content-Type": "application/x-www-form-urlencoded"})
    return status, body


def main():
    steno, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        path = Path(name, "live.steno")
        process = subprocess.Popen([program, path], stdout=subprocess.PIPE)
        try:
            process.stdout.readline()
            wait_for("the file", lambda: path.exists() and path.stat().st_size > 0)
            with Web(steno, path) as web:
                log = web.get("log")
                check((log["live"], log["control"]), (True, True), "live and control")
                session, = log["sessions"]
                check((session["pid"], session["state"]), (process.pid, "running"), session)
                # Changes come by themselves.
                connection = http.client.HTTPConnection(web.host, web.port, timeout=60)
                connection.request("GET", "/api/live", headers={"Cookie": web.cookie})
                events = connection.getresponse()
                check(events.getheader("Content-Type"), "text/event-stream", "events")
                seen = []
                while len(seen) < 4:
                    line = events.readline().decode()
                    if line.startswith("data: "):
                        seen.append(json.loads(line[6:])["records"])
                check(seen == sorted(set(seen)), True, seen)
                # Levels.
                check(web.get("lines", q="detail", limit=1)["lines"], [], "nothing at DEBUG yet")
                check(post(web, session=session["id"], logger="detail", level="DEBUG")[0], 204, "level")
                wait_for("a record at DEBUG", lambda: web.get("lines", q="detail", limit=1)["lines"])
                check(post(web, pid=process.pid, logger="detail", level="LOUD")[0], 400, "no level")
                check(post(web, pid=process.pid, logger="a=trace,b", level="INFO")[0], 400, "several rules in one name")
                check(post(web, pid=process.pid + 1, level="INFO")[0], 404, "another process")
                check(post(web, level="INFO")[0], 400, "which process")
                status, _, _ = web.ask("/api/level", "POST", body=f"pid={process.pid}&level=INFO",
                                       headers={"Content-Type": "application/x-www-form-urlencoded"})
                check(status, 403, "a level without an origin")
                # A kill.
                process.kill()
                process.wait()
                wait_for("the end", lambda: web.get("log")["sessions"][0]["state"] == "killed")
                log = web.get("log")
                count = int(subprocess.run([steno, "cat", "--count", path], capture_output=True, text=True).stdout)
                check((log["live"], log["control"], log["records"]), (False, False, count), "after the kill")
                check(len(web.lines(limit=2000)), count, "lines after the kill")
                check("death" in [mark["kind"] for mark in web.get("timeline")["marks"]], True, "the mark")
                check(post(web, pid=process.pid, level="INFO")[0], 404, "a level of a dead process")
                check_verdict(web, steno, path)
                connection.close()
        finally:
            process.kill()
            process.wait()
            subprocess.run([steno, "recover", path], capture_output=True)


if __name__ == "__main__":
    main()
