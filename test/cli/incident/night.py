"""A night of logs (incident_log), the truth about each of its records, and what runs commands on them."""
import collections
import fcntl
import json
import math
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from datetime import datetime, timedelta, timezone
from pathlib import Path

STENO, INCIDENT = sys.argv[1:3]
os.environ.update(XDG_CONFIG_HOME="/nonexistent", STENO_PAGER="cat")  # what the user of this machine wants is not tested
LEVELS = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
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


def on_terminal(night, *arguments, columns=80, lines=24):
    """What a command prints on a terminal, with the line ends of files."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    running = subprocess.Popen([STENO, *arguments], stdout=slave, stdin=subprocess.DEVNULL, cwd=night.directory,
                               env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    out = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # EIO: nobody has the terminal any more
            break
        if not part:
            break
        out += part
    os.close(master)
    assert running.wait() == 0, arguments
    return out.decode().replace("\r\n", "\n")


def pairs_of(first, second, key, nearest=False):
    """(duration, begin record, end record) of each pair, and how many first records came while another one waited."""
    waiting, pairs, repeats = collections.defaultdict(list), [], 0
    events = sorted([(r["ns"], 0, i, r) for i, r in enumerate(first)] + [(r["ns"], 1, i, r) for i, r in enumerate(second)],
                    key=lambda e: e[:3])
    for ns, side, _, r in events:
        open_ = waiting[key(r)]
        if side == 0:
            repeats += bool(open_)
            open_.append(r)
        elif open_:
            begin = open_.pop(-1 if nearest else 0)
            pairs.append((ns - begin["ns"], begin, r))
    return pairs, repeats


class Night:
    """The logs of a seed, in this directory, and the truth, in order of time."""
    asked = 0  # of all nights

    def __init__(self, directory, seed):
        self.directory = directory
        subprocess.run([INCIDENT, directory, seed], check=True)
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
        Night.asked += 1
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
