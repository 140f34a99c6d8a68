#!/usr/bin/env python3
"""What `steno trace` prints, read as any other JSON, against the records that `cat` prints and the pairs of `pair`.

    trace_check.py STENO TRACE_PROGRAM [SEED...]
"""
import collections
import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path


def check(found, wanted, about):
    if found != wanted:
        sys.exit(f"{about}:\n  found  {str(found)[:1500]}\n  wanted {str(wanted)[:1500]}")


def run(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    check(done.returncode, 0, (words, done.stderr))
    return done.stdout


def records_of(steno, *words):
    return [json.loads(line) for line in run(steno, "cat", "--format", "json", *words).splitlines()]


def ns_of(text):
    whole, _, fraction = text.rstrip("Z").partition(".")
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc).timestamp()
    return int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])


class Trace:
    def __init__(self, steno, *words):
        trace = json.loads(run(steno, "trace", *words), parse_float=Decimal)
        start = self.start = ns_of(trace["otherData"]["start"])
        self.events = collections.defaultdict(list)
        self.names = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "M":
                self.names[event["name"], event["pid"], event["tid"]] = event["args"].get("name")
                continue
            event["ns"] = start + int(event["ts"] * 1000)
            check(event["ts"] * 1000 % 1, 0, "whole nanoseconds")
            self.events[event["ph"]].append(event)

    def thread(self, event):
        return self.names["thread_name", event["pid"], event["tid"]]

    def slices(self):
        """Slices as a viewer makes them: an end closes the innermost slice of its thread. (thread, name, begin, end, depth)"""
        open_slices, slices = collections.defaultdict(list), []
        edges = sorted(self.events["B"] + self.events["E"], key=lambda event: event["ns"])  # keeps the order of equal ones
        for event in edges:
            stack = open_slices[event["pid"], event["tid"]]
            if event["ph"] == "B":
                stack.append(event)
                continue
            begin = stack.pop()
            slices.append((self.thread(event), begin["name"], begin["ns"], event["ns"], len(stack)))
        for stack in open_slices.values():
            slices += [(self.thread(begin), begin["name"], begin["ns"], None, depth) for depth, begin in enumerate(stack)]
        return sorted(slices, key=str)


def spans_of(records):
    """The spans of the records, by their numbers."""
    spans = {}
    for record in records:
        if "span" not in record["args"]:
            continue
        name, _, edge = record["message"].rpartition(": end, " if record["message"].endswith(" ns") else ": begin")
        span = spans.setdefault(record["args"]["span"], [record["thread"], name, None, None, record["args"]["parent"]])
        span[3 if edge else 2] = ns_of(record["time"])
    return spans


def wanted_slices(spans):
    def depth(parent):
        return 1 + depth(spans[parent][4]) if parent in spans else 0
    return sorted(((*span[:4], depth(span[4])) for span in spans.values()), key=str)


def check_all(steno, log):
    records = records_of(steno, log)
    trace = Trace(steno, log)
    spans = spans_of(records)
    check(trace.slices(), wanted_slices(spans), "slices")
    check(sum(span[3] is None for span in spans.values()), 2, "spans without an end")
    check(max(depth for *_, depth in trace.slices()) >= 3, True, "spans within spans")
    others = sorted((ns_of(r["time"]), r["message"], r["level"], r["thread"]) for r in records if "span" not in r["args"])
    check(sorted((e["ns"], e["name"], e["cat"], trace.thread(e)) for e in trace.events["i"]), others, "records")
    check({name for (what, *_), name in trace.names.items() if what == "thread_name"} >=
          {"worker 0", "worker 1", "worker 2"}, True, trace.names)
    name, = {name for (what, *_), name in trace.names.items() if what == "process_name"}
    who = run(steno, "cat", "--head", 1, "--pattern", "{program} ({pid} on {host})", log).strip()
    check(name, who, "the process")


