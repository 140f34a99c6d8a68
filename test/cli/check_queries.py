#!/usr/bin/env python3
"""Checks what the query commands say against what `steno cat --format json` prints, computed here.

    check_queries.py STENO COMMAND SEED FILE [FILE]      COMMAND: agg, pair, stat or diff

Prints "ok" and the number of comparisons; anything else is a failure.
"""
import collections
import csv
import io
import json
import math
import random
import struct
import subprocess
import sys
from datetime import datetime, timezone

STENO, COMMAND, SEED, *FILES = sys.argv[1:]
checks = 0


def run(*arguments, codes=(0, 1)):
    done = subprocess.run([STENO, *arguments], capture_output=True, text=True)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr)
    return done.stdout


def ns(time):
    whole, fraction = time.rstrip("Z").split(".")
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc).timestamp()
    return int(seconds) * 10**9 + int(fraction)


def read(path):
    records = [json.loads(line) for line in run("cat", "--format", "json", "--big-integers", "number", path).splitlines()]
    for r in records:
        r["ns"] = ns(r["time"])
        if "small" in r["args"]:  # binary32, printed by its shortest text
            r["args"]["small"] = struct.unpack("f", struct.pack("f", float(r["args"]["small"])))[0]
    return records


def expect(got, wanted, what):
    global checks
    checks += 1
    if isinstance(got, str) and isinstance(wanted, float):
        got = float(got)
    if isinstance(wanted, float) and got is not None:
        assert math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9), (what, got, wanted)
    else:
        assert got == wanted, (what, got, wanted)


# ---------------------------------------------------------------- agg

def quantile(values, q):
    ordered = sorted(values)
    return ordered[max(1, math.ceil(q * len(ordered) - 1e-9)) - 1]


def deviation(values):
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


NUMBER_OPS = {
    "count": len,
    "min": lambda v: min(v) if v else None,
    "max": lambda v: max(v) if v else None,
    "sum": lambda v: (sum(v) if all(isinstance(x, int) for x in v) else math.fsum(v)) if v else None,
    "mean": lambda v: math.fsum(v) / len(v) if v else None,
    "stddev": lambda v: deviation(v),
    "p50": lambda v: quantile(v, 0.5) if v else None,
    "p99": lambda v: quantile(v, 0.99) if v else None,
    "p99.9": lambda v: quantile(v, 0.999) if v else None,
    "p0": lambda v: min(v) if v else None,
    "distinct": lambda v: len(set(v)),
}

def printed(value):
    """A binary32 as messages print it: its shortest text."""
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next(float(text) for text in texts if struct.unpack("f", struct.pack("f", float(text)))[0] == value)


def statistic(op, name, values):
    found = NUMBER_OPS[op](values)
    is_logged = op in ("min", "max") or op[0] == "p"  # one of the values
    return printed(found) if name == "small" and is_logged and found is not None else found


# The arguments of the statements of test::random_log.
ARGUMENTS = [("filled {qty} @ {price} for {client}", "qty"), ("filled {qty} @ {price} for {client}", "price"),
             ("took %d ms, id %lu%s", "0"), ("took %d ms, id %lu%s", "1"), ("no luck {ok} {small}", "small")]

FILTERS = [
    ([], lambda r: True),
    (["--level", "WARN"], lambda r: r["level"] in ("WARN", "ERROR", "CRITICAL")),
    (["--thread", "worker-1"], lambda r: r["thread"] == "worker-1"),
    (["--logger", "net"], lambda r: r["logger"] in ("net", "net.http")),
    (["--grep", "time"], lambda r: "time" in r["message"]),
    (["--where", "qty > 100 or {0} in (3, 4, 5) or ok"],
     lambda r: r["args"].get("qty", 0) > 100 or (r["line"] == 131 and r["args"]["0"] in (3, 4, 5)) or
     (r["line"] == 120 and r["args"]["qty"] in (3, 4, 5)) or r["args"].get("ok", False)),
    (["--where", "not client == \"acme\""], lambda r: r["args"].get("client") not in (None, "acme")),
    (["--where", "qty > 1000000"], lambda r: False),
]

