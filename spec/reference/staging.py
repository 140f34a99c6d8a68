"""Staging of a process that is dead (ring.md): from the files of a directory to the records that wait in its rings.

Written from ring.md and types.md alone. Nothing changes meanwhile, so nothing is looked at twice (§4.2, §4.3)."""

import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from integers import INT_TYPES, STRING_TYPES, WIDE_TYPES
from little_endian import U64, Damaged, Reader, Unsupported
from sites import KNOWN_TYPES, OWN_SITES, Site, without_flags
from steno_file import Record, Session

VERSION = 4
HEADER_BYTES = 4096
LEAST_WALL = 10 ** 18
EARLY_TIME = 1 << 63
PAD, THREAD, DROPPED, CONTEXT, TAKEN, FIRST_SITE = 0, 1, 2, 5, 7, 16
THREADS_RING, RECORDER_RING = 0, 1
MAX_CONTEXT_FIELDS = 16
NULL = 0xFFFFFFFF


class Context(NamedTuple):
    """§4.1.1."""
    names: Tuple[bytes, ...] = ()
    types: str = ""
    values: Tuple[Tuple[str, Any], ...] = ()


class Owner(NamedTuple):
    tid: int
    name: bytes


class Ring(NamedTuple):
    """What a header says (§4)."""
    number: int
    data: bytes
    base: int
    position: int  # of the release
    tail: int
    dropped: int
    drops: int     # that were reported before the release
    owner: Owner
    context: Context
    kind: int
    taken: int     # what is the flight recorder's is there, up to here (§4.6)

    def at(self, position: int, size: int) -> bytes:
        start = (position - self.base) % len(self.data)
        return self.data[start:start + size]


class Staging:
    """A directory, as a look at it finds it."""

    def __init__(self, directory: str):
        with open(os.path.join(directory, "session"), "rb") as file:
            header = file.read()
        version = number_at(header, 8, 4)
        if version != VERSION:
            raise Unsupported(f"the staging has version {version}, and this reader knows only {VERSION}")
        self.session = read_session(header)
        self.missing_entries = number_at(header, 104, 4)
        self.recorder_below = number_at(header, 272, 4)
        with open(os.path.join(directory, "dictionary"), "rb") as file:
            entries = file.read(number_at(header, 48, 8))
        try:
            self.session.take_dictionary(entries, 0)
        except Damaged:
            pass  # the entries before the damage count (§3)
        self.rings: List[Ring] = []
        numbers = [int(name[5:]) for name in os.listdir(directory) if name.startswith("ring-")]
        for number in sorted(numbers):
            with open(os.path.join(directory, f"ring-{number}"), "rb") as file:
                self.add_ring(number, file.read())

    def add_ring(self, number: int, data: bytes) -> None:
        if number_at(data, 8, 4) == VERSION and number_at(data, 120, 4) > RECORDER_RING:
            raise Unsupported("a ring of another kind")
        try:
            ring = read_ring(number, data)
        except Damaged:
            return
        if ring is not None:
            self.rings.append(ring)

    def site(self, number: int) -> Optional[Site]:
        return self.session.sites.at(number, 1)

    def may_be_missing(self, number: int) -> bool:
        """Of a site that the dictionary had no room for (§3)."""
        last = max((known for known in self.session.sites.entries if known >= FIRST_SITE), default=FIRST_SITE - 1)
        return number < last + 1 + self.missing_entries


def number_at(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at:at + size], "little")


def read_session(header: bytes) -> Session:
    """§2."""
    session = Session()
    session.is_known = True
    session.start_wall = int.from_bytes(header[24:32], "little", signed=True)
    session.clock_kind = number_at(header, 32, 4)
    session.rate = Reader(header[40:48]).f64()
    count = number_at(header, 2048, 8)
    for point in range(max(count - 16, 0), count):
        at = 2112 + point % 16 * 32
        session.take_points(header[at:at + 32])
    return session


def time_of(session: Session, clock: int) -> int:
    """§4.1: of a record's clock."""
    if session.clock_kind not in (3, 5):
        return session.wall(clock)
    if clock >= LEAST_WALL:
        return clock & ~EARLY_TIME
    counter = Session()
    counter.is_known, counter.clock_kind = True, 1
    counter.start_wall, counter.rate, counter.points = session.start_wall, session.rate, session.points
    return max(counter.wall(clock), 0)


def read_ring(number: int, data: bytes) -> Optional[Ring]:
    """§4. None: it is half made."""
    if len(data) < HEADER_BYTES or number_at(data, 8, 4) == 0:
        return None
    capacity, base = number_at(data, 16, 8), number_at(data, 160, 8)
    if data[:8] != b"STENORNG" or number_at(data, 8, 4) != VERSION or number_at(data, 12, 4) != number:
        raise Damaged("no ring of that number")
    if capacity < 4096 or capacity & (capacity - 1) or HEADER_BYTES + capacity > len(data):
        raise Damaged("impossible capacity")
    release = Reader(data[400 + number_at(data, 392, 8) % 2 * 56:][:56])
    position, _, drops, _, _, _ = (release.unsigned(8) for _ in range(6))
    release.unsigned(4)
    slots = release.unsigned(4)
    head, tail = number_at(data, 384, 8), number_at(data, 128, 8)
    if any(value % 8 for value in (head, tail, base, position)) or not position <= tail <= position + capacity:
        raise Damaged("impossible positions")
    thread = Reader(data[512 + (slots & 1) * 272:][:272])
    tid, _, size = thread.unsigned(8), thread.unsigned(4), thread.unsigned(4)
    context = Context()
    if slots & 4:
        saved = Reader(data[2048 + (slots >> 1 & 1) * 1024:][:1024])
        context = read_context(saved.take(saved.unsigned(4)))
    return Ring(number, data[HEADER_BYTES:HEADER_BYTES + capacity], base, position, tail, number_at(data, 136, 8),
                drops, Owner(tid, thread.take(min(size, 256))), context, number_at(data, 120, 4),
                number_at(data, 1056, 8))


