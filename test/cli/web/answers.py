#!/usr/bin/env python3
"""What `steno web` answers about the logs of a night on which something goes wrong, against what is computed here from
the truth about each record.

    answers.py STENO INCIDENT_LOG [SEED...]
"""
import collections
import json
import math
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

from page import Web, check, check_verdict

LEVELS = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL", "?"]
SEEDS = sys.argv[3:] or ["3", "4"]


def read_truth(folder):
    records = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    return sorted(records, key=lambda r: (r["ns"], r["host"], r["pid"], r["tid"], r["sequence"]))


def facts(line):
    """A line of an answer, as the truth has records."""
    return (int(line["time"]), line["level"], line["logger"], line["thread"], line["pid"], line["program"],
            line["host"], line["file"], line["line"], line["text"], line["message"])


def facts_of(record):
    return (record["ns"], record["level"], record["logger"], record["thread"], record["pid"], record["program"],
            record["host"], record["file"], record["line"], record["format"], record["message"])


def values_of(line):
    return {one["name"]: one["value"] for one in line["args"] + line["context"]}


def ask_log(web, records, folder):
    log = web.get("log")
    check(log["records"], len(records), "records of the log")
    check([int(log["first"]), int(log["last"])], [records[0]["ns"], records[-1]["ns"]], "first and last")
    check(sorted(Path(one["path"]).name for one in log["files"]), sorted(p.name for p in folder.glob("*.steno")), "files")
    check(log["levels"], LEVELS, "levels")
    check(log["loggers"], sorted({r["logger"] for r in records} - {""}), "loggers")
    check({one["name"] for one in log["fields"]}, {name for r in records for name in r["args"]} , "fields")
    check({one["name"]: one["kind"] for one in log["fields"] if one["name"] in ("elapsed", "tenant")},
          {"elapsed": "number", "tenant": "text"}, "kinds of fields")
    states = {one["state"] for one in log["sessions"]}
    check(states <= {"ended", "killed", "unknown"}, True, states)


