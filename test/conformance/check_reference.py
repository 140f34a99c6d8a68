"""Compares what spec/reference reads with what `steno cat` prints: check_reference.py STENO REFERENCE FILE|STAGING..."""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from fractions import Fraction

steno, reference = sys.argv[1:3]
sys.path.insert(0, reference)
sys.dont_write_bytecode = True

from columns import Unsupported  # noqa: E402
import staging  # noqa: E402
import sites  # noqa: E402
import steno_file  # noqa: E402


class Number(str):
    """A JSON number as it is spelt."""


def text_of(data: bytes) -> str:
    """UTF-8; of what is none, each byte is U+FFFD."""
    out = []
    while data:
        try:
            out.append(data.decode("utf-8"))
            break
        except UnicodeDecodeError as error:
            out.append(data[:error.start].decode("utf-8") + "\ufffd")
            data = data[error.start + 1:]
    return "".join(out)


def units_text(data: bytes, size: int) -> str:
    units = [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data) // size * size, size)]
    out = []
    i = 0
    while i < len(units):
        code = units[i]
        if size == 2 and 0xD800 <= code < 0xDC00 and i + 1 < len(units) and 0xDC00 <= units[i + 1] < 0xE000:
            code = 0x10000 + (code - 0xD800 << 10) + units[i + 1] - 0xDC00
            i += 1
        i += 1
        out.append("\ufffd" if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code))
    return "".join(out)


def extended(data: bytes):
    """An x87 number as a fraction and half the distance to the next; None: no finite number."""
    mantissa = int.from_bytes(data[:8], "little")
    word = int.from_bytes(data[8:10], "little")
    exponent = word & 0x7FFF
    if exponent == 0x7FFF:
        return None
    step = Fraction(2) ** (max(exponent, 1) - 16383 - 63)
    return mantissa * step * (-1 if word >> 15 else 1), step / 2


def is_float(bits: int, size: int, shown) -> bool:
    letter = "d" if size == 8 else "f"
    value = struct.unpack("<" + letter, bits.to_bytes(size, "little"))[0]
    if not math.isfinite(value):
        return not isinstance(shown, Number) and str(shown).lstrip("-")[:3] in ("nan", "inf")
    return struct.pack("<" + letter, float(shown)) == bits.to_bytes(size, "little")


def same(letter: str, value, shown) -> bool:
    if letter in "fd":
        return is_float(value, 4 if letter == "f" else 8, shown)
    if letter == "e":
        number = extended(value)
        return number is None or abs(Fraction(shown) - number[0]) <= number[1]
    if letter in "no":
        return int(shown) == int.from_bytes(value, "little", signed=letter == "n")
    if letter == "b":
        return shown is (value != 0)
    if letter == "p":
        return int(shown, 16) == value
    if letter == "c":
        return shown == text_of(bytes([value]))
    if letter in "uw":
        return shown == units_text(value.to_bytes(4, "little"), 4)
    if letter in "SUW":
        text = None if value is None else text_of(value) if letter == "S" else units_text(value, 2 if letter == "U" else 4)
        return shown == text
    return letter != "g" and isinstance(shown, Number) and int(shown) == value


