#!/usr/bin/env python3
"""Logs with what a page could trip over, and logs full of special values: each answer is JSON, and says of each record
what `steno cat` prints.

    hostile.py STENO HOSTILE_LOG ANSWERS_SAMPLE
"""
import json
import math
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from page import Web, check


def cat(steno, paths):
    out = subprocess.run([steno, "cat", "--format", "json", *paths], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def ns_of(text):
    """Of a time as `cat` prints it."""
    seconds, rest = text[:-1].split(".")
    since = datetime.strptime(seconds, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return int(since.timestamp()) * 10**9 + int(rest)


def same_value(shown, printed):
    """The page gets whole numbers that programs round as texts, and so does who reads what `cat` prints."""
    if isinstance(printed, int) and not isinstance(printed, bool) and abs(printed) > 2**53:
        return shown == str(printed)
    if isinstance(printed, float) and isinstance(shown, (int, float)):
        return math.copysign(1, shown) == math.copysign(1, printed) and shown == printed
    return shown == printed


def compare(steno, paths):
    with Web(steno, *paths) as web:
        printed = cat(steno, paths)
        lines = [web.get("lines", id=line["id"])["lines"][0] if line.get("cut") else line
                 for line in web.lines(limit=100)]
        check(len(lines), len(printed), ("records", paths))
        order = lambda one: (one[0], json.dumps(one[1:], sort_keys=True))
        found = sorted(((int(l["time"]), l["level"], l["logger"], l["thread"], l["file"], l["line"], l["text"],
                         l["message"], {v["name"]: v["value"] for v in l["args"] + l["context"]}) for l in lines),
                       key=lambda one: (one[:-1]))
        wanted = sorted(((ns_of(r["time"]), r["level"], r["logger"], r["thread"], r["file"], r["line"], r["format"],
                          r["message"], r["args"]) for r in printed), key=lambda one: (one[:-1]))
        for shown, record in zip(found, wanted):
            check(shown[:-1], record[:-1], "a record")
            check(set(shown[-1]), set(record[-1]), ("names", shown))
            for name, value in record[-1].items():
                check(same_value(shown[-1][name], value), True, (name, shown[-1][name], value))
        log = web.get("log")
        check(log["records"], len(printed), "records of the log")
        timeline = web.get("timeline", bins=100)
        check(sum(map(sum, timeline["counts"])), len(printed), "records of the time line")
        for field in [one["name"] for one in log["fields"]] + ["statement", "logger", "level", "thread", "program", "host"]:
            answer = web.get("breakdown", by=field)
            for row in answer["rows"]:
                if "filter" not in row:
                    check(len(row["value"]) >= 1024 or "\ufffd" in row["value"], True, (field, row))
                    continue
                part = web.get("timeline", bins=1, where=row["filter"])
                check(sum(map(sum, part["counts"])), row["count"], (field, row))
        numbers = [one["name"] for one in log["fields"] if one["kind"] != "text"]
        for field in numbers:
            latency = web.get("latency", field=field)
            values = [v for v in (r["args"].get(field) for r in printed)
                      if isinstance(v, (int, float)) or (v is not None and v.lstrip("-").isdigit())]
            check(sum(map(sum, latency["heat"]["cells"])), len(values), ("heat", field))
            edges = latency["heat"]["edges"]
            check(edges, sorted(edges), "edges")
            web.get("lines", order="slowest", by=field)
            for other in numbers:
                web.get("scatter", x=field, y=other)
        web.get("threads")
        web.get("diff", from_=timeline["from"])
        web.get("request", key="level", value="ERROR")


def main():
    steno, hostile_log, answers_sample = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        hostile = str(Path(name, "hostile.steno"))
        subprocess.run([hostile_log, hostile], check=True)
        compare(steno, [hostile])
        with Web(steno, hostile) as web:
            short = web.lines(limit=50)
            check(all(len(line["message"]) <= 16 << 10 for line in short), True, "long texts are cut")
            check(sum("cut" in line for line in short) >= 3, True, "and the lines say so")
            check(int(web.get("log")["first"]) < 0, True, "a time before 1970")
            check(len(web.get("lines", to=0)["lines"]) >= 6, True, "lines before 1970")
        subprocess.run([answers_sample, name, "5"], check=True)
        for names in (["many"], ["one"], ["many", "rows", "none"]):
            compare(steno, [str(Path(name, f"{one}.steno")) for one in names])


if __name__ == "__main__":
    main()
