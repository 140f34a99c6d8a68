#!/usr/bin/env python3
"""Forty questions of one night, each by one command, as a person types it first, and the answer that is read from what
it prints. The answers are computed here from the truth about each record.

    forty.py STENO INCIDENT_LOG [SEED...]        ask and compare
    forty.py STENO INCIDENT_LOG --time DENSITY FILES
                                                 how long each takes on so many times as many records; no answers
"""
import collections
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from night import INCIDENT, LEVELS, STENO, Night, at, iso, pairs_of, quantile

QUESTIONS = []


def question(words, command, read):
    """Its answer is computed by the function. {…} in the command is taken from it, if it returns (answer, values)."""
    def add(compute):
        QUESTIONS.append((words, command, read, compute))
        return compute
    return add


# Counts the lines that a person reads.
def lines(out):
    return len(out.splitlines())


def number(out):
    return int(out.replace(",", ""))


def first_row(out):
    """Of a table: what it has below its heading."""
    return re.split(" {2,}", out.splitlines()[1].strip())


def first(out):
    return first_row(out)[0]


def last_cell(out):
    return first_row(out)[-1]


def column(n):
    return lambda out: [re.split(" {2,}", line.strip())[n] for line in out.splitlines()[1:]]


def two_columns(out):
    return [tuple(re.split(" {2,}", line.strip())) for line in out.splitlines()[1:]]


def time_of_first_line(out):
    return out[:30]


def people(ns):
    return iso(ns).replace("T", " ")


def most(records, name):
    """The value that comes most often; of equals the least."""
    counts = collections.Counter(r[name] for r in records if name in r)
    return min(counts, key=lambda value: (-counts[value], value))


def errors(night):
    return night.where(lambda r: r["level"] == "ERROR")


def deploy(night):
    return night.where(lambda r: r["line"] == 20)[0]["ns"]


def timed(night, holds=lambda r: True):
    return [r["elapsed"] for r in night.records if "elapsed" in r and holds(r)]


def plain(value):
    return f"{value:g}"