def ask_timeline(web, records):
    first, last = records[0]["ns"], records[-1]["ns"]
    middle = (first + last) // 2
    for bins, begin, end in [(50, None, None), (400, None, None), (7, first + 10**9, middle), (300, middle, middle + 10**6),
                             (1, first, last + 1), (100, last - 5, last + 10**9)]:
        for where, text in [("", ""), ("level >= WARN", ""), ("", "took"), ('tenant == "acme"', "request")]:
            asked = {"bins": bins}
            if begin is not None:
                asked |= {"from": begin, "to": end}
            if where:
                asked["where"] = where
            if text:
                asked["q"] = text
            answer = web.get("timeline", **asked)
            step, start = int(answer["step"]), int(answer["from"])
            steps = len(answer["counts"])
            check(start % step, 0, "the first step")
            check(int(answer["to"]), start + steps * step, "the end of the last step")
            check(steps <= bins + 1, True, ("steps", steps, bins))
            wanted = [[0] * 8 for _ in range(steps)]
            matches = [0] * steps
            for r in records:
                if begin is not None and not begin <= r["ns"] < end:
                    continue
                if where == "level >= WARN" and LEVELS.index(r["level"]) < 4:
                    continue
                if where.startswith("tenant") and r["args"].get("tenant") != "acme":
                    continue
                wanted[(r["ns"] - start) // step][LEVELS.index(r["level"])] += 1
                matches[(r["ns"] - start) // step] += text in r["message"]
            check(answer["counts"], wanted, asked)
            check(answer.get("matches"), matches if text else None, asked)
    marks = web.get("timeline")["marks"]
    kinds = collections.Counter(mark["kind"] for mark in marks)
    sessions = {(r["host"], r["pid"]) for r in records}
    check(kinds["start"] >= len(sessions), True, kinds)
    check([int(m["time"]) for m in marks], sorted(int(m["time"]) for m in marks), "the order of marks")


def ask_lines(web, records):
    # Every record once, in the order of time, whatever the size of a page.
    for limit in (7, 2000):
        found = [facts(line) for line in web.lines(limit=limit, where="level >= WARN" if limit == 7 else "")]
        wanted = [facts_of(r) for r in records if limit != 7 or LEVELS.index(r["level"]) >= 4]
        check([one[0] for one in found], [one[0] for one in wanted], ("times", limit))
        check(sorted(found), sorted(wanted), ("lines", limit))
    newest = web.lines(limit=1999, order="newest")
    oldest = web.lines(limit=2000)
    check([line["id"] for line in newest], [line["id"] for line in reversed(oldest)], "newest first")
    check(len({line["id"] for line in oldest}), len(records), "ids")
    # Their values.
    by_facts = collections.defaultdict(list)
    for line in oldest:
        by_facts[facts(line)].append({name: value for name, value in values_of(line).items()})
    for r in records:
        # The log has more digits than the truth.
        values = [dict(one) for one in by_facts[facts_of(r)]]
        names = [set(one) for one in values]
        check(set(r["args"]) in names, True, (r, values))
    # A part.
    first = records[len(records) // 3]["ns"]
    last = records[len(records) // 2]["ns"]
    part = web.lines(from_=first, to=last, q="retry", limit=100)
    check(sorted(map(facts, part)),
          sorted(facts_of(r) for r in records if first <= r["ns"] < last and "retry" in r["message"]), "a part")
    # Slowest first.
    slow = web.get("lines", order="slowest", by="elapsed", limit=50)["lines"]
    elapsed = sorted((r["args"]["elapsed"] for r in records if "elapsed" in r["args"]), reverse=True)
    check([round(values_of(line)["elapsed"], 2) for line in slow], [round(v, 2) for v in elapsed[:50]], "slowest")
    more = web.lines(order="slowest", by="elapsed", limit=40, where="elapsed > 0")
    check(len(more), sum("elapsed" in r["args"] and r["args"]["elapsed"] > 0 for r in records), "all of the slowest")
    # One, and its neighbours on its thread.
    for line in (oldest[0], oldest[len(oldest) // 2], oldest[-1]):
        check([one["id"] for one in web.get("lines", id=line["id"])["lines"]], [line["id"]], "by its id")
        around = web.get("lines", around=line["id"], limit=21)["lines"]
        # Ids begin with the session.
        thread = [one["id"] for one in oldest
                  if (one["id"].split("-")[0], one["tid"]) == (line["id"].split("-")[0], line["tid"])]
        at = thread.index(line["id"])
        check([one["id"] for one in around], thread[max(at - 10, 0):at + 11], "neighbours")


def quantile(values, q):
    """The least value that at least this share of all does not exceed."""
    values = sorted(values)
    return values[max(math.ceil(q * len(values)) - 1, 0)]


def is_error(record):
    return LEVELS.index(record["level"]) >= LEVELS.index("ERROR")


def courses(web, records, bins, value_of):
    """In which step how many records of each value came."""
    line = web.get("timeline", bins=bins)
    counts = collections.defaultdict(lambda: [0] * len(line["counts"]))
    for r in records:
        if value_of(r) is not None:
            counts[value_of(r)][(r["ns"] - int(line["from"])) // int(line["step"])] += 1
    return dict(counts)


def ask_many_values(web, records):
    """A field with more values than are computed at once: those with the most records, in full."""
    bins = 20
    counts = collections.Counter(r["message"] for r in records)
    check(len(counts) > 4096, True, "too few values for this test")
    answer = web.get("breakdown", by="message", quantity="elapsed", limit=30, bins=bins)
    wanted = sorted(counts.values(), reverse=True)[:30]
    check([row["count"] for row in answer["rows"]], wanted, "counts of messages")
    check(sum(wanted) + answer["others"]["count"], len(records), "the others")
    course = courses(web, records, bins, lambda r: r["message"])
    for row in answer["rows"]:
        of = [r for r in records if r["message"] == row["value"]]
        check((row["count"], row["errors"], row["spark"]), (len(of), sum(map(is_error, of)), course[row["value"]]), row)


def ask_groups(web, records):
    fields = {"statement": lambda r: r["format"], "tenant": lambda r: r["args"].get("tenant"),
              "logger": lambda r: r["logger"], "level": lambda r: r["level"], "host": lambda r: r["host"],
              "thread": lambda r: r["thread"], "attempt": lambda r: r["args"].get("attempt")}
    for by, value_of in fields.items():
        answer = web.get("breakdown", by=by, quantity="elapsed", bins=30)
        groups = collections.defaultdict(list)
        for r in records:
            if value_of(r) is not None:
                groups[value_of(r)].append(r)
        check({row["value"]: (row["count"], row["errors"]) for row in answer["rows"]},
              {value: (len(of), sum(map(is_error, of))) for value, of in groups.items()}, by)
        check({row["value"]: row["spark"] for row in answer["rows"]}, courses(web, records, 30, value_of), ("spark", by))
        counts = [row["count"] for row in answer["rows"]]
        check(counts, sorted(counts, reverse=True), "the order of rows")
        for row in answer["rows"]:
            elapsed = [r["args"]["elapsed"] for r in groups[row["value"]] if "elapsed" in r["args"]]
            wanted = [quantile(elapsed, q) for q in (0.5, 0.99)] if elapsed else None
            check([round(row[q], 2) for q in ("p50", "p99")] if "p50" in row else None, wanted, (by, row))
            part = web.get("timeline", bins=1, where=row["filter"])
            check(sum(map(sum, part["counts"])), row["count"], ("filter", row))
    few = web.get("breakdown", by="thread", limit=2)
    check(sum(row["count"] for row in few["rows"]) + few["others"]["count"], len(records), "others")
    # Threads.
    last = records[-1]["ns"]
    threads = collections.defaultdict(list)
    for r in records:
        threads[r["program"], r["pid"], r["thread"]].append(r["ns"])
    found = web.get("threads", bins=50)["threads"]
    check({(t["program"], t["pid"], t["thread"]): (t["count"], int(t["last"]), int(t["gap"]), sum(t["activity"]))
           for t in found}, {key: (len(of), max(of), last - max(of), len(of)) for key, of in threads.items()}, "threads")


def ask_latency(web, records):
    answer = web.get("latency", field="elapsed", bins=60)
    step, start = int(answer["step"]), int(answer["from"])
    steps = collections.defaultdict(list)
    for r in records:
        if "elapsed" in r["args"]:
            steps[(r["ns"] - start) // step * step + start].append(r["args"]["elapsed"])
    found = {int(line["time"]): [line["count"], *(round(line[name], 2) for name in ("p50", "p99", "max"))]
             for line in answer["lines"] if line["count"]}
    check(found, {time: [len(of), quantile(of, 0.5), quantile(of, 0.99), max(of)] for time, of in steps.items()},
          "latency")
    # The texts say the unit; the number stays one.
    check((answer["unit"], web.get("breakdown", by="tenant", quantity="elapsed")["unit"]), ("ms", "ms"), "units")
    cells = answer["heat"]["cells"]
    check({start + i * step: sum(cell) for i, cell in enumerate(cells) if sum(cell)},
          {time: len(of) for time, of in steps.items()}, "heat")
    edges = answer["heat"]["edges"]
    check([len(edges), edges], [len(cells[0]) + 1, sorted(set(edges))], "edges")
    points = web.get("scatter", x="elapsed", y="request_id", limit=20000)
    check(sorted(round(point[0], 2) for point in points["points"]),
          sorted(r["args"]["elapsed"] for r in records if "elapsed" in r["args"] and "request_id" in r["args"]), "scatter")
    check((points["x_unit"], "y_unit" in points), ("ms", False), "units of the scatter")
    few = web.get("scatter", x="elapsed", y="request_id", limit=10)
    check((len(few["points"]), few["total"]), (10, points["total"]), "a part of the scatter")


def ask_request(web, records):
    ids = sorted({r["args"]["request_id"] for r in records if "request_id" in r["args"]})
    for request in (ids[0], ids[len(ids) // 2], ids[-1]):
        answer = web.get("request", key="request_id", value=request)
        wanted = [r for r in records if r["args"].get("request_id") == request]
        check(sorted(map(facts, answer["lines"])), sorted(map(facts_of, wanted)), ("request", request))
        bars = collections.defaultdict(list)
        for r in wanted:
            bars[r["program"], r["host"], r["pid"], r["thread"]].append(r["ns"])
        check({(b["program"], b["host"], b["pid"], b["thread"]): (int(b["first"]), int(b["last"])) for b in answer["bars"]},
              {key: (min(of), max(of)) for key, of in bars.items()}, "bars")


def ask_commands(web, steno, name, records):
    """What commands print of the same."""
    def run(*words):
        return subprocess.run([steno, *words], check=True, capture_output=True).stdout

    middle = records[len(records) // 2]["ns"]
    for as_ in ("json", "csv", "logfmt"):
        for where in ("level >= WARN", f"time >= {middle}"):
            status, headers, body = web.ask("/api/export?" + urllib.parse.urlencode({"as": as_, "where": where}))
            check((status, "attachment" in headers["Content-Disposition"]), (200, True), as_)
            check(body, run("cat", f"{name}/*.steno", "--where", where, "--format", as_), ("export", as_, where))
    answer = web.get("diff", from_=middle, before_from=records[0]["ns"], before_to=middle)
    printed = [json.loads(line) for line in run("diff", f"{name}/*.steno", "--before", f"@{middle}", "--after",
                                                f"@{middle}", "--format", "json").splitlines()]
    wanted = collections.Counter((one["what"], one["format"]) for one in printed if one["what"] in ("new", "gone"))
    found = collections.Counter((kind, one["text"]) for kind in ("new", "gone") for one in answer[kind])
    check(found, wanted, "diff: new and gone")
    changed = {one["format"] for one in printed if one["what"] in ("rate", "argument", "value")}
    check({one["text"] for one in answer["changed"]}, changed, "diff: changed")


def ask_clocks(web, steno, name, folder):
    """The estimate of the page is the one that commands apply; without a second host there is none."""
    done = subprocess.run([steno, "cat", f"{name}/*.steno", "--shift", "auto", "--count"], capture_output=True, text=True)
    applied = re.findall(r"applies (\S+)=(\S+)ns \([^)]*\), uncertain by \S+ \S+", done.stderr)
    pairs, statements = re.search(r"; by (\S+) pairs of (.*)", done.stderr).groups()
    answer = web.get("clocks")
    check([(one["host"], one["add"]) for one in answer["shifts"]], applied, done.stderr)
    check(len(applied) > 0 and all(one["uncertainty"] > 0 for one in answer["shifts"]), True, answer)
    check((f"{answer['pairs']:,}", answer["statements"], answer["unknown"]), (pairs, statements, []), answer)
    with Web(steno, folder / "db.steno") as one:
        check(one.get("clocks", 404)["error"], "all records are of one host, so there is nothing to estimate", "one host")


def ask_log_of_part(web, steno, folder, records):
    """What is selected, as a log of its own."""
    first, last = records[len(records) // 3]["ns"], records[len(records) // 2]["ns"]
    asked = urllib.parse.urlencode({"as": "steno", "from": first, "to": last, "q": "e", "where": "level >= INFO"})
    status, headers, body = web.ask("/api/export?" + asked)
    check((status, headers["Content-Disposition"]), (200, 'attachment; filename="part.steno"'), headers)
    part = folder / "part"
    part.write_bytes(body)
    subprocess.run([steno, "verify", part], check=True, capture_output=True)
    out = subprocess.run([steno, "cat", "--format", "json", part], check=True, capture_output=True, text=True).stdout
    wanted = sorted(r["message"] for r in records
                    if first <= r["ns"] < last and "e" in r["message"] and LEVELS.index(r["level"]) >= 2)
    check(len(wanted) > 100, True, "too few records for this test")
    check(sorted(json.loads(line)["message"] for line in out.splitlines()), wanted, "records of the part")
    part.unlink()


def ask_mistakes(web):
    said = web.get("lines", 400, where="hots == 1")["error"]
    check(said, "--where: no statement has an argument 'hots'; did you mean 'host'?", "a wrong name")
    for asked in [{"where": "level >"}, {"from_": "today"}, {"order": "best"}, {"limit": 0}, {"limit": 10**9},
                  {"cursor": "1.2"}, {"order": "slowest"}, {"order": "slowest", "by": "path"}]:
        check("error" in web.get("lines", 400, **asked), True, asked)
    check("error" in web.get("lines", 404, around="0123456789abcdef-0-0"), True, "a record that is not there")
    check("error" in web.get("timeline", 400, bins=0), True, "no steps")
    check("error" in web.get("nothing", 404), True, "no such question")


def main():
    steno, incident_log = sys.argv[1:3]
    for seed in SEEDS:
        with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
            folder = Path(name)
            subprocess.run([incident_log, name, seed], check=True)
            records = read_truth(folder)
            with Web(steno, f"{name}/*.steno") as web:
                ask_log(web, records, folder)
                ask_timeline(web, records)
                ask_lines(web, records)
                ask_groups(web, records)
                ask_many_values(web, records)
                ask_latency(web, records)
                ask_request(web, records)
                ask_commands(web, steno, name, records)
                ask_clocks(web, steno, name, folder)
                ask_mistakes(web)
                ask_log_of_part(web, steno, folder, records)
                check_verdict(web, steno, *sorted(folder.glob("*.steno")))


if __name__ == "__main__":
    main()
