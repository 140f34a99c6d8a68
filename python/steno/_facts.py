"""What a log says of itself: statements, sessions, threads, losses."""
from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

LEVELS = ("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL")
"""By their number, which is the column `severity`."""

_NAME_LENGTH = 60  # of words, and of a file

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def utc(ns: int) -> datetime:
    """Nanoseconds since the epoch, rounded down to microseconds, which is what datetime has."""
    return _EPOCH + timedelta(microseconds=ns // 1000)


def to_ns(time: datetime) -> int:
    """Nanoseconds since the epoch of a time with a zone."""
    since = time - _EPOCH
    return ((since.days * 86400 + since.seconds) * 10**6 + since.microseconds) * 1000


def iso(ns: int) -> str:
    """Nanoseconds since the epoch as a text of UTC with nine digits; as a number where datetime has no such year."""
    seconds, rest = divmod(ns, 10**9)
    try:
        whole = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return str(ns)
    return f"{whole.replace(tzinfo=None).isoformat()}.{rest:09d}Z"


def level_name(level: int) -> str:
    """A level that is lost to damage has no name."""
    return LEVELS[level] if 0 <= level < len(LEVELS) else "?"


@dataclass(frozen=True)
class Site:
    """A place in a program that logs."""
    format: str
    file: str
    line: int
    function: str
    level: str
    types: str  # a letter for each argument (spec/types.md)
    stable_id: int  # the same in each build of the program
    name: str = ""  # short: what steno sql calls its table

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Statement:
    """Places that log the same arguments with the same text: one table."""
    name: str
    format: str
    sites: tuple[Site, ...]
    spec: dict = field(repr=False, compare=False, default_factory=dict)  # for the reader


@dataclass(frozen=True)
class Session:
    """One run of a program."""
    path: str
    program: str
    host: str
    session_id: int
    pid: int
    utc_offset: timedelta  # of the machine, when the session started
    start: datetime
    start_ns: int  # since the epoch
    records: int
    ended: bool  # normally
    died: bool  # and what it left is here


@dataclass(frozen=True)
class Thread:
    """A thread of a session."""
    session: int  # index in Log.sessions
    tid: int  # the kernel's
    name: str  # or its tid


@dataclass(frozen=True)
class Loss:
    """Something that was logged but is not there, or cannot be read."""
    text: str
    path: str
    offset: int  # of the damage; offset and size 0: not at a place in the file
    size: int
    records: int  # how many are known to be missing; 0: unknown

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Verification:
    """What Log.verify() found. True if nothing is missing."""
    losses: tuple[Loss, ...]
    records: int  # that are there

    def __bool__(self) -> bool:
        return not self.losses

    def __str__(self) -> str:
        if self:
            return f"complete: {self.records:,} records"
        return "\n".join([f"incomplete: {self.records:,} records", *(loss.text for loss in self.losses)])


def session_of(facts: tuple) -> Session:
    path, program, host, session_id, pid, offset, start_ns, records, ended, died = facts
    return Session(path, program, host, session_id, pid, timedelta(seconds=offset), utc(start_ns), start_ns, records,
                   ended, died)


def _words(text: str) -> list[str]:
    """The words of a format, without those of its fields."""
    literal = re.sub(r"\{[^{}]*\}|%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z]", " ", text)
    return re.findall(r"[a-z0-9]+", literal.lower())


def _cut(name: str) -> str:
    """A name that can be part of that of a directory, which has 255 characters at most."""
    return name[:_NAME_LENGTH].rstrip("_")


def _place_name(site: Site) -> str:
    stem = re.sub(r"[^a-z0-9]+", "_", site.file.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()).strip("_")
    return f"{_cut(stem) or 'site'}_{site.line}"


def _short_name(sites: tuple[Site, ...], others: Counter) -> str:
    """The first word of the text, or as many as no other statement begins with, up to four; else the place as well.
    It is cut if it is long: two may be the same then."""
    words = _words(sites[0].format)
    if not words:
        return _place_name(sites[0])
    for count in range(1, min(len(words), 4) + 1):
        name = "_".join(words[:count])
        if others[name] == 1 and not name[0].isdigit() and len(name) > 2 and name != "log":
            return _cut(name)
    name = _cut("_".join(words[:4]))
    return f"{'' if not name[0].isdigit() else 's_'}{name}_{_place_name(sites[0])}"


def statements_of(sites: list[Site]) -> list[Statement]:
    """One a format; where places that log one format have other arguments, one a place."""
    by_format: dict[str, list[Site]] = defaultdict(list)
    for site in sites:
        by_format[site.format].append(site)
    groups: list[tuple[tuple[Site, ...], dict]] = []
    for format, places in by_format.items():
        if format and not {"\ufffd", "\0"} & set(format) and len({site.types for site in places}) == 1:
            groups.append((tuple(places), {"statement": format}))
        else:
            groups.extend(((site,), {"stable_id": site.stable_id}) for site in places)
    beginnings: Counter = Counter()
    for places, _ in groups:
        words = _words(places[0].format)
        beginnings.update({"_".join(words[:count]) for count in range(1, min(len(words), 4) + 1)})
    taken: set[str] = set()
    statements = []
    for places, spec in sorted(groups, key=lambda group: (group[0][0].format, group[0][0].file, group[0][0].line)):
        short = name = _short_name(places, beginnings)
        for number in itertools.count(2):
            if name not in taken:
                break
            name = f"{short}_{number}"
        taken.add(name)
        named = tuple(Site(**{**site.__dict__, "name": name}) for site in places)
        statements.append(Statement(name, places[0].format, named, spec))
    return statements
