#!/usr/bin/env python3
"""Answers of cat, agg and pair on logs full of special values, against answers computed here from `cat --format json`.

    answers_check.py STENO ANSWERS_SAMPLE [SEED [ROUNDS]]
"""
import collections
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

STENO, SAMPLE = sys.argv[1:3]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 60
LEVELS = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
chance = random.Random(SEED)
checks = 0


def run(*arguments, code=0):
    done = subprocess.run([STENO, *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout


def expect(got, wanted, what):
    global checks
    checks += 1
    assert got == wanted, f"{what}\n  steno  {got}\n  wanted {wanted}"


def nanoseconds(time):
    whole, fraction = time.rstrip("Z").split(".")
    return int(datetime.fromisoformat(whole).replace(tzinfo=timezone.utc).timestamp()) * 10**9 + int(fraction)


def iso(ns):
    return datetime.fromtimestamp(ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{ns % 10**9:09d}Z"


def check_big_integers(files):
    """Readers whose numbers are floats, as jq and JavaScript, lose no digit of an integer."""
    exact = [json.loads(line) for line in run("cat", "--format", "json", "--big-integers", "number", *files).splitlines()]
    rounded = [json.loads(line, parse_int=float) for line in run("cat", "--format", "json", *files).splitlines()]
    big = 0
    for one, other in zip(exact, rounded, strict=True):
        for name, value in one["args"].items():
            if isinstance(value, int) and not isinstance(value, bool):
                found = other["args"][name]
                is_text = isinstance(found, str)
                big += is_text
                assert int(found) == value and is_text == (abs(value) > 2**53), (name, value, found)
    return big


def read(files):
    records = [json.loads(line) for line in run("cat", "--format", "json", "--big-integers", "number", *files).splitlines()]
    for r in records:
        r["ns"] = nanoseconds(r["time"])
        for name in ("d", "f"):
            if name in r["args"]:
                r["args"][name] = float(r["args"][name])
    return records


# ---------------------------------------------------------------- conditions: True, False, or None for unknown

def compared(op, a, b):
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


OPS = ["==", "!=", "<", "<=", ">", ">="]
NUMBERS = ["0", "-0.0", "1", "-1", "0.1", "2.5", "-3", "1e300", "-1e300", "9007199254740992", "9007199254740993",
           "9007199254740992.5", "5e-324", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
           "18446744073709551615", "18446744073709551614.5", "1e19", "-2.01", "7"]
TEXTS = ["acme", "", "it's", 'say "hi"', "back\\slash", "nan", "two words", "7", "公", "b"]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def holds_number(op, value, constant):
    if isinstance(value, float):
        return compared(op, value, float(constant))
    return compared(op, Decimal(value), Decimal(constant))


def leaf():
    kind, op = chance.randrange(8), chance.choice(OPS)
    if kind < 4:
        name, constant = chance.choice("dflm"), chance.choice(NUMBERS)
        return (f"{name} {op} {constant}",
                lambda r: None if name not in r["args"] else holds_number(op, r["args"][name], constant))
    if kind == 4:
        name, text = chance.choice(["s", "tenant"]), chance.choice(TEXTS)
        return (f"{name} {op} {quoted(text)}",
                lambda r: None if r["args"].get(name) is None else compared(op, r["args"][name].encode(), text.encode()))
    if kind == 5:
        name, wanted = chance.choice(["s", "l", "tenant", "d"]), chance.random() < 0.5
        return (f"{name} is {'' if wanted else 'not '}null", lambda r: (r["args"].get(name) is None) == wanted)
    if kind == 6:
        level = chance.choice(LEVELS)
        return f"level {op} {level}", lambda r: compared(op, LEVELS.index(r["level"]), LEVELS.index(level))
    some = [chance.choice(NUMBERS) for _ in range(3)]
    wanted = chance.random() < 0.5

    def is_in(r):
        if "l" not in r["args"]:
            return None
        return any(holds_number("==", r["args"]["l"], one) for one in some) == wanted
    return f"l {'' if wanted else 'not '}in ({', '.join(some)})", is_in


def condition(depth):
    kind = chance.randrange(4) if depth else 3
    if kind == 3:
        return leaf()
    text, holds = condition(depth - 1)
    if kind == 2:
        return f"not ({text})", lambda r: None if holds(r) is None else not holds(r)
    other_text, other = condition(depth - 1)
    decides = kind == 1  # `or` is decided by true, `and` by false

    def both(r):
        a, b = holds(r), other(r)
        if a is decides or b is decides:
            return decides
        return None if a is None or b is None else not decides
    return f"({text}) {'or' if decides else 'and'} ({other_text})", both


def check_conditions(files, records):
    for i in range(ROUNDS):
        text, holds = condition(i % 4)
        wanted = [r["time"] + r["message"] for r in records if holds(r)]
        got = [json.loads(line) for line in run("cat", "--format", "json", "--big-integers", "number", "--where", text, *files).splitlines()]
        expect(sorted(r["time"] + r["message"] for r in got), sorted(wanted), text)
        expect(run("cat", "--count", "--where", text, *files), f"{len(wanted)}\n", text)


def check_times(files, records):
    """Ranges that begin and end at a record, of which several may have the same time."""
    times = sorted({r["ns"] for r in records})
    for _ in range(8):
        since, until = sorted(chance.choices(times, k=2))
        until += chance.choice([0, 1])
        since += chance.choice([0, 1])
        if since > until:
            continue
        wanted = sum(since <= r["ns"] < until for r in records)
        expect(run("cat", "--count", "--since", iso(since), "--until", iso(until), *files), f"{wanted}\n", (since, until))
        expect(run("cat", "--count", "--where", f"time >= {since} and time < {until}", *files), f"{wanted}\n", since)


# ---------------------------------------------------------------- agg

def key_text(value):
    """A value as a key of a group: zeros are one, and so is NaN."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(value + 0.0)
    return value


def quantile(values, q):
    ordered = sorted(values)
    return ordered[max(1, math.ceil(q * len(ordered) - 1e-9)) - 1]


def answers(values):
    """`values`: with NaN. Of what is NaN when it is computed there is no answer."""
    real = [v for v in values if not (isinstance(v, float) and math.isnan(v))]
    counts = collections.Counter(v + 0 if v == 0 else v for v in real)
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]
    found = {"count": len(values), "distinct": len(counts), "top": [{"value": v, "count": n} for v, n in top],
             "min": min(real, default=None), "max": max(real, default=None),
             "p50": quantile(real, 0.5) if real else None, "p90": quantile(real, 0.9) if real else None}
    if real and all(isinstance(v, int) for v in real):
        found["sum"] = sum(real)
    return found


def plain(answer):
    """Numbers that JSON has as texts as numbers; zeros without a sign."""
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    if answer in ("inf", "-inf"):
        answer = float(answer)
    return 0 if answer == 0 else answer


def check_statistics(files, records):
    of_num = [r for r in records if r["format"].startswith("num")]
    for name in "dflm":
        for _ in range(3):
            text, holds = condition(1)
            mine = [r["args"][name] for r in of_num if holds(r)]
            wanted = plain(answers(mine))
            ops = "count,distinct,top:3,min,max,p50,p90" + (",sum" if "sum" in wanted else "")
            got = json.loads(run("agg", *files, "num {d}", "--arg", name, "--op", ops, "--where", text, "--format", "json"))
            expect(plain(got), wanted, (name, text))


KEYS = {"level": lambda r: r["level"], "thread": lambda r: r["thread"], "logger": lambda r: r["logger"],
        "site": lambda r: f'{r["file"]}:{r["line"]}', "d": lambda r: r["args"].get("d", ()),
        "f": lambda r: r["args"].get("f", ()), "m": lambda r: r["args"].get("m", ()),
        "l": lambda r: r["args"].get("l", ()), "s": lambda r: r["args"].get("s", ()),
        "arg tenant": lambda r: r["args"].get("tenant", ()), "arg:l": lambda r: r["args"].get("l", ())}


def check_groups(files, records):
    """Of all statements: a name means arguments and fields of context alike."""
    for by, key in KEYS.items():
        wanted = collections.Counter()
        for r in records:
            if key(r) != ():
                wanted[key_text("(null)" if key(r) is None else key(r))] += 1
        title = by.replace("arg ", "").replace("arg:", "")
        rows = [json.loads(line) for line in run("agg", *files, "--by", by, "--format", "json").splitlines()]
        got = {}
        for row in rows:
            value = row[title]
            if title in ("d", "f"):
                value = key_text(float(value))
            assert value not in got, (by, value, "is there twice")
            got[value] = row["count"]
        expect(got, dict(wanted), by)
    done = subprocess.run([STENO, "agg", *files, "--by", "l", "--by", "tenant"], capture_output=True, text=True)
    expect(done.stderr.count("both count"), 1, "said once that --by l is of arguments and of context")
    # A number means what it means to --where: of several statements, what each has there.
    sites = ["--site", "server.cc:20", "--site", "server.cc:30"]
    for by, where, shown in [("{0}", "{0}", lambda value: f"== {value}"),
                             ("arg 1", "{1}", lambda value: f"== {quoted(value)}")]:
        rows = [json.loads(line) for line in run("agg", *files, *sites, "--by", by, "--format", "json").splitlines()]
        assert len(rows) > 5, (by, rows)
        for row in rows:
            value = row[where[1]]
            if value != "(null)":  # that is also so where there is no such argument
                count = run("cat", *files, *sites, "--count", "--where", f"{where} {shown(value)}")
                expect(row["count"], int(count), (by, row))


def check_pair(files, records):
    first = collections.defaultdict(list)
    pairs = 0
    for r in sorted(records, key=lambda r: r["ns"]):
        if r["format"].startswith("num"):
            first[r["args"]["l"]].append(r)
    for r in sorted(records, key=lambda r: r["ns"]):
        if r["format"].startswith("other"):
            waiting = [b for b in first[r["args"]["l"]] if b["ns"] <= r["ns"]]
            if waiting:
                first[r["args"]["l"]].remove(waiting[0])
                pairs += 1
    answer = json.loads(run("pair", *files, "num {d}", "other {l}", "--key", "l", "--format", "json"))
    expect(answer["pairs"], pairs, "pairs")


def check_mistakes(files):
    """What no statement, thread or logger has is an error, with what is meant; not an empty answer."""
    for arguments, hint in [(["cat", "--where", 'thread == "worker-7"'], "worker-"),
                            (["cat", "--where", 'not (thread != "worker-7")'], "worker-"),
                            (["cat", "--where", "tid == 1234"], "7000"),
                            (["cat", "--where", 'logger in ("net", "nett")'], "net"),
                            (["cat", "--where", "file == 'serve.cc'"], "server.cc"),
                            (["cat", "--where", "tennant == 'x'"], "tenant"),
                            (["cat", "--pattern", "{time} {arg:tennant}"], "tenant"),
                            (["cat", "--pattern", "{tiem}"], "time"),
                            (["tail", "--pattern", "{arg:tennant}"], "tenant"),
                            (["agg", "--by", "arg tennant"], "tenant"),
                            (["agg", "--by", "tennant"], "tenant"),
                            (["agg", "--by", "levle"], "level"),
                            (["cat", "--thread", "worker-7"], "worker-"),
                            (["cat", "--logger", "nett"], "net")]:
        done = subprocess.run([STENO, *arguments, *files], capture_output=True, text=True)
        expect(done.returncode, 2, (arguments, done.stderr))
        assert hint in done.stderr and done.stderr.count("\n") == 1 and done.stdout == "", (arguments, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([SAMPLE, directory, str(SEED)], check=True)
        path = {name: str(Path(directory, name + ".steno")) for name in ("many", "rows", "one", "none")}
        big = 0
        for files in ([path["many"]], [path["rows"]], [path["one"]], [path["many"], path["rows"], path["none"]]):
            records = read(files)
            big += check_big_integers(files)
            assert len(records) == 1 or len(records) > 100
            check_times(files, records)
            if len(records) == 1:
                continue
            check_conditions(files, records)
            check_statistics(files, records)
            check_groups(files, records)
            check_pair(files, records)
            check_mistakes(files)
        expect(run("cat", path["none"]), "", "nothing")
        expect(json.loads(run("agg", path["none"], "--format", "json")), {"count": 0}, "nothing")
        assert big > 20, big
    print("ok", checks)


if __name__ == "__main__":
    main()