def check_counters(steno, log):
    records = records_of(steno, log)
    trace = Trace(steno, log, "--counter", "size", "--counter", "load", "--no-instants")
    check(sorted((e["ns"], e["name"], e["args"]["value"]) for e in trace.events["C"]),
          sorted((ns_of(r["time"]), name, r["args"][name]) for r in records for name in ("size", "load") if name in r["args"]),
          "counters")
    check((len(trace.events["i"]), len(trace.events["B"]) > 0), (0, True), "no instants")


def check_pairs(steno, log):
    first, second = "order {id} sent by {sender}", "order {id} acked for {sender}"
    keys = ["--key", "id", "--key", "sender"]
    trace = Trace(steno, log, "--pair", first, second, *keys)
    wanted = json.loads(run(steno, "pair", log, first, second, *keys, "--slowest", 1000, "--format", "json"))
    begins = {event["id"]: event for event in trace.events["b"]}
    check(len(begins), len(trace.events["b"]), "ids")
    found = sorted((e["ns"] - begins[e["id"]]["ns"], begins[e["id"]]["ns"], *begins[e["id"]]["args"].values())
                   for e in trace.events["e"])
    check(found, sorted((one["duration"], ns_of(one["begin"]), str(one["id"]), str(one["sender"]))
                        for one in wanted["slowest"]), "pairs")
    check(len(found), wanted["pairs"], "the number of pairs")


def check_part(steno, log, *part):
    """Some of the records, with spans of which one edge is missing: none ends another one."""
    spans = spans_of(records_of(steno, log, *part))
    whole = {number for number, span in spans.items() if span[2] and span[3]}
    trace = Trace(steno, log, *part)
    closed = sorted((s[:4] for s in trace.slices() if s[3] is not None), key=str)
    check(closed, sorted((tuple(spans[number][:4]) for number in whole), key=str), ("slices of a part", part))
    said = sorted(e["name"] for e in trace.events["i"] if e["name"].endswith((" (no begin)", " (no end)")))
    check(len(said) + len(trace.slices()), len(spans), ("edges without the other one", part))
    check(len(spans) > len(whole), True, ("no span is cut by this part", part))
    first = min(ns_of(record["time"]) for record in records_of(steno, log, *part))
    check(0 <= first - trace.start < 2 * 10**9, True, "where times begin")


def check_parts(steno, log):
    records = records_of(steno, log)
    check_part(steno, log, "--since", records[len(records) // 4]["time"], "--until", records[len(records) // 2]["time"])
    # Ends of inner spans that were dropped: the end of one around them must not close them in its place, be it the
    # parent, or one further out, or the parent itself is not there.
    for dropped in ["message =~ ': end, ' and depth >= 1", "message =~ ': end, ' and depth >= 2",
                    "depth == 1 or message =~ ': end, ' and depth >= 2", "depth == 2 or message =~ ': end, ' and depth == 1"]:
        check_part(steno, log, "--where", f"not ({dropped})")


def check_mistakes(steno, log):
    done = subprocess.run([steno, "trace", log, "--counter", "sizes"], capture_output=True, text=True)
    check((done.returncode, "'size'" in done.stderr, done.stdout), (2, True, ""), done.stderr)
    done = subprocess.run([steno, "trace", log, "--where", "size > 1000000"], capture_output=True, text=True)
    check([e["ph"] for e in json.loads(done.stdout)["traceEvents"] if e["ph"] != "M"], [], "no records")


def main():
    steno, program = sys.argv[1:3]
    for seed in sys.argv[3:] or ["1", "2"]:
        with tempfile.TemporaryDirectory(prefix="steno-trace-") as name:
            os.environ["STENO_STAGING"] = name
            log = Path(name, "app.steno")
            subprocess.run([program, log, seed], check=True)
            check_all(steno, log)
            check_counters(steno, log)
            check_pairs(steno, log)
            check_parts(steno, log)
            check_mistakes(steno, log)


if __name__ == "__main__":
    main()
