#!/usr/bin/env python3
"""Damaged logs of a night: what is missing is what the line on standard error says, and whoever asks about other times
gets the truth without a word.

    damage.py STENO INCIDENT_LOG
"""
import collections
import json
import random
import re
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from night import Night

LINE = re.compile(r"steno: (?P<file>\S+): (?P<bytes>[\d,]+) bytes (?:at|in [\d,]+ places from) offset (?P<offset>\d+) "
                  r"are damaged and were skipped: [^;]*; (?P<least>at least |)(?P<records>[\d,]+) records? of [^;]* (?:is|are) missing"
                  r"(?: after (?P<after>[^\s;]+))?(?: and)?(?: before (?P<before>[^\s;]+))?(?:; 'steno verify' shows more)?\n")
MINUTE = 60 * 10**9


def ns_of(text):
    whole, fraction = text.rstrip("Z").split(".")
    day = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return int(day.timestamp()) * 10**9 + int(fraction)


class Damaged:
    """One file of a night, with other bytes in it, and the records that it lacks."""

    def __init__(self, night, name, change):
        data = bytearray((night.directory / name).read_bytes())
        change(data)
        (night.directory / "damaged.steno").write_bytes(data)
        self.night = night
        out = night.run("cat", name, "--columns", "time,message", "--format", "json").stdout
        self.whole = [self.record(line) for line in out.splitlines()]
        done = night.run("cat", "damaged.steno", "--columns", "time,message", "--format", "json", code=1)
        left = [self.record(line) for line in done.stdout.splitlines()]
        lost = collections.Counter(self.whole) - collections.Counter(left)
        night.check(collections.Counter(left) - collections.Counter(self.whole), collections.Counter(), ("no others",))
        self.missing = sorted(lost.elements())
        self.said = done.stderr

    @staticmethod
    def record(line):
        time, message = json.loads(line).values()
        return ns_of(time), message

    def check_line(self, begin, end, least=""):
        """It says which bytes, how many records, and when these were logged. Where the bytes are, and how many."""
        found = LINE.fullmatch(self.said)
        self.night.check(found is not None, True, (self.said,))
        records = int(found["records"].replace(",", ""))
        offset, size = int(found["offset"]), int(found["bytes"].replace(",", ""))
        self.night.check((found["file"], records), ("damaged.steno", len(self.missing)), (self.said,))
        self.night.check((offset <= begin, offset + size >= end), (True, True), (self.said,))
        self.night.check(found["least"], least, (self.said,))
        return offset, size

    def check_windows(self, random_, told_all=False):
        """Every window has its records; who asks where some are missing is told, and who asks far away is not."""
        first, last = self.whole[0][0], self.whole[-1][0]
        told = silent = 0
        for _ in range(40):
            begin = random_.randrange(first, last)
            end = begin + random_.choice([MINUTE // 10, MINUTE, 10 * MINUTE])
            lost = sum(begin <= ns < end for ns, _ in self.missing)
            wanted = sum(begin <= ns < end for ns, _ in self.whole) - lost
            window = ("--since", f"@{begin}", "--until", f"@{end}")
            code, said = self.ask(wanted, "cat", "--count", "damaged.steno", *window)
            self.night.check(code == 1 or lost == 0, True, (window, lost))
            if told_all:
                self.night.check(code, 1, window)
            elif end < self.missing[0][0] - 15 * MINUTE or begin > self.missing[-1][0] + 15 * MINUTE:
                self.night.check((code, said), (0, ""), window)
                silent += 1
            told += code
            for command in (("agg", "damaged.steno", *window, "--op", "count"),
                            ("cat", "damaged.steno", "--count", "--where", f"time >= {begin} and time < {end}"),
                            ("cat", "damaged.steno", *window),
                            ("diff", "damaged.steno", "--before", f"@{begin}..@{end}", "--after", f"@{begin}..@{end}")):
                self.night.check(self.ask(None, *command), (code, said), command)
        self.night.check((told > 0, silent > 0), (True, not told_all), ("windows", told, silent))

    def ask(self, count, *command):
        for code in (0, 1):
            try:
                done = self.night.run(*command, code=code)
            except AssertionError:
                continue
            if count is not None:
                self.night.check(int(done.stdout), count, command)
            said = [line for line in done.stderr.splitlines() if "no such record" not in line]
            self.night.check(said, [line for line in self.said.splitlines() if code == 1], command)
            return code, "".join(said)
        raise SystemExit(f"{command}: fails")


def change_all(*changes):
    def change(data):
        for begin, end, value in changes:
            data[begin:end] = bytes(byte ^ 1 for byte in data[begin:end]) if value is None else value * (end - begin)
    return change


def flip(at):
    return at, at + 1, None


def main():
    random_ = random.Random(11)
    with tempfile.TemporaryDirectory(prefix="steno-damage-") as name:
        night = Night(Path(name), "5")
        middle = (night.directory / "db.steno").stat().st_size // 2
        one = Damaged(night, "db.steno", change_all(flip(middle)))
        offset, size = one.check_line(middle, middle + 1)
        one.check_windows(random_)
        # The block after it is damaged too, and both are one stretch.
        two = Damaged(night, "db.steno", change_all(flip(middle), flip(offset + size + 100)))
        night.check(two.check_line(middle, offset + size + 101)[0], offset, ("where it begins",))
        two.check_windows(random_)
        # One far from there has a line of its own.
        three = Damaged(night, "db.steno", change_all(flip(middle), flip(middle // 3)))
        night.check(len(LINE.findall(three.said)), 2, (three.said,))
        # Bytes that may have been anything, of any time: everybody is told.
        filled = Damaged(night, "db.steno", change_all((middle, middle + 3000, b"\xff")))
        filled.check_line(middle, middle + 3000, "at least ")
        filled.check_windows(random_, told_all=True)
        print(f"damaged stretches are one line each, for those who ask about their times ({Night.asked} questions)")


if __name__ == "__main__":
    main()