def time_text(wall: int) -> str:
    day = datetime(1970, 1, 1) + timedelta(seconds=wall // 10**9)
    return day.strftime("%Y-%m-%dT%H:%M:%S.") + f"{wall % 10**9:09d}Z"


SECONDS = {"ns": (1, 10**9), "us": (1, 10**6), "ms": (1, 10**3), "s": (1, 1), "min": (60, 1), "h": (3600, 1),
           "d": (86400, 1)}


def same_list(data, element: bytes, shown) -> bool:
    """A string that is a list of integers (those of other types are not in the vectors)."""
    if data is None or shown is None:
        return data is shown
    letter = chr(element[0])
    size = {"a": 1, "h": 1, "s": 2, "t": 2, "i": 4, "j": 4, "l": 8, "m": 8}[letter]
    values = [int.from_bytes(data[i:i + size], "little", signed=letter in "asil") for i in range(0, len(data), size)]
    return values == [int(one) for one in shown]


def text_by_meaning(letter: str, value, meaning: bytes):
    """What JSON shows instead of the number; None: the number."""
    if letter not in "asilhtjm":
        return None
    text = text_of(meaning)
    if text.startswith("@") and text[1:] in SECONDS:
        numerator, denominator = SECONDS[text[1:]]
        seconds, rest = divmod(value * numerator, denominator)
        day = datetime(1970, 1, 1) + timedelta(seconds=seconds)
        digits = len(str(denominator)) - 1
        return f"{day.year:04d}" + day.strftime("-%m-%dT%H:%M:%S") + (f".{rest:0{digits}d}" if digits else "") + "Z"
    if text.startswith("="):
        entries = [entry.partition(" ") for entry in text[1:].split(",")]
        if not all(number.lstrip("-").isdigit() and name for number, _, name in entries):
            return None
        return next((name for number, _, name in entries if int(number) == value), str(value))
    return None


def differences(record: steno_file.Record, line: dict):
    if line["time"] != time_text(record.wall):
        yield f"time {time_text(record.wall)}"
    site = record.site
    if site is not None:
        if line["level"] != sites.LEVELS[min(site.level, 6)]:
            yield f"level {site.level}"
        for key, value in (("file", site.file), ("function", site.function), ("format", site.format)):
            if line[key] != text_of(value):
                yield f"{key} {value!r}"
        if int(line["line"]) != site.line:
            yield f"line {site.line}"
    if record.logger is not None and line["logger"] != text_of(record.logger):
        yield f"logger {record.logger!r}"
    if record.thread is not None and line["thread"] != (text_of(record.thread[1]) or str(record.thread[0])):
        yield f"thread {record.thread}"
    if site is not None and site.context:
        skipped = sites.flags(site)
        arguments = len(site.types) - len(site.context)
        names = [text_of(name) for index, name in enumerate(site.context, arguments) if index not in skipped]
        if names and list(line["args"])[-len(names):] != names:
            yield f"context {names}"
    shown = list(line["args"].values())
    if len(shown) != len(record.values):
        yield f"{len(record.values)} arguments"
    meanings = dict(site.meanings) if site is not None else {}
    for index, ((letter, value), one) in enumerate(zip(record.values, shown)):
        if value is None:
            if one is not None:
                yield f"{letter} without a value"
            continue
        meaning = meanings.get(index, b"")
        if meaning.startswith(b"!"):
            meaning = b"" if value == b"[redacted]" else meaning[1:]
        if letter == "S" and meaning.startswith(b"["):
            if not same_list(value, meaning[1:], one):
                yield f"{letter} {value!r}, {meaning!r}"
            continue
        text = text_by_meaning(letter, value, meaning)
        if text is not None:
            if one != text or isinstance(one, Number):
                yield f"{letter} {value!r}, {text}"
        elif not same(letter, value, one):
            yield f"{letter} {value!r}"


def printed(log: str, *options: str) -> list:
    ran = subprocess.run([steno, "cat", "--no-sort", "--format", "json", "--big-integers", "number", *options, log], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line, parse_int=Number, parse_float=Number) for line in ran.stdout.splitlines()]


def compare(path: str, records, lines: list) -> int:
    """How many records were compared."""
    count = 0
    for count, record in enumerate(records, 1):
        if count > len(lines):
            sys.exit(f"{path}: the reference reads more than the {len(lines)} records that steno prints: {record}")
        found = list(differences(record, lines[count - 1]))
        if found:
            sys.exit(f"{path}: record {count}: the reference reads {'; '.join(found)}, steno prints {lines[count - 1]}")
    if count != len(lines):
        sys.exit(f"{path}: the reference reads {count} records, steno prints {len(lines)}")
    return count


def check_file(path: str) -> int:
    with open(path, "rb") as file:
        data = file.read()
    compare(path, steno_file.records(data, show_secrets=True), printed(path, "--show-secrets"))
    return compare(path, steno_file.records(data), printed(path))


def recovered(directory: str) -> list:
    """What steno makes of staging, of a copy that looks like one; empty: it refuses."""
    with tempfile.TemporaryDirectory() as place:
        copy = os.path.join(place, "4242-0123456789abcdef")
        os.mkdir(copy, 0o700)
        for name in os.listdir(directory):
            shutil.copyfile(os.path.join(directory, name), os.path.join(copy, name))
            os.chmod(os.path.join(copy, name), 0o600)
        log = os.path.join(place, "log.steno")
        ran = subprocess.run([steno, "recover", "--staging", copy, "--output", log], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, check=False)
        return printed(log) if ran.returncode == 0 else []


def is_own(line: dict, site: int) -> bool:
    return line["format"] == text_of(sites.OWN_SITES[site].format)


def check_staging(directory: str) -> int:
    """Recovery adds records of its own: of the death, of what cannot be read, of what the flight recorder had, and of
    drops that were not reported."""
    lines = recovered(directory)
    try:
        read = staging.Staging(directory)
    except Unsupported:
        if lines:
            sys.exit(f"{directory}: the reference does not know it, but steno does")
        raise
    lines = [line for line in lines if not any(is_own(line, site) for site in (3, 4, 6))]
    drops = list(staging.unreported_drops(read).values())
    own = lines[len(lines) - len(drops):]
    if not all(is_own(line, 2) for line in own) or [int(line["args"]["records"]) for line in own] != drops:
        sys.exit(f"{directory}: the reference finds {drops} unreported drops, steno ends with {own}")
    return compare(directory, staging.records(read), lines[:len(lines) - len(drops)])


total = 0
for name in sys.argv[3:]:
    try:
        total += check_staging(name) if os.path.isdir(name) else check_file(name)
    except Unsupported as error:
        print(f"{name}: not compared: {error}")
print(f"{len(sys.argv) - 3} files and directories, {total} records: the same")
sys.exit(0 if total else "nothing was compared")
