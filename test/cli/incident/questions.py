#!/usr/bin/env python3
"""Questions that an operator asks at night, in many forms, against answers computed here from the truth that
incident_log wrote beside the logs.

    questions.py STENO INCIDENT_LOG [SEED...]
"""
import collections
import json
import re
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from night import LEVELS, Night, at, iso, on_terminal, pairs_of, quantile

SEEDS = sys.argv[3:] or ["1", "2"]

PLACES = ["level", "thread", "tid", "pid", "program", "host", "logger", "site", "file", "line", "function", "format",
          "message", "sequence", "tenant", "request_id", "path", "elapsed", "attempt"]


def key_order(name, value):
    return LEVELS.index(value) if name == "level" else value


def ask_by_fields(night):
    """Every field that a record has, in --by, --where, --columns and --pattern."""
    for name in PLACES:
        groups = night.groups(night.records, name)
        rows = [[value, len(of)] for (value,), of in groups.items()]
        # Places come greatest first, so that the top of the table says what fills the log.
        night.table(sorted(rows, key=lambda row: (-row[1], row[0]) if name == "site" else key_order(name, row[0])),
                    "*.steno", "--by", name)
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
    for text in ["2:41-2:50", "2:41 - 2:50", "2:41..9m", "2:41+9m", "2026-11-28 02:41+540s"]:
        night.count(part, "*.steno", "--time", text)
    night.refused("--time: '2:35' is before '2:50', and the log has no records of the day after", "cat", "*.steno",
                  "--time", "2:50..2:35")
    night.count(part, "*.steno", "--since", "02:41..02:50")
    night.count(part, "*.steno", "--since", "2:41", "--until", "2:50")
    night.count(part, "*.steno", "--where", 'time >= "2:41" and time < "2:50"')
    night.count(part, "*.steno", "--where", f"time >= {at('2:41') // 10**9} and time < {at('2:50')}")
    night.count(part, "*.steno", "--where", "time >= 2:41 && !(time >= 2026-11-28 02:50Z)")
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
    night.table([[*key, len(of)] for key, of in
                 sorted(night.groups(night.records, "host", "level").items(), key=lambda one: (one[0][0], LEVELS.index(one[0][1])))],
                "*.steno", "--by", "host,level")
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
    # People get the text of each statement, and the file without its directories.
    texts = {r["line"]: r["format"] for r in night.records}
    out = night.run("agg", "*.steno", "--by", "site").stdout
    night.check([re.split(" {2,}", line) for line in out.splitlines()],
                [["site", "format", "count"]] + [[site.split("/")[1], texts[int(site.split(":")[1])], f"{count:,}"]
                                                 for site, count in sites], ("--by site",))
    night.table([[t, v] for v, t in sorted(p99, key=lambda row: row[1]) if v > 50 and t != "acme"], "*.steno", "--arg",
                "elapsed", "--op", "p99", "--by", "tenant", "--having", 'p99 > 50 and tenant != "acme"')
    night.table([[t, v] for v, t in sorted(p99)], "*.steno", "--arg", "elapsed", "--op", "p99", "--by", "tenant",
                "--sort", "p99:asc")
    # Two statements by their places.
    # The texts say that it is in ms.
    for text in ["elapsed > 90", "elapsed > 90ms", "elapsed > 0.09s", "90000us < elapsed"]:
        night.count([r for r in timed if r["elapsed"] > 90], "*.steno", "--where", text)
    night.table([row for row in sorted([t, v] for v, t in p99) if row[1] > 50], "*.steno", "--arg", "elapsed", "--op",
                "p99", "--by", "tenant", "--having", "p99 > 0.05s")
    slow = [r["elapsed"] for r in timed if r["line"] in (120, 131)]
    night.table([[len(slow), max(slow)]], "*.steno", "--site", "server.cc:120", "--site", "server.cc:131", "--arg",
                "elapsed", "--op", "count,max")


def lines_of(night, chosen, names):
    """The records that share a key with those chosen: by the place of the first of these that has it, then by time."""
    ranks = {}
    for place, r in enumerate(chosen):
        for name in names:
            if name in r:
                ranks.setdefault(r[name], place)
    def rank(r):
        return min((ranks[r[name]] for name in names if r.get(name) in ranks), default=None)
    return sorted(night.where(lambda r: rank(r) is not None), key=lambda r: (rank(r), r["ns"]))