def read_values(reader: Reader, types: str) -> Tuple[Tuple[str, Any], ...]:
    """types.md, wire form: numbers and lengths first, then the bytes of strings."""
    fixed: List[Any] = []
    for letter in types:
        if letter in STRING_TYPES:
            fixed.append(reader.unsigned(4))
        elif letter in WIDE_TYPES:
            fixed.append(reader.take(16))
        else:
            fixed.append(INT_TYPES[letter].wire(reader))
    values: List[Tuple[str, Any]] = []
    for letter, value in zip(types, fixed):
        if letter in STRING_TYPES:
            values.append((letter, None if value == NULL else reader.take(value)))
        else:
            values.append((letter, value))
    return tuple(values)


def read_context(data: bytes) -> Context:
    """§4.1.1."""
    reader = Reader(data)
    count = reader.unsigned(1)
    if count == 0:
        return Context()
    types = reader.take(count).decode("latin-1")
    sizes = reader.take(count)
    if count > MAX_CONTEXT_FIELDS or 0 in sizes or not set(types) <= KNOWN_TYPES:
        raise Damaged("an impossible context")
    names = tuple(reader.take(size) for size in sizes)
    return Context(names, types, read_values(reader, types))


def taken_of(staging: Staging, ring: Ring) -> int:
    """§4.6: what the header says may be a step behind the last record of the flight recorder."""
    taken = ring.taken
    for recorder in (other for other in staging.rings if other.kind == RECORDER_RING and other.tail >= 32):
        last = Reader(recorder.at(recorder.tail - 32, 32))
        if last.unsigned(4) == TAKEN:
            last.take(12)
            number, position = last.unsigned(8), last.unsigned(8)
            if number == ring.number:
                taken = max(taken, position)
    return taken


def ring_records(staging: Staging, ring: Ring, set_aside: bool = False) -> Iterator[Tuple[int, Record]]:
    """What waits in one ring, each with the number of its site; up to what makes no sense. `set_aside`: what it has for
    the flight recorder that is not there yet; else all but what is the flight recorder's."""
    taken = taken_of(staging, ring)
    position, owner, context = ring.position, ring.owner, ring.context
    session = staging.session
    while position < ring.tail:
        start = (position - ring.base) % len(ring.data)
        most = min(ring.tail - position, len(ring.data) - start)
        head = Reader(ring.at(position, 8))
        number, size, logger = head.unsigned(4), head.unsigned(2) * 8, head.unsigned(2)
        if size == 0 or size > most or logger >> 15:
            return
        body = Reader(ring.at(position, size)[8:])
        start_of_it = position
        position += size
        if number == PAD or (CONTEXT < number < FIRST_SITE and number not in OWN_SITES):
            continue
        try:
            clock = body.unsigned(8)
            if number == THREAD:
                body.take(4)
                tid, length = body.unsigned(8), body.unsigned(4)
                owner, context = Owner(tid, body.take(length)), Context()
                continue
            if number == CONTEXT:
                context = read_context(body.take(body.left()))
                continue
            site = staging.site(number)
            if site is None and staging.may_be_missing(number):
                continue
            if site is None or not set(site.types) <= KNOWN_TYPES:
                return
            values = read_values(body, site.types)
        except Damaged:
            return
        aside = ring.kind == THREADS_RING and number >= FIRST_SITE and site.level < staging.recorder_below
        if aside != set_aside or (aside and start_of_it < taken):
            continue
        if number == DROPPED:  # when drops began is a clock value
            values = (values[0], ("m", session.wall(values[1][1]) & U64))
        elif number not in OWN_SITES:
            site = site._replace(types=site.types + context.types, context=site.context + context.names)
            values += context.values
        name = session.loggers.at(logger, 1)
        values = without_flags(site, list(values))
        yield number, Record(time_of(session, clock), number, site, name, owner, values)


def records(staging: Staging) -> Iterator[Record]:
    """What waits in the rings: in the flight recorder, in one ring after another, and in these for the recorder."""
    for ring in sorted(staging.rings, key=lambda ring: ring.kind != RECORDER_RING):
        for _, record in ring_records(staging, ring):
            yield record
    for ring in staging.rings:
        for _, record in ring_records(staging, ring, set_aside=True):
            yield record


def unreported_drops(staging: Staging) -> Dict[int, int]:
    """By ring: drops that no record reports, which the consumer has to report (§4.1)."""
    drops: Dict[int, int] = {}
    for ring in staging.rings:
        told = sum(record.values[0][1] for number, record in ring_records(staging, ring) if number == DROPPED)
        if ring.dropped > ring.drops + told:
            drops[ring.number] = ring.dropped - ring.drops - told
    return drops