GROUPS = [
    ("level", lambda r, name: r["level"]),
    ("thread", lambda r, name: r["thread"]),
    ("logger", lambda r, name: r["logger"]),
    ("site", lambda r, name: f'{r["file"]}:{r["line"]}'),
    ("time:50us", lambda r, name: r["ns"] // 50_000 * 50_000),
    ("arg client", lambda r, name: "(null)" if r["args"]["client"] is None else r["args"]["client"]),
    ("qty", lambda r, name: r["args"]["qty"]),
]


def key_of(title, value):
    return ns(value) if title == "time" else value


def check_agg(records):
    chance = random.Random(SEED)
    for text, name in ARGUMENTS:
        for options, holds in FILTERS:
            mine = [r for r in records if r["format"] == text and holds(r)]
            ops = chance.sample(sorted(NUMBER_OPS), 6)
            common = [*FILES, text, "--arg", name, *options, "--format", "json"]
            (line,) = run("agg", *common, "--op", ",".join(ops), "--jobs", chance.choice("12")).splitlines()
            answer = json.loads(line)
            values = [r["args"][name] for r in mine]
            for op in ops:
                expect(answer[op], statistic(op, name, values), (text, name, options, op))
            check_groups(chance, mine, text, name, common)
            check_histogram(values, common)
    check_texts(records)
    check_statements(records)


def check_groups(chance, mine, text, name, common):
    by, key = chance.choice([g for g in GROUPS if "client" in text or g[0] not in ("arg client", "qty")])
    title = {"time:50us": "time", "arg client": "client"}.get(by, by)
    groups = collections.defaultdict(list)
    for r in mine:
        groups[key(r, name)].append(r["args"][name])
    ops = chance.sample(sorted(NUMBER_OPS), 4)
    rows = [json.loads(line) for line in run("agg", *common, "--by", by, "--op", ",".join(ops)).splitlines()]
    got = {key_of(title, row[title]): row for row in rows}
    expect(len(got), len(rows), "a group comes once")
    if title == "time":  # steps without a record are there, of the time that the log covers
        got = without_empty_steps(got, groups, 50_000, ops)
    expect(sorted(map(str, got)), sorted(map(str, groups)), (text, by, "groups"))
    for group, values in groups.items():
        for op in ops:
            expect(got[group][op], statistic(op, name, values), (text, name, by, group, op, common))


def without_empty_steps(got, groups, width, ops):
    expect(sorted(got), list(range(min(got), max(got) + width, width)) if got else [], "steps without a hole")
    for step in got.keys() - groups.keys():
        for op in ops:
            expect(got[step][op], NUMBER_OPS[op]([]), (step, op, "of an empty step"))
    return {step: row for step, row in got.items() if step in groups}


def check_histogram(values, common):
    (line,) = run("agg", *common, "--op", "hist:7,count").splitlines()
    bars = json.loads(line)["hist"]
    expect(sum(bar["count"] for bar in bars), len(values), ("hist", common))
    for i, bar in enumerate(bars):
        last = i + 1 == len(bars)
        inside = sum(1 for v in values if bar["from"] <= v and (v < bar["to"] or last))
        if all(isinstance(v, int) and abs(v) < 2**53 for v in values):
            expect(bar["count"], inside, ("bar", common, bar))


def check_texts(records):
    text = "filled {qty} @ {price} for {client}"
    values = ["(null)" if r["args"]["client"] is None else r["args"]["client"] for r in records if r["format"] == text]
    (line,) = run("agg", *FILES, text, "--arg", "client", "--op", "count,distinct,top:4", "--format", "json").splitlines()
    answer = json.loads(line)
    counts = collections.Counter(values)
    expect(answer["count"], len(values), "count of texts")
    expect(answer["distinct"], len(counts), "distinct texts")
    wanted = sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))[:4]
    expect([(one["value"], one["count"]) for one in answer["top"]], wanted, "top texts")
    table = list(csv.reader(io.StringIO(run("agg", *FILES, text, "--arg", "client", "--op", "top:4", "--format", "csv"))))
    expect(table, [["value", "count"]] + [[v, str(n)] for v, n in wanted], "top as CSV")