question("What went wrong?", "cat '*.steno' --level error", lines)(lambda n: len(errors(n)))
question("How many errors?", "cat '*.steno' --level error --count", number)(lambda n: len(errors(n)))
question("In which minute were there most?", "agg '*.steno' --level error --by time:1m --sort count --limit 1", first)(
    lambda n: people(int(min((-count, ns) for ns, count in collections.Counter(
        r["ns"] // (60 * 10**9) * 60 * 10**9 for r in errors(n)).items())[1])))
question("Which statement fills the log?", "agg '*.steno' --by site", lambda out: first_row(out)[:2])(
    lambda n: [most(n.records, "site").split("/")[1],
               next(r["format"] for r in n.records if r["site"] == most(n.records, "site"))])
question("Which tenant is slow?", "agg '*.steno' --arg elapsed --op p99 --by tenant --sort p99 --limit 1", first)(
    lambda n: max((quantile([r["elapsed"] for r in of], 0.99), key[0]) for key, of in n.groups(
        n.where(lambda r: "elapsed" in r), "tenant").items())[1])
question("Which requests took longest?", "cat '*.steno' --top 3 --arg elapsed --columns message",
         str.splitlines)(lambda n: [r["message"] for r in sorted(
             n.where(lambda r: "elapsed" in r), key=lambda r: (-r["elapsed"], r["ns"]))[:3]])


@question("What happened to one request, on all hosts?", "cat '*.steno' --where 'request_id == {0}'", lines)
def _(night):
    request = night.records[len(night.records) // 2].get("request_id", 17)
    return len(night.where(lambda r: r.get("request_id") == request)), [request]


@question("All lines of the requests that failed?",
          "cat '*.steno' --level error --lines-of request_id --columns message",
          lambda out: sorted(line for line in out.splitlines() if line != "--"))
def _(night):
    failed = {r["request_id"] for r in errors(night)}
    return sorted(r["message"] for r in night.records if r.get("request_id") in failed)


question("Whose requests fail?", "agg '*.steno' --level error --by tenant --sort count --limit 1", first)(
    lambda n: most(errors(n), "tenant"))
question("Which share of a tenant's records are errors?",
         "agg '*.steno' --by tenant --op 'ratio(level >= ERROR)' --sort ratio --limit 1", first)(
    lambda n: max((sum(r["level"] == "ERROR" for r in of) / len(of), key[0])
                  for key, of in n.groups(n.records, "tenant").items())[1])
question("When was the deploy?", "cat '*.steno' --grep deployed", time_of_first_line)(lambda n: people(deploy(n)))
question("Which version?", "agg '*.steno' --by version", first)(lambda n: "v2")
for side, option in (("before", "--until"), ("after", "--since")):
    @question(f"How slow was it {side} the deploy?", f"agg '*.steno' --arg elapsed --op p99 {option} '{{0}}'", last_cell)
    def _(night, is_before=side == "before"):
        moment = deploy(night)
        return plain(quantile(timed(night, lambda r: (r["ns"] < moment) == is_before), 0.99)), [people(moment)]
question("Which thread has been silent for longest?", "agg 'web.*.steno' --by thread --op last --sort last --limit 1",
         first)(lambda n: min((max(r["ns"] for r in of), key[0]) for key, of in n.groups(
             n.where(lambda r: r["host"] == "web1"), "thread").items())[1])
question("Since when?", "agg 'web.*.steno' --where 'thread == \"flusher\"' --op last", last_cell)(
    lambda n: people(max(r["ns"] for r in n.records if r["thread"] == "flusher")))
question("How many retries?", "cat '*.steno' --grep retry --count", number)(
    lambda n: len(n.where(lambda r: r["line"] == 150)))
question("How often which attempt?", "agg '*.steno' --by attempt", two_columns)(
    lambda n: [(str(k), f"{v:,}") for k, v in sorted(collections.Counter(
        r["attempt"] for r in n.records if "attempt" in r).items())])
question("How many attempts at most?", "agg '*.steno' --arg attempt --op max", last_cell)(
    lambda n: str(max(r["attempt"] for r in n.records if "attempt" in r)))
question("Who retries?", "agg '*.steno' retry --by tenant --sort count --limit 1", first)(
    lambda n: most(n.where(lambda r: r["line"] == 150), "tenant"))
question("Which hosts log here?", "agg '*.steno' --by host", two_columns)(
    lambda n: [(k, f"{v:,}") for k, v in sorted(collections.Counter(r["host"] for r in n.records).items())])
question("How many of which level?", "agg '*.steno' --by level", two_columns)(
    lambda n: [(k, f"{v:,}") for k, v in sorted(collections.Counter(r["level"] for r in n.records).items(),
                                               key=lambda item: LEVELS.index(item[0]))])
question("How much between 2:41 and 2:50?", "cat '*.steno' --time 2:41..2:50 --count", number)(
    lambda n: len(n.where(lambda r: at("2:41") <= r["ns"] < at("2:50"))))
question("The last ten warnings?", "tail '*.steno' --level warn -n 10 --columns message", str.splitlines)(
    lambda n: [r["message"] for r in n.where(lambda r: r["level"] in LEVELS[4:])[-10:]])
question("The end, last line first?", "cat '*.steno' -r -n 5 --columns message", str.splitlines)(
    lambda n: [r["message"] for r in n.records[:-6:-1]])
question("How much in the last 90 seconds?", "cat '*.steno' --since 'last 90s' --count", number)(
    lambda n: len(n.where(lambda r: r["ns"] >= n.records[-1]["ns"] - 90 * 10**9)))
question("Was it restarted?", "agg 'web.*.steno' --by pid", column(0))(
    lambda n: sorted({str(r["pid"]) for r in n.records if r["host"] == "web1"}))
question("How fast is the store?", "agg '*.steno' --where 'host == \"db1\"' --arg elapsed --op p50", last_cell)(
    lambda n: plain(quantile(timed(n, lambda r: r["host"] == "db1"), 0.5)))
question("How many took more than 100 ms?", "cat '*.steno' --where 'elapsed > 100' --count", number)(
    lambda n: len(timed(n, lambda r: r["elapsed"] > 100)))
question("Which paths?", "agg '*.steno' --by path", column(0))(
    lambda n: sorted({r["path"] for r in n.records if "path" in r}))
question("How many tenants?", "agg '*.steno' --arg tenant --op distinct", last_cell)(
    lambda n: str(len({r["tenant"] for r in n.records if "tenant" in r})))
question("How long from the last retry to the answer?",
         "pair 'web.*.steno' retry 'request {{path}} took {{elapsed:.2f}} ms' --key request_id --nearest", first)(
    lambda n: f"{len(pairs_of(n.where(lambda r: r['line'] == 150), n.where(lambda r: r['line'] == 120 and r['host'] == 'web1'), lambda r: r['request_id'], True)[0]):,}")
question("Did every query arrive?", "pair '*.steno' 'sent query' 'query {{id}} came' --key query_id=id",
         lambda out: first_row(out)[:3])(
    lambda n: [f"{len(n.where(lambda r: r['line'] == 200)):,}", "0", "0"])
question("Are the clocks right?",
         "clocks '*.steno' 'sent query' 'query {{id}} came' 'answered query' 'answer to {{query_id}} came' --key query_id=id",
         lambda out: first_row(out)[:3])(lambda n: ["web1", "db1", "1.7 s behind"])


@question("How long is the way, if they were?",
          "pair '*.steno' 'sent query' 'query {{id}} came' --key query_id=id --shift web1=1.7s --format csv",
          lambda out: int(out.splitlines()[1].split(",")[-1]))
def _(night):
    sent, came = ({r.get("query_id", r.get("id")): r["ns"] for r in night.records if r["line"] == line} for line in (200, 300))
    return max(came[key] - sent[key] - 1_700_000_000 for key in sent)


question("Who says so much at DEBUG?", "agg '*.steno' --where 'level == DEBUG' --by site --limit 1", first)(
    lambda n: most(n.where(lambda r: r["level"] == "DEBUG"), "site").split("/")[1])
question("Which second was busiest?", "agg '*.steno' --by time:1s --sort count --limit 1", first)(
    lambda n: people(most([{"s": r["ns"] // 10**9 * 10**9} for r in n.records], "s")))
question("Which share are warnings?", "agg '*.steno' --by level --op share --having 'level == \"WARN\"'",
         lambda out: float(last_cell(out)))(
    lambda n: round(sum(r["level"] == "WARN" for r in n.records) / len(n.records), 6))
question("What has changed?", "diff 'web.*.steno' --before ..02:30 --after 02:45..",
         lambda out: bool(re.search("slow request|retry|elapsed", out)))(lambda n: True)
question("Who waits at the greatest depth?", "agg '*.steno' --arg depth --op max,p50", first_row)(
    lambda n: [str(f([r["depth"] for r in n.records if "depth" in r])) for f in (max, lambda v: quantile(v, 0.5))])


def run(command, directory):
    begin = time.monotonic()
    done = subprocess.run([STENO, *shlex.split(command)], capture_output=True, text=True, cwd=directory)
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    return done.stdout, time.monotonic() - begin


def ask(night):
    for words, command, read, compute in QUESTIONS:
        computed = compute(night)
        answer, values = computed if isinstance(computed, tuple) else (computed, [])
        typed = command.format(*values)
        out, _ = run(typed, night.directory)
        got = read(out)
        assert got == answer, f"{words}\n  {typed}\n  steno  {got}\n  wanted {answer}\n{out[:2000]}"


def measure(density, files):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([INCIDENT, folder, "1", density, files], check=True)
        records = int(run("cat --count '*.steno'", folder)[0])
        print(f"{records:,} records, {len(list(Path(folder).glob('*.steno')))} files")
        for words, command, _, _ in QUESTIONS:
            typed = command.format("2026-11-28 02:35" if "ince" in command or "until" in command else 17)
            print(f"{min(run(typed, folder)[1] for _ in range(2)):6.2f} s  {words}")


if sys.argv[3:4] == ["--time"]:
    measure(*sys.argv[4:6])
else:
    assert len(QUESTIONS) == 40, len(QUESTIONS)
    for seed in sys.argv[3:] or ["1", "2", "3"]:
        with tempfile.TemporaryDirectory() as directory:
            ask(Night(Path(directory), seed))
    print("40 questions")
