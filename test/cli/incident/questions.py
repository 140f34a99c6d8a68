#!/usr/bin/env python3
"""Questions that an operator asks at night, each by the command that comes to mind first, against answers computed here
from the truth that incident_log wrote beside the logs.

    questions.py STENO INCIDENT_LOG [SEED...]
"""
import collections
import json
import math
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

STENO, INCIDENT = sys.argv[1:3]
SEEDS = sys.argv[3:] or ["1", "2"]
LEVELS = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
asked = 0


def iso(ns):
    return datetime.fromtimestamp(ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{ns % 10**9:09d}Z"


def at(clock):
    """Nanoseconds of a time of that night."""
    hour, minute, *rest = clock.split(":")
    second = float(rest[0]) if rest else 0
    day = datetime(2026, 11, 28, tzinfo=timezone.utc)
    return int((day + timedelta(hours=int(hour), minutes=int(minute), seconds=second)).timestamp()) * 10**9


def quantile(values, q):
    ordered = sorted(values)
    return ordered[max(1, math.ceil(q * len(ordered) - 1e-9)) - 1]


class Night:
    def __init__(self, directory):
        self.directory = directory
        with open(directory / "truth.jsonl") as lines:
            self.records = [json.loads(line) for line in lines]
        for r in self.records:
            r["site"] = f'{r["file"]}:{r["line"]}'
            for name, value in r["args"].items():
                assert name not in r
                r[name] = value
        # A thread's records keep their order where times are equal; no two threads have equal times that matter here.
        self.records.sort(key=lambda r: r["ns"])

    def run(self, *arguments, code=0):
        global asked
        asked += 1
        done = subprocess.run([STENO, *arguments], capture_output=True, text=True, cwd=self.directory)
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done

    def check(self, got, wanted, arguments):
        assert got == wanted, f"{' '.join(arguments)}\n  steno  {got}\n  wanted {wanted}"

    def where(self, holds):
        return [r for r in self.records if holds(r)]

    def lines(self, wanted, *arguments):
        """The records that are printed, in order."""
        out = self.run("cat", *arguments, "--columns", "time,message", "--format", "json").stdout
        got = [tuple(json.loads(line).values()) for line in out.splitlines()]
        self.check(got, [(iso(r["ns"]), r["message"]) for r in wanted], arguments)

    def count(self, wanted, *arguments):
        self.check(int(self.run("cat", "--count", *arguments).stdout), len(wanted), arguments)

    def table(self, wanted, *arguments):
        """Rows as lists of values; floats to nine digits."""
        out = self.run("agg", *arguments, "--format", "json").stdout
        got = [list(json.loads(line).values()) for line in out.splitlines()]
        self.check(*([[round(v, 9) if isinstance(v, float) else v for v in row] for row in rows]
                     for rows in (got, wanted)), arguments)

    def refused(self, sentence, *arguments):
        done = self.run(*arguments, code=2)
        self.check(re.sub(r"^steno: ", "", done.stderr).startswith(sentence), True, (*arguments, done.stderr))

    def groups(self, records, *names):
        found = collections.defaultdict(list)
        for r in records:
            if all(name in r for name in names):
                found[tuple(r[name] for name in names)].append(r)
        return found


PLACES = ["level", "thread", "tid", "pid", "program", "host", "logger", "site", "file", "line", "function", "format",
          "message", "sequence", "tenant", "request_id", "path", "elapsed", "attempt"]


def key_order(name, value):
    return LEVELS.index(value) if name == "level" else value


def ask_by_fields(night):
    """Every field that a record has, in --by, --where, --columns and --pattern."""
    for name in PLACES:
        groups = night.groups(night.records, name)
        rows = [[value, len(of)] for (value,), of in groups.items()]
        night.table(sorted(rows, key=lambda row: key_order(name, row[0])), "*.steno", "--by", name)
        with_it = night.where(lambda r: name in r)
        value = with_it[len(with_it) // 3][name]
        text = f'"{value}"' if isinstance(value, str) else str(value)
        same = night.where(lambda r: r.get(name) == value)
        night.count(same, "*.steno", "--where", f"{name} == {text}")
        night.count(night.where(lambda r: name in r and r[name] != value), "*.steno", "--where", f"{name} != {text}")
        out = night.run("cat", "*.steno", "--where", f"{name} == {text}", "--columns", f"time,{name}", "--format",
                        "json").stdout
        night.check([list(json.loads(line).values()) for line in out.splitlines()],
                    [[iso(r["ns"]), r[name]] for r in same], ("--columns", name))
        if isinstance(value, float):
            continue
        out = night.run("cat", "*.steno", "--where", f"{name} == {text}", "--pattern", f"{{{name}}}").stdout
        night.check(out, f"{value}\n" * len(same), ("--pattern", name))
    middle = sorted(r["sequence"] for r in night.records)[len(night.records) // 2]
    for op, holds in {"<": lambda n: n < middle, ">=": lambda n: n >= middle, "!=": lambda n: n != middle}.items():
        night.count(night.where(lambda r: holds(r["sequence"])), "*.steno", "--where", f"sequence {op} {middle}")
    night.count(night.where(lambda r: r["host"] == "web1" and r["line"] in (120, 131)), "*.steno", "--where",
                'host == "web1" and (site == "server.cc:120" or site == "server.cc:131")')


def ask_names(night):
    """A name that nobody has is an error that names the nearest."""
    night.refused("--where: there is no host 'web2'; did you mean 'web1'?", "cat", "*.steno", "--where",
                  'host == "web2"')
    night.refused("--where: there is no program 'servr'; did you mean 'server'?", "cat", "*.steno", "--where",
                  'program == "servr"')
    night.refused("--where: there is no process '4243'; did you mean '4242'?", "cat", "*.steno", "--where",
                  "pid == 4243")
    night.refused("--where: there is no statement 'server.cc:121'; did you mean 'server.cc:120'?", "agg", "*.steno",
                  "--where", 'site == "server.cc:121"')
    night.refused("--where: there is no function 'servee'; did you mean 'serve'?", "cat", "*.steno", "--where",
                  'function == "servee"')
    night.refused("--where: no statement has an argument 'hots'; did you mean 'host'?", "cat", "*.steno", "--where",
                  'hots == "web1"')
    night.refused("--pattern: there is no field 'tenent'; did you mean 'tenant'?", "cat", "*.steno", "--pattern",
                  "{time} {tenent}")
    night.refused("--columns: there is no field 'mesage'; did you mean 'message'?", "cat", "*.steno", "--columns",
                  "time,mesage")
    night.refused("--by: cannot group by 'hots'; did you mean 'host'?", "agg", "*.steno", "--by", "hots")


def ask_times(night):
    first, last = night.records[0]["ns"], night.records[-1]["ns"]
    since = night.where(lambda r: r["ns"] >= at("2:41"))
    for text in ["2:41", "02:41", "02:41:00", "Nov 28 02:41", "28 Nov 2:41", "2026-11-28 02:41 UTC", "02:41 UTC",
                 "03:41 +01:00", "Sat Nov 28 02:41:00 2026", f"@{at('2:41') // 10**9}", str(at("2:41") // 10**9),
                 str(at("2:41") // 10**6), str(at("2:41") // 10**3), str(at("2:41")), "41 minutes after start",
                 "41m after start"]:
        exact = "start" not in text
        wanted = since if exact else night.where(lambda r: r["ns"] >= first + 41 * 60 * 10**9)
        night.count(wanted, "*.steno", "--since", text)
    part = night.where(lambda r: at("2:41") <= r["ns"] < at("2:50"))
    night.count(part, "*.steno", "--time", "02:41..02:50")
    night.count(part, "*.steno", "--since", "02:41..02:50")
    night.count(part, "*.steno", "--since", "2:41", "--until", "2:50")
    night.count(part, "*.steno", "--where", 'time >= "2:41" and time < "2:50"')
    night.count(part, "*.steno", "--where", f"time >= {at('2:41') // 10**9} and time < {at('2:50')}")
    night.count(night.where(lambda r: r["ns"] < at("2:10")), "*.steno", "--time", "..02:10")
    night.count(night.where(lambda r: r["ns"] >= last - 90 * 10**9), "*.steno", "--since", "last 90s")
    done = night.run("cat", "*.steno", "--time", "2:10..2:10:00.000000001")
    night.check(done.stderr.startswith("steno: no such record from 2026-11-28 02:10:00.000000000Z"), True, (done.stderr,))
    night.run("cat", "*.steno", "--where", 'message contains "no such thing"', "--fail-if-empty", code=1)
    night.run("agg", "*.steno", "--where", 'message contains "no such thing"', "--fail-if-empty", code=1)
    night.run("cat", "*.steno", "--where", "level >= ERROR", "--fail-if-empty")


def ask_ranks(night):
    timed = night.where(lambda r: "elapsed" in r)
    by_tenant = night.groups(timed, "tenant")
    p99 = sorted(((quantile([r["elapsed"] for r in of], 0.99), tenant) for (tenant,), of in by_tenant.items()),
                 key=lambda row: (-row[0], row[1]))
    # The tenant that is slow, over all statements that have `elapsed`.
    night.table([[tenant, value] for value, tenant in p99], "*.steno", "--arg", "elapsed", "--op", "p99", "--by",
                "tenant", "--sort", "p99")
    night.table([[p99[0][1], p99[0][0]]], "*.steno", "--arg", "elapsed", "--op", "p99", "--by", "tenant", "--sort",
                "p99", "--limit", "1")
    minutes = collections.defaultdict(list)
    for r in timed:
        minutes[r["ns"] // (60 * 10**9) * 60 * 10**9].append(r["elapsed"])
    steps = range(min(r["ns"] for r in night.records) // (60 * 10**9) * 60 * 10**9, night.records[-1]["ns"] + 1,
                  60 * 10**9)
    night.table([[iso(step), quantile(minutes[step], 0.9) if step in minutes else None] for step in steps], "*.steno",
                "--arg", "elapsed", "--op", "p90", "--by", "time:1m")
    # The thread that stopped.
    threads = night.groups(night.where(lambda r: r["host"] == "web1"), "thread")
    lasts = sorted((max(r["ns"] for r in of), min(r["ns"] for r in of), name) for (name,), of in threads.items())
    night.table([[name, iso(last)] for last, _, name in lasts], "web.*.steno", "--by", "thread", "--op", "last", "--sort",
                "last")
    night.table([[name, iso(first), iso(last)] for last, first, name in lasts][:1], "web.*.steno", "--by", "thread",
                "--op", "first,last", "--sort", "last", "--limit", "1")
    # Shares and ratios.
    every = night.groups(night.records, "level")
    rows = sorted(([level, len(of), len(of) / len(night.records)] for (level,), of in every.items()),
                  key=lambda row: -row[1])
    night.table(rows, "*.steno", "--by", "level", "--op", "count,share", "--sort", "share")
    ratio = sorted(([tenant, sum(r["level"] in ("ERROR", "CRITICAL") for r in of) / len(of)]
                    for (tenant,), of in night.groups(night.records, "tenant").items()), key=lambda row: (-row[1], row[0]))
    night.table(ratio, "*.steno", "--by", "tenant", "--op", "ratio(level >= ERROR)", "--sort", "ratio")
    sites = sorted(([site, len(of)] for (site,), of in night.groups(night.records, "site").items()),
                   key=lambda row: (-row[1], row[0]))
    night.table([row for row in sites if row[1] > 100], "*.steno", "--by", "site", "--op", "count", "--having",
                "count > 100", "--sort", "count")
    night.table([[t, v] for v, t in sorted(p99, key=lambda row: row[1]) if v > 50 and t != "acme"], "*.steno", "--arg",
                "elapsed", "--op", "p99", "--by", "tenant", "--having", 'p99 > 50 and tenant != "acme"')
    night.table([[t, v] for v, t in sorted(p99)], "*.steno", "--arg", "elapsed", "--op", "p99", "--by", "tenant",
                "--sort", "p99:asc")
    # Two statements by their places.
    slow = [r["elapsed"] for r in timed if r["line"] in (120, 131)]
    night.table([[len(slow), max(slow)]], "*.steno", "--site", "server.cc:120", "--site", "server.cc:131", "--arg",
                "elapsed", "--op", "count,max")


def ask_records(night):
    timed = night.where(lambda r: "elapsed" in r)
    slowest = sorted(timed, key=lambda r: (-r["elapsed"], r["ns"]))
    night.lines(slowest[:20], "*.steno", "--top", "20", "--arg", "elapsed")
    after = [r for r in slowest if r["ns"] >= at("2:50")]
    night.lines(after[:5], "*.steno", "--top", "5", "--arg", "elapsed", "--since", "2:50")
    warns = night.where(lambda r: r["level"] in ("WARN", "ERROR", "CRITICAL"))
    night.lines(warns[::-1], "*.steno", "--level", "warn", "-r")
    night.lines(warns[::-1][:7], "*.steno", "--level", "warn", "-r", "-n", "7")
    night.lines(warns[::-1][:7], "*.steno", "--level", "warn", "-r", "--head", "7")
    night.lines(warns[-7:], "*.steno", "--level", "warn", "-n", "7")
    night.lines([r for r in warns if not re.search("retry|failed", r["message"])], "*.steno", "--level", "warn",
                "--grep-not", "retry", "--grep-not", "failed")
    failed = night.where(lambda r: r["level"] == "ERROR")
    order = list(dict.fromkeys(r["request_id"] for r in failed))
    lines = sorted(night.where(lambda r: r.get("request_id") in set(order)),
                   key=lambda r: (order.index(r["request_id"]), r["ns"]))
    out = night.run("cat", "*.steno", "--level", "error", "--lines-of", "request_id", "--columns", "request_id,message").stdout
    night.check([line.split("\t") for line in out.splitlines() if line != "--"],
                [[str(r["request_id"]), r["message"]] for r in lines], ("--lines-of",))
    out = night.run("cat", "*.steno", "--columns", "tenant,attempt,host", "--head", "50", "--format", "csv").stdout
    night.check(out, "tenant,attempt,host\n" + "".join(
        f'{r.get("tenant", "")},{r.get("attempt", "")},{r["host"]}\n' for r in night.records[:50]), ("csv",))
    out = night.run("cat", "*.steno", "--columns", "tenant,attempt,host", "--head", "50", "--format", "logfmt").stdout
    night.check(out, "".join(" ".join(f"{name}={r[name]}" for name in ("tenant", "attempt", "host") if name in r) + "\n"
                             for r in night.records[:50]), ("logfmt",))


def ask_differences(night):
    web = night.where(lambda r: r["host"] == "web1")
    for before, after, arguments in [
            (lambda t: t < at("2:37"), lambda t: t >= at("2:37"), ["--before", "02:37"]),
            (lambda t: t < at("2:37"), lambda t: at("2:37") <= t < at("2:45"), ["--before", "02:37", "--after", "02:37..02:45"]),
            (lambda t: at("2:05") <= t < at("2:10"), lambda t: t >= at("2:50"), ["--before", "2:05..2:10", "--after", "2:50"])]:
        out = night.run("diff", "web.*.steno", *arguments).stdout
        got = [int(re.match(rf"{side} +([0-9,]+) records", line)[1].replace(",", ""))
               for side, line in zip(("before", "after"), out.splitlines())]
        night.check(got, [sum(holds(r["ns"]) for r in web) for holds in (before, after)], arguments)
    slow = night.run("diff", "web.*.steno", "--before", "..02:30", "--after", "02:45..", "--format", "json").stdout
    found = [json.loads(line) for line in slow.splitlines()]
    night.check(any(d["argument"] == "elapsed" or d["line"] in (131, 140, 150) for d in found), True, ("diff", found))


for seed in SEEDS:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([INCIDENT, folder, seed], check=True)
        of_seed = Night(Path(folder))
        for ask in (ask_by_fields, ask_names, ask_times, ask_ranks, ask_records, ask_differences):
            ask(of_seed)
print(f"{asked} questions")