def check_statements(records):
    rows = [json.loads(line) for line in
            run("agg", *FILES, "--op", "count", "--by", "level", "--by", "thread", "--format", "json").splitlines()]
    wanted = collections.Counter((r["level"], r["thread"]) for r in records)
    expect({(row["level"], row["thread"]): row["count"] for row in rows}, dict(wanted), "count of everything by two keys")
    order = "TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL".split()
    keys = [(order.index(row["level"]), row["thread"]) for row in rows]
    expect(keys, sorted(keys), "order of the groups")
    (line,) = run("agg", *FILES, "--site", "server.cc:120", "--arg", "qty", "--op", "sum", "--format", "json").splitlines()
    values = [r["args"]["qty"] for r in records if r["line"] == 120]
    expect(json.loads(line)["sum"], sum(values) if values else None, "by place")


# ---------------------------------------------------------------- pair

def check_pair(records):
    for options, holds in FILTERS[:5]:
        mine = [r for r in records if holds(r)]
        first = [r for r in mine if r["format"] == "filled {qty} @ {price} for {client}"]
        second = [r for r in mine if r["format"] == "took %d ms, id %lu%s"]
        for key, second_name in (("0", "0"),):
            pair_once(options, [(r["args"]["qty"], r["ns"]) for r in first], [(r["args"][second_name], r["ns"]) for r in second], key)


def pair_once(options, first, second, key):
    open_ = collections.defaultdict(list)
    events = sorted([(k, t, 0) for k, t in first] + [(k, t, 1) for k, t in second])
    durations, alone = [], 0
    slow = []
    for k, t, side in events:
        if side == 0:
            open_[k].append(t)
        elif open_[k]:
            begin = open_[k].pop(0)
            durations.append(t - begin)
            slow.append((-(t - begin), begin, k))
        else:
            alone += 1
    for memory in ("1GB", "65536"):
        answer = json.loads(run("pair", *FILES, "filled {qty}", "took", "--key", key, "--format", "json", "--memory", memory,
                                *options))
        expect(answer["pairs"], len(durations), ("pairs", options))
        expect(answer["first_alone"], sum(map(len, open_.values())), "first alone")
        expect(answer["second_alone"], alone, "second alone")
        if durations:
            expect(answer["min"], min(durations), "min")
            expect(answer["max"], max(durations), "max")
            expect(answer["mean"], math.fsum(durations) / len(durations), "mean")
            expect(answer["p50"], quantile(durations, 0.5), "p50")
            expect(answer["p99.9"], quantile(durations, 0.999), "p99.9")
        got = [(-row["duration"], ns(row["begin"])) for row in answer["slowest"]]
        expect([d for d, _ in got], [d for d, _, _ in sorted(slow)[:10]], "slowest")


# ---------------------------------------------------------------- stat

BLOCK_TYPES = {1: "sessions", 2: "dictionary", 3: "columns", 4: "rows", 5: "clock_points", 7: "index", 8: "sessions", 12: "packed"}