def people(ns):
    return iso(ns).replace("T", " ")


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
    out = night.run("cat", "*.steno", "--format", "json", "--level", "warn").stdout
    of_process = ("pid", "program", "host")
    night.check([[json.loads(line)[name] for name in of_process] for line in out.splitlines()],
                [[r[name] for name in of_process] for r in warns], of_process)
    failed = night.where(lambda r: r["level"] == "ERROR")
    several = ["request_id", "query_id", "id"]
    one = slowest[len(slowest) // 2]["request_id"]
    for chosen, names, asked in [(failed, ["request_id"], ["--level", "error"]),
                                 (failed[:5], ["request_id"], ["--level", "error", "--head", "5"]),
                                 (failed[-5:], ["request_id"], ["--level", "error", "-n", "5"]),
                                 (slowest[:20], ["request_id"], ["--top", "20", "--arg", "elapsed"]),
                                 (slowest[:20], several, ["--top", "20", "--arg", "elapsed"]),
                                 (failed, several, ["--level", "error"]),
                                 (night.where(lambda r: r.get("request_id") == one), several,
                                  ["--where", f"request_id == {one}"])]:
        lines = lines_of(night, chosen, names)
        done = night.run("cat", "*.steno", *asked, "--lines-of", "=".join(names), "--columns", "time,message")
        night.check([line.split("\t") for line in done.stdout.splitlines() if line != "--"],
                    [[people(r["ns"]), r["message"]] for r in lines], ("--lines-of", names, *asked))
        hosts = {r["host"] for r in lines}
        night.check(hosts == {"web1", "db1"}, True, ("both hosts", *asked))
    out = night.run("cat", "*.steno", "--columns", "tenant,attempt,host", "--head", "50", "--format", "csv").stdout
    night.check(out, "tenant,attempt,host\n" + "".join(
        f'{r.get("tenant", "")},{r.get("attempt", "")},{r["host"]}\n' for r in night.records[:50]), ("csv",))
    out = night.run("cat", "*.steno", "--columns", "tenant,attempt,host", "--head", "50", "--format", "logfmt").stdout
    night.check(out, "".join(" ".join(f"{name}={r[name]}" for name in ("tenant", "attempt", "host") if name in r) + "\n"
                             for r in night.records[:50]), ("logfmt",))


def ask_time_formats(night):
    """--time-format, for all times and for one in a pattern."""
    def texts(r, previous):
        when = datetime.fromtimestamp(r["ns"] // 10**9, timezone.utc)
        ns = r["ns"] % 10**9
        day = when.strftime("%Y-%m-%d %H:%M:%S")
        past, since = r["ns"] - night.records[0]["ns"], r["ns"] - previous
        return {"s": f"{day}Z", "ms": f"{day}.{ns // 10**6:03d}Z", "us": f"{day}.{ns // 1000:06d}Z", "ns": f"{day}.{ns:09d}Z",
                "%H:%M:%S.%3f": when.strftime("%H:%M:%S.") + f"{ns // 10**6:03d}",
                "%j %6f,%a %d %b %y%%": when.strftime("%j ") + f"{ns // 1000:06d}" + when.strftime(",%a %d %b %y%%"),
                "relative": f"+{past // 10**9}.{past % 10**9:09d}".rjust(15),
                "delta": f"+{since // 10**9}.{since % 10**9:09d}".rjust(15)}
    warns = night.where(lambda r: r["level"] in ("WARN", "ERROR", "CRITICAL"))
    wanted = [texts(r, previous["ns"]) for previous, r in zip(warns[:1] + warns, warns)]
    for style in wanted[0]:
        lines = [f"{w[style]}|{r['message']}" for w, r in zip(wanted, warns)]
        for arguments in [["--time-format", style, "--pattern", "{time}|{message}"], ["--pattern", f"{{time:{style}}}|{{message}}"]]:
            out = night.run("cat", "*.steno", "--level", "warn", *arguments).stdout
            night.check(out.splitlines(), lines, arguments)
    out = night.run("cat", "*.steno", "--level", "warn", "--time-format", "relative", "--format", "json").stdout
    night.check([json.loads(line)["time"] for line in out.splitlines()], [w["relative"].strip() for w in wanted], ("json",))
    out = night.run("tail", "*.steno", "--level", "warn", "-n", "5", "--columns", "time:%H:%M,message").stdout
    night.check(out.splitlines(), [f"{w['%H:%M:%S.%3f'][:5]}\t{r['message']}" for w, r in list(zip(wanted, warns))[-5:]], ("tail",))
    # Milliseconds are enough on a terminal.
    first = night.records[0]
    out = on_terminal(night, "cat", "*.steno", "--head", "1", "--color", "never")
    night.check(out.startswith(texts(first, 0)["ms"] + " "), True, (out,))
    out = on_terminal(night, "cat", "*.steno", "--head", "1", "--color", "never", "--time-format", "ns")
    night.check(out.startswith(texts(first, 0)["ns"] + " "), True, (out,))
    out = on_terminal(night, "agg", "*.steno", "--by", "time:10m")
    night.check(out.splitlines()[1].startswith("2026-11-28 02:00:00Z "), True, (out,))
    # A table that is too wide has its texts cut, not its times.
    out = on_terminal(night, "agg", "*.steno", "--by", "tenant", "--by", "site", "--op", "last")
    last = night.groups(night.records, "tenant", "site")
    night.check(sorted(re.findall(r"2026-\S+ \S+$", out, re.M)), sorted(texts(of[-1], 0)["ms"] for of in last.values()), (out,))
    night.check(max(map(len, out.splitlines())) <= 80, True, (out,))
    out = night.run("agg", "*.steno", "--by", "time:10m", "--time-format", "%H:%M", "--limit", "2").stdout
    night.check([line.split()[0] for line in out.splitlines()], ["time", "02:00", "02:10"], ("agg",))
    night.refused("--time-format: 'delta' is for lines of cat and tail", "agg", "*.steno", "--time-format", "delta")
    night.refused("--time-format: '%Q' is no format of times", "cat", "*.steno", "--time-format", "%Q")
    night.refused("--pattern: {time:…}: 'hours' is no format of times", "cat", "*.steno", "--pattern", "{time:hours}")


def ask_pivots(night):
    """Steps of time as lines, the values of another key as columns: those that are greatest, and the rest together."""
    steps = range(at("2:00"), night.records[-1]["ns"] + 1, 600 * 10**9)
    def cells(out):
        return [re.split(" {2,}", line.strip()) for line in out.splitlines()]
    for key in ("tenant", "level", "request_id"):
        counts = collections.Counter((r["ns"] // (600 * 10**9) * 600 * 10**9, r[key]) for r in night.records if key in r)
        totals = collections.Counter(r[key] for r in night.records if key in r)
        order = sorted(totals, key=lambda value: (0 if key == "level" else -totals[value], key_order(key, value)))
        shown, rest = order[:10], order[10:]
        wanted = [["time", *map(str, shown)] + (["others"] if rest else [])]
        for step in steps:
            row = [counts[step, value] for value in shown] + ([sum(counts[step, value] for value in rest)] if rest else [])
            wanted.append([f"{iso(step).replace('T', ' ')}", *(f"{n:,}" for n in row)])
        for keys in (["--by", "time:10m", "--by", key], ["--by", key, "--by", "time:10m"]):
            got = cells(night.run("agg", "*.steno", *keys).stdout)
            night.check(got, [[f"count by {key}"], *wanted], keys)
    # Columns are printed up to the width of the terminal; those that cannot be summed are counted in the heading.
    out = on_terminal(night, "agg", "*.steno", "--by", "time:20m", "--by", "tenant", "--arg", "elapsed", "--op", "p99", columns=48)
    night.check(bool(re.match(r"p99 of elapsed \(ms\) by tenant, [2-4] of 5\n", out)) and max(map(len, out.splitlines())) <= 48, True, (out,))
    # JSON keeps a row for each, and so do several numbers.
    night.check(len(night.run("agg", "*.steno", "--by", "time:20m", "--by", "host", "--format", "json").stdout.splitlines()),
                2 * len(steps[::2]), ())
    night.check(cells(night.run("agg", "*.steno", "--by", "time:20m", "--by", "host", "--op", "count,first").stdout)[0],
                ["time", "host", "count", "first"], ())
    # Several numbers over time are a line each.
    night.run("agg", "*.steno", "--by", "time:5m", "--arg", "elapsed", "--op", "p50,p99", "--svg", "lines.svg")
    svg = (night.directory / "lines.svg").read_text()
    night.check("p50, p99 of elapsed" in svg, True, (svg[:3000],))
    night.check([f">{name}<" in svg for name in ("p50", "p99")], [True, True], (svg[:3000],))


def check_pairs(night, pairs, *arguments):
    done = night.run("pair", *arguments, "--format", "json")
    got = json.loads(done.stdout)
    slow = sorted(pairs, key=lambda p: (-p[0], p[1]["ns"]))[:10]
    durations = [p[0] for p in pairs]
    night.check([got["pairs"], got["min"], got["max"], got["p90"]],
                [len(pairs), min(durations), max(durations), quantile(durations, 0.9)], arguments)
    night.check([(s["begin"], s["duration"]) for s in got["slowest"]], [(iso(b["ns"]), d) for d, b, _ in slow], arguments)
    return done


def check_pair_groups(night, words, first, second):
    """By what the first line has, or only the second one; by steps of time; and as pictures."""
    pairs, _ = pairs_of(first, second, lambda r: r["request_id"])
    begun = {id(p[1]) for p in pairs}
    step = 600 * 10**9
    for keys in (["tenant"], ["path"], ["level", "tenant"], ["time:10m", "path"], ["elapsed"]):
        of_second = keys == ["elapsed"]
        def value(p, key):
            if key.startswith("time"):
                return iso(p[1]["ns"] // step * step)
            return p[2][key] if of_second else p[1][key]
        groups = collections.defaultdict(list)
        for p in pairs:
            groups[tuple(value(p, key) for key in keys)].append(p[0])
        alone = collections.Counter(tuple(value((0, r, r), key) for key in keys) for r in first
                                    if id(r) not in begun and not of_second)
        options = [word for key in keys for word in ("--by", key)]
        got = json.loads(night.run("pair", *words, "--key", "request_id", *options, "--above", "20ms", "--format",
                                   "json").stdout)["groups"]
        names = [key.split(":")[0] for key in keys]
        night.check({tuple(g[name] for name in names):
                     [g["pairs"], g["above"], g["min"], g["p50"], g["p99"], g["max"], g.get("first_alone", 0)] for g in got},
                    {key: [len(of := groups[key]), sum(d >= 20_000_000 for d in of), min(of, default=None),
                           quantile(of, 0.5) if of else None, quantile(of, 0.99) if of else None, max(of, default=None),
                           alone[key]] for key in [*groups, *(k for k in alone if k not in groups)]}, options)
        night.check([tuple(key_order(n, g[n]) for n in names) for g in got],
                    sorted(tuple(key_order(n, g[n]) for n in names) for g in got), options)
    night.check(json.loads(night.run("pair", *words, "--key", "request_id", "--format", "json").stdout).get("groups"), None, ())
    csv = night.run("pair", *words, "--key", "request_id", "--by", "tenant", "--format", "csv").stdout
    night.check(csv.splitlines()[0], "tenant,pairs,first_alone,min,mean,p50,p90,p99,p99.9,max", (csv,))
    # Bars: how many take how long. Their edges are round, and each counts what is within.
    out = night.run("pair", *words, "--key", "request_id", "--plot").stdout
    scale = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
    bars = re.findall(r"^ *([0-9.]+) (\w+) \.\. ([0-9.]+) (\w+) +([0-9,]+)", out, re.M)
    night.check(len(bars) >= 10, True, (out,))
    for low, unit, high, to_unit, count in bars:
        edges = round(float(low) * scale[unit]), round(float(high) * scale[to_unit])
        night.check(int(count.replace(",", "")), sum(edges[0] <= p[0] < edges[1] for p in pairs), (low, unit, out))
    night.check(sum(int(b[4].replace(",", "")) for b in bars), len(pairs), (out,))
    out = night.run("pair", *words, "--key", "request_id", "--by", "tenant", "--plot").stdout
    night.check("p99" in out.splitlines()[0] and len(out.splitlines()) == 1 + len({p[1]["tenant"] for p in pairs}), True, (out,))
    for by, text in (([], "time of a pair"), (["--by", "tenant"], "p99"), (["--by", "time:10m", "--by", "tenant"], "p99")):
        night.run("pair", *words, "--key", "request_id", *by, "--svg", "pairs.svg")
        svg = (night.directory / "pairs.svg").read_text()
        night.check(text in svg and " ms</text>" in svg and svg.endswith("</svg>\n"), True, (by, svg[:2000]))
    night.refused("--by: ", "pair", *words, "--key", "request_id", "--by", "nothing")


def ask_pairs(night):
    """Under retries: the first or the last attempt, by one key, two, or the thread."""
    words = ["web.*.steno", "retry", "request {path} took {elapsed:.2f} ms"]
    retries = night.where(lambda r: r["line"] == 150)
    took = night.where(lambda r: r["line"] == 120 and r["host"] == "web1")
    for nearest in (False, True):
        how = ["--nearest"] if nearest else []
        for options, key in [(["--key", "request_id"], lambda r: r["request_id"]),
                             (["--key", "path"], lambda r: r["path"]),
                             (["--key", "path", "--key", "tenant"], lambda r: (r["path"], r["tenant"])),
                             (["--key", "path", "--same", "thread"], lambda r: (r["path"], r["thread"])),
                             (["--same", "thread", "--same", "pid"], lambda r: (r["thread"], r["pid"]))]:
            pairs, repeats = pairs_of(retries, took, key, nearest)
            done = check_pairs(night, pairs, *words, *options, *how)
            night.check("most pairs are of" in done.stderr, False, (*options, done.stderr))
            said = re.findall(r"keys repeat: ([0-9,]+) first lines", done.stderr)
            night.check(said, [f"{repeats:,}"] if repeats else [], (options, done.stderr))
    check_pair_groups(night, words, retries, took)
    # Names that differ.
    sent, came = (night.where(lambda r, line=line: r["line"] == line) for line in (200, 300))
    ids = lambda r: r.get("query_id", r.get("id"))
    pairs, _ = pairs_of(sent, came, ids)
    done = check_pairs(night, pairs, "*.steno", "sent query", "query {id} came", "--key", "query_id=id")
    night.check("steno: most pairs are of lines of two hosts" in done.stderr, True, (done.stderr,))
    night.check("--shift auto" in done.stderr, True, (done.stderr,))
    done = night.run("pair", "*.steno", "sent query", "query {id} came", "--key", "query_id=id", "--shift", "db1=-1.7s")
    night.check(done.stderr, "", ("--shift",))
    # These are the pairs above a bound, with their lines.
    bound = 1_701_500_000
    slow = sorted((p for p in pairs if p[0] >= bound), key=lambda p: (-p[0], p[1]["ns"]))
    out = night.run("pair", "*.steno", "sent query", "query {id} came", "--key", "query_id=id", "--above", "1701.5ms",
                    "--lines", "--time-format", "s").stdout
    night.check(int(re.search(r"above.*\n.*", out)[0].splitlines()[1].split()[3].replace(",", "")), len(slow), (out,))
    lines = out[out.rindex("\n\n") + 2:].splitlines()
    # "2026-11-28 02:41:00Z DEBUG  web1 server [worker-1] server.cc:200 sent query 5"
    fields = [line.split(" ", 8) for line in lines if line != "--"]
    night.check([(line[4], line[5], line[8]) for line in fields],
                [(r["host"], r["program"], r["message"]) for p in slow[:1000] for r in p[1:]], ("--lines",))
    # The store's clock is ahead: its answers seem to come after they were received.
    done = night.run("pair", "*.steno", "answered query", "answer to {query_id} came", "--key", "id=query_id")
    night.check("the second line mostly comes before the first" in done.stderr, True, (done.stderr,))
    night.refused("--same: 'path' is none of thread,", "pair", *words, "--same", "path")


def ask_clocks(night):
    """The store's clock is ahead; queries go there and come back."""
    there = ["*.steno", "sent query", "query {id} came"]
    back = ["answered query", "answer to {query_id} came"]
    key = ["--key", "query_id=id"]
    times = collections.defaultdict(dict)
    for r in night.records:
        if r["line"] >= 200:
            times[r.get("query_id", r.get("id"))][r["line"]] = r["ns"]
    # db1 is the reference: its name comes first. What web1 sent cannot have come to db1 before.
    least = max(t[200] - t[300] for t in times.values())
    most = min(t[210] - t[310] for t in times.values())
    assert least <= -1_700_000_000 <= most
    got = json.loads(night.run("clocks", *there, *back, *key, "--format", "json").stdout)
    middle = least + (most - least) // 2
    night.check(list(got.values()), ["web1", "db1", middle, most - middle, least, most, len(times), len(times)], ("clocks",))
    out = night.run("clocks", *there, *back, *key).stdout
    option = out.splitlines()[-1].split()
    night.check(option, ["--shift", f"web1={-middle}ns"], (out,))
    # Once it has been applied, nothing is left to do.
    out = night.run("clocks", *there, *back, *key, *option).stdout
    night.check("--shift" in out, False, (out,))
    one = json.loads(night.run("clocks", *there, *key, "--format", "json").stdout)
    night.check([one["ahead"], one["least"], one["most"]], [None, least, None], ("one direction",))
    # All commands take what it prints.
    for texts, shift in [(option, -middle), (["--shift", "web1=1.7s"], 1_700_000_000)]:
        moved = sorted(({**r, "ns": r["ns"] + (shift if r["host"] == "web1" else 0)} for r in night.records),
                       key=lambda r: r["ns"])
        out = night.run("cat", "*.steno", "--columns", "time,message", "--format", "json", "--since", "02:41", "--head",
                        "200", *texts).stdout
        night.check([tuple(json.loads(line).values()) for line in out.splitlines()],
                    [(iso(r["ns"]), r["message"]) for r in moved if r["ns"] >= at("2:41")][:200], texts)
        steps = collections.Counter(r["ns"] // 10**9 * 10**9 for r in moved if at("2:41") <= r["ns"] < at("2:45"))
        night.table([[iso(step), steps[step]] for step in range(at("2:41"), at("2:45"), 10**9)], "*.steno", "--by",
                    "time:1s", "--time", "2:41..2:45", *texts)
        pairs, _ = pairs_of([r for r in moved if r["line"] == 200], [r for r in moved if r["line"] == 300],
                            lambda r: r.get("query_id", r.get("id")))
        check_pairs(night, pairs, *there, *key, *texts)
    night.refused("--shift: there is no host 'web2'; did you mean 'web1'?", "cat", "*.steno", "--shift", "web2=1s")
    night.refused("--shift: write HOST=DURATION", "agg", "*.steno", "--shift", "1s")
    # The command is not told which records they are.
    found = night.run("clocks", "*.steno")
    night.check(found.stdout.splitlines()[-1].split(), option, (found.stdout,))
    by_auto = night.run("agg", "*.steno", "--by", "time:1s", "--time", "2:41..2:45", "--format", "csv", "--shift", "auto")
    night.check(by_auto.stdout, night.run("agg", "*.steno", "--by", "time:1s", "--time", "2:41..2:45", "--format", "csv",
                                          *option).stdout, ("--shift auto",))
    night.check(f"--shift auto: applies {option[1]} (" in by_auto.stderr, True, (by_auto.stderr,))
    night.refused("--shift: auto: all records are of one host", "cat", "web.*.steno", "--shift", "auto")


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
        files = sorted(path.name for path in night.directory.glob("web.*.steno"))  # as a shell writes the pattern
        night.check(night.run("diff", *files, *arguments).stdout, out, arguments)
    slow = night.run("diff", "web.*.steno", "--before", "..02:30", "--after", "02:45..", "--format", "json").stdout
    found = [json.loads(line) for line in slow.splitlines()]
    night.check(any(d["argument"] == "elapsed" or d["line"] in (131, 140, 150) for d in found), True, ("diff", found))


for seed in SEEDS:
    with tempfile.TemporaryDirectory() as folder:
        of_seed = Night(Path(folder), seed)
        for ask in (ask_by_fields, ask_names, ask_times, ask_ranks, ask_records, ask_time_formats, ask_pivots, ask_pairs, ask_clocks, ask_differences):
            ask(of_seed)
print(f"{Night.asked} questions")
