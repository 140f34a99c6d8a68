#!/usr/bin/env python3
"""What `steno web` answers about processes and threads that little tells apart: names, numbers of processes and of
threads that many have. Compared with what `steno agg` and `steno cat` print.

    containers.py STENO CONTAINERS_LOG
"""
import collections
import os
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from page import Web, check

MOST_MARKS = 2000


def rows(steno, *words):
    done = subprocess.run([steno, *words, "--format", "json"], capture_output=True, text=True)
    check(done.returncode in (0, 1), True, done.stderr)  # 1: a record is missing
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_threads(web, steno, files):
    """A row for each thread; its filter selects its records, and no others."""
    printed = rows(steno, "agg", *files, "--by", "session.host", "--by", "session.pid", "--by", "tid", "--op", "count")
    wanted = {(one["session.host"], one["session.pid"], one["tid"]): one["count"] for one in printed}
    found = web.get("threads", bins=50)["threads"]
    check(sorted((t["host"], t["pid"], t["tid"]) for t in found), sorted(wanted), "one row a thread")
    for t in found:
        key = t["host"], t["pid"], t["tid"]
        check((t["count"], sum(t["activity"])), (wanted[key],) * 2, key)
        lines = web.lines(where=t["filter"], limit=2000)
        check({(line["host"], line["pid"], line["tid"]) for line in lines}, {key}, t["filter"])
        check(len(lines), t["count"], t["filter"])
        check(max(int(line["time"]) for line in lines), int(t["last"]), "the last record")
        newest = max(lines, key=lambda line: int(line["time"]))
        check((t["program"], t["thread"]), (newest["program"], newest["thread"]), ("names at the end", t))


def ask_neighbours(web):
    """Of the same thread of the same process, though another has its numbers, at the same times."""
    lines = web.lines(limit=2000)
    own = lambda line: (line["id"].split("-")[0], line["host"], line["pid"], line["tid"])
    by_thread = collections.defaultdict(list)
    for line in lines:
        by_thread[own(line)].append(line["id"])
    for line in [one for one in lines if one["pid"] == 1][::7]:
        thread = by_thread[own(line)]
        at = thread.index(line["id"])
        around = web.get("lines", around=line["id"], limit=9)["lines"]
        check([one["id"] for one in around], thread[max(at - 4, 0):at + 5], ("neighbours", line))


def ask_request(web):
    answer = web.get("request", key="request_id", value=77)
    check({span["id"]: (span["host"], span["parent"], span["program"]) for span in answer["spans"]},
          {str(0x1001): ("node1", None, "server"), str(0x2002): ("node2", str(0x1001), "server")}, "spans")
    check([(bar["host"], bar["tid"]) for bar in answer["bars"]], [("node1", 7000), ("node2", 7000)], "bars")


def ask_marks(web):
    """However many drops there are, the death is among the marks, and how many are not there is said."""
    answer = web.get("timeline")
    kinds = collections.Counter(mark["kind"] for mark in answer["marks"])
    check((kinds["death"], kinds["damage"] >= 1, len(answer["marks"])), (1, True, MOST_MARKS), kinds)
    check(answer["more"], 2500 + 5 + 5 + kinds["damage"] - MOST_MARKS, "marks that are not there")
    times = [int(mark["time"]) for mark in answer["marks"]]
    check(times, sorted(times), "the order of marks")
    death, = [int(mark["time"]) for mark in answer["marks"] if mark["kind"] == "death"]
    part = web.get("timeline", from_=death - 10**9, to=death + 10**9)
    check(([mark["kind"] for mark in part["marks"] if mark["kind"] != "damage"], part["more"]), (["death"], 0), "a part")
    # The state of a process agrees with the deaths on the time line.
    dead = {mark["session"] for mark in answer["marks"] if mark["kind"] == "death"}
    states = {one["id"]: one["state"] for one in web.get("log")["sessions"]}
    check({name for name, state in states.items() if state == "killed"}, dead, states)
    check(collections.Counter(states.values()), {"ended": 4, "killed": 1}, states)


def ask_after_a_host_has_gone(web, files):
    """Its shift has gone with it; those of the others apply as before."""
    def times(host):
        return sorted(line["time"] for line in web.lines(where=f"host == '{host}'"))

    before = times("node2")
    for path in files:
        printed = subprocess.run([sys.argv[1], "cat", "--pattern", "{host}", path], capture_output=True, text=True)
        if "node3" in printed.stdout.split():  # whatever its status: records are missing there
            os.unlink(path)
    while (log := web.get("log"))["shifts"] != ["node2=-1.7s"]:
        time.sleep(0.1)
    check({one["host"] for one in log["sessions"]} >= {"node2"} and before != [], True, "another host")
    check(times("node2"), before, "times of the other host")


def main():
    steno, containers_log = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        subprocess.run([containers_log, name], check=True)
        files = sorted(map(str, Path(name).glob("*.steno")))
        with Web(steno, *files) as web:
            check({key: web.get("log")[key] for key in ("shifts", "secrets")}, {"shifts": [], "secrets": False}, "options")
            ask_marks(web)
            ask_threads(web, steno, files)
            ask_neighbours(web)
            ask_request(web)
        with Web(steno, *files, "--shift", "node2=-1.7s", "--shift", "node3=1h", "--show-secrets") as web:
            check({key: web.get("log")[key] for key in ("shifts", "secrets")},
                  {"shifts": ["node2=-1.7s", "node3=1h"], "secrets": True}, "options")
            ask_after_a_host_has_gone(web, files)


if __name__ == "__main__":
    main()