def bytes_by_type(path):
    """Walks the blocks of a sound file by their headers (file.md 1)."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = collections.Counter(), 0
    while at + 16 <= len(data):
        assert data[at:at + 4] == b"STN1", at
        size = 16 + (int.from_bytes(data[at + 8:at + 12], "little") + 7) // 8 * 8
        size = min(size, len(data) - at)  # the last block need not be padded
        found[BLOCK_TYPES[data[at + 4]]] += size
        at += size
    return found, len(data)


def check_bytes(answer):
    found, size = bytes_by_type(FILES[0])
    told = answer["bytes"]
    expect(answer["size"], size, "size")
    expect(sum(told.values()), size, "all bytes")
    for name in ("rows", "dictionary", "clock_points", "index", "sessions"):
        expect(told[name], found[name], name)
    expect(sum(told[name] for name in ("arguments", "order", "clock", "directories")), found["columns"], "columns")
    others = sum(n for name, n in told.items() if name != "arguments")
    expect(sum(site["bytes"] for site in answer["sites"]) + others, size, "statements and the others")
    for site in answer["sites"]:
        expect(sum(column["bytes"] for column in site["columns"]), site["bytes"], "bytes of a site")
        expect(site["bytes_share"], site["bytes"] / size, "share of bytes")


def check_stat(records):
    answer = json.loads(run("stat", "--json", *FILES))
    check_bytes(answer)
    expect(answer["records"], len(records), "records")
    expect(sum(s["records"] for s in answer["session_list"]), len(records), "records of the sessions")
    by_site = collections.defaultdict(list)
    for r in records:
        by_site[r["file"], r["line"], r["format"]].append(r["ns"])
    span = (max(r["ns"] for r in records) - min(r["ns"] for r in records)) * 1e-9
    expect(len(answer["sites"]), len(by_site), "sites")
    for site in answer["sites"]:
        times = by_site[site["file"], site["line"], site["format"]]
        expect(site["records"], len(times), "records of a site")
        expect(ns(site["first"]), min(times), "first seen")
        expect(ns(site["last"]), max(times), "last seen")
        expect(site["share"], len(times) / len(records), "share")
        if "--span" not in sys.argv:
            expect(site["rate"], len(times) / span, "rate")


# ---------------------------------------------------------------- diff

def distance(a, b):
    values = sorted(set(a) | set(b))
    a, b = sorted(a), sorted(b)
    greatest, i, j = 0.0, 0, 0
    for v in values:
        while i < len(a) and a[i] <= v:
            i += 1
        while j < len(b) and b[j] <= v:
            j += 1
        greatest = max(greatest, abs(i / len(a) - j / len(b)))
    return greatest


# Documented as the order: effect, certainty, and whether it is of a warning.
def rank(row):
    certainty = (1 + min(row["score"], 20) / 20) / 2
    return row["effect"] * certainty * (2 if row["level"] in ("WARN", "ERROR", "CRITICAL") else 1)


def check_diff():
    before, after = read(FILES[0]), read(FILES[1])
    rows = [json.loads(line) for line in
            run("diff", *FILES, "--format", "json", "--least-rate", "1", "--least-distance", "0", "--least-score", "0").splitlines()]
    spans = [(max(r["ns"] for r in s) - min(r["ns"] for r in s)) * 1e-9 for s in (before, after)]
    sides = [collections.defaultdict(list), collections.defaultdict(list)]
    for side, records in zip(sides, (before, after)):
        for r in records:
            side[r["file"], r["format"]].append(r)
    kinds = collections.defaultdict(set)
    if rows[0]["what"] == "all":
        expect((rows[0]["records_before"], rows[0]["records_after"]), (len(before), len(after)), "records of all")
        expect(rows[0]["file"], None, "the statement of all")
        rows = rows[1:]
    for row in rows:
        site = row["file"], row["format"]
        kinds[site].add(row["what"])
        a, b = sides[0][site], sides[1][site]
        expect((row["records_before"], row["records_after"]), (len(a), len(b)), ("records", site))
        expect(row["rate_before"], len(a) / spans[0], "rate before")
        expect(row["rate_after"], len(b) / spans[1], "rate after")
        expect(row["share_before"], len(a) / len(before), "share before")
        expect(row["share_after"], len(b) / len(after), "share after")
        expect(row["what"] == "new", not a, "new")
        expect(row["what"] == "gone", not b, "gone")
        if row["what"] == "argument" and isinstance(a[0]["args"][row["argument"]], (int, float)) and row["argument"] != "ok":
            expect(row["distance"], distance([r["args"][row["argument"]] for r in a],
                                             [r["args"][row["argument"]] for r in b]), ("distance", row))
    ranks = [rank(row) for row in rows]
    expect(ranks, sorted(ranks, reverse=True), "most important first")
    for site in set(sides[0]) | set(sides[1]):
        if (not sides[0][site]) != (not sides[1][site]):
            assert kinds[site] <= {"new", "gone"} and kinds[site], (site, kinds[site])


if COMMAND == "diff":
    check_diff()
else:
    {"agg": check_agg, "pair": check_pair, "stat": check_stat}[COMMAND](read(FILES[0]))
print("ok", checks)
