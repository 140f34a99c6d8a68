"""The .steno file (file.md): from bytes to records, in the order of the file.

Written from file.md and types.md alone, for being checked against, not for speed."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from blocks import (CLOCK_POINTS, COLUMNS, DICTIONARY, PACKED, PADDING, ROWS, SESSION, STRINGS, Block, blocks,
                    unpacked)
from columns import read_column
from integers import CLOCK, INT_TYPES, STRING_TYPES, U32, WIDE_TYPES, read_ints
from little_endian import U64, Damaged, Reader, Unsupported
from sites import KNOWN_TYPES, OWN_SITES, Site, redacted, without_flags
from strings import Shared, read_part

MAX_RECORDS = 1 << 22


class Point(NamedTuple):
    ticks: int
    wall: int
    rate: float
    is_step: bool


class Run(NamedTuple):
    thread: int
    ring: int
    records: int
    first_seq: int


@dataclass
class Group:
    site: int
    logger: int
    columns: List[list] = field(default_factory=list)
    next_row: int = 0


@dataclass
class Data:
    """A data block, decoded."""
    offset: int
    runs: List[Run]
    order: List[int]
    clocks: List[int]
    groups: List[Group]


class Record(NamedTuple):
    wall: int
    site_id: int
    site: Optional[Site]
    logger: Optional[bytes]
    thread: Optional[Tuple[int, bytes]]  # tid and name
    values: List[Tuple[str, object]]     # type and value; empty where the site or a type is not known


class Versions:
    """Entries of one kind and id, by where in the file they are (§5)."""

    def __init__(self) -> None:
        self.entries: Dict[int, List[Tuple[int, object]]] = {}

    def add(self, number: int, offset: int, entry: object) -> None:
        self.entries.setdefault(number, []).append((offset, entry))

    def at(self, number: int, offset: int):
        """The latest before `offset`; the first after it where that one is damaged."""
        known = self.entries.get(number, [])
        before = [entry for at, entry in known if at < offset]
        return before[-1] if before else known[0][1] if known else None


def is_plausible(rate: float) -> bool:
    return 1e-9 <= rate <= 1e10


class Session:
    """What is known of one session (§2)."""

    def __init__(self) -> None:
        self.is_known = False
        self.start_wall = 0
        self.rate = 0.0
        self.clock_kind = 0
        self.points: List[Point] = []
        self.sites = Versions()
        self.loggers = Versions()
        self.threads = Versions()
        self.strings: Shared = {}
        self.loggers.add(0, -1, b"")
        for number, site in OWN_SITES.items():
            self.sites.add(number, -1, site)
        self.data_blocks: List[Block] = []
        self.least_clock: Optional[int] = None

    def take_session(self, payload: bytes) -> None:
        reader = Reader(payload)
        if reader.unsigned(4) > 3:
            raise Unsupported("a newer version")
        reader.take(12)  # pid, session_id
        self.start_wall = reader.signed(8)
        self.rate = reader.f64()
        self.clock_kind = reader.unsigned(4)
        self.is_known = True

    def take_dictionary(self, payload: bytes, offset: int) -> None:
        reader = Reader(payload)
        while reader.left():
            kind = reader.unsigned(1)
            body = Reader(reader.string())
            if kind == 1:
                number = body.varint()
                body.take(8)
                level, style = body.unsigned(1), body.unsigned(1)
                line = body.varint()
                texts = [body.string() for _ in range(4)]
                context = tuple(body.string() for _ in range(body.varint())) if body.left() else ()
                meanings = tuple((body.varint(), body.string()) for _ in range(body.varint())) if body.left() else ()
                self.sites.add(number, offset, Site(level, style, line, texts[0], texts[1], texts[2],
                                                    texts[3].decode("latin-1"), context, meanings))
            elif kind == 2:
                number = body.varint()
                self.loggers.add(number, offset, body.string())
            elif kind == 3:
                number, tid = body.varint(), body.varint()
                self.threads.add(number, offset, (tid, body.string()))

    def take_strings(self, payload: bytes) -> None:
        reader = Reader(payload)
        while reader.left():
            read_part(reader, self.strings)

    def take_points(self, payload: bytes) -> None:
        reader = Reader(payload)
        points = []
        while reader.left():
            ticks, wall, rate = reader.unsigned(8), reader.signed(8), reader.f64()
            reader.unsigned(4)
            points.append(Point(ticks, wall, rate, reader.unsigned(4) & 1 != 0))
            if not is_plausible(rate) or (len(points) > 1 and ticks < points[-2].ticks):
                raise Damaged("an impossible clock")
        self.points += points

    def wall(self, ticks: int) -> int:
        """§4: ns since the epoch, rounded down."""
        if self.is_known and self.clock_kind == 3:
            return saturated(as_signed(ticks))
        points = sorted(self.points, key=lambda point: point.ticks)
        if not points:
            if self.clock_kind == 5 or not self.is_known:
                return as_signed(ticks)
            points = [Point(self.least_clock or 0, self.start_wall, self.rate, False)]
        behind = [i for i, point in enumerate(points) if point.ticks <= ticks]
        at = behind[-1] if behind else 0
        point = points[at]
        following = points[at + 1] if behind and at + 1 < len(points) else None
        if following is None or following.is_step:
            rate = point.rate if is_plausible(point.rate) else self.rate if is_plausible(self.rate) else 1.0
            slope = Fraction(int(Fraction(rate) * (1 << 64)), 1 << 64)
        else:
            slope = Fraction(following.wall - point.wall, following.ticks - point.ticks)
        offset = (ticks - point.ticks) * slope
        return saturated(point.wall + offset.numerator // offset.denominator)


def as_signed(ticks: int) -> int:
    return ticks - (1 << 64) if ticks >> 63 else ticks


def saturated(wall: int) -> int:
    return max(-(1 << 63), min(wall, (1 << 63) - 1))


def read_run(reader: Reader) -> Run:
    thread, ring, records, first_seq, _ = (reader.varint() for _ in range(5))
    return Run(thread, ring, records, first_seq)


def types_of(site: Optional[Site]) -> Optional[str]:
    return site.types if site is not None and set(site.types) <= KNOWN_TYPES else None


def read_columns(block: Block, session: Session) -> Data:
    """§6."""
    reader = Reader(block.payload)
    least, greatest = reader.unsigned(8), reader.unsigned(8)
    records, run_count, group_count, size = (reader.unsigned(4) for _ in range(4))
    if not 1 <= records <= MAX_RECORDS:
        raise Damaged("impossible counts")
    directory = Reader(reader.take(size))
    levels = [directory.varint() for _ in range(7)]
    runs = [read_run(directory) for _ in range(run_count)]
    shapes = []  # groups: site, logger, records
    stacks = []  # groups that share columns, or a single one: how many, whether it is a stack, the columns' lengths
    while len(shapes) < group_count:
        site = directory.varint()
        if site == 0:
            count, columns = directory.varint(), directory.varint()
            if not 1 <= count <= group_count - len(shapes):
                raise Damaged("a stack of impossible size")
            stacks.append((count, True, [directory.varint() for _ in range(columns)]))
            facts = [read_ints(directory, U32, count) for _ in range(3)]
            if 0 in facts[0] or 0 in facts[2]:
                raise Damaged("a stack with a group of nothing")
            shapes += zip(*facts)
        else:
            logger, count, columns = (directory.varint() for _ in range(3))
            stacks.append((1, False, [directory.varint() for _ in range(columns)]))
            shapes.append((site, logger, count))
    order_size, clock_size = directory.varint(), directory.varint()
    if not sum(levels) == sum(run.records for run in runs) == sum(shape[2] for shape in shapes) == records:
        raise Damaged("levels, runs or groups do not sum up")
    order_column, clock_column = Reader(reader.take(order_size)), Reader(reader.take(clock_size))
    order = read_ints(order_column, U32, records)
    clocks = read_ints(clock_column, CLOCK, records)
    order_column.end()
    clock_column.end()
    if min(clocks) < least or max(clocks) > greatest:
        raise Damaged("times outside of the block's range")
    if any(order.count(i) != shape[2] for i, shape in enumerate(shapes)):
        raise Damaged("the order does not fit the groups")
    groups = []
    for size, is_stack, lengths in stacks:
        stack = shapes[len(groups):len(groups) + size]
        types_of_stack = {types_of(session.sites.at(site, block.offset)) for site, _, _ in stack} - {None}
        if len(types_of_stack) > 1:
            raise Damaged("sites of one stack have different types")
        types = min(types_of_stack, default=None)
        if types is not None and len(types) != len(lengths):
            raise Damaged("columns contradict the types of the site")
        total = sum(count for _, _, count in stack)
        columns = [reader.take(length) for length in lengths]
        if types is not None:
            own = None if is_stack else columns
            columns = [read_column(c, letter, total, session.strings, own) for c, letter in zip(columns, types)]
        first = 0
        for site, logger, count in stack:
            group = Group(site, logger)
            if types_of(session.sites.at(site, block.offset)) is not None:
                group.columns = [column[first:first + count] for column in columns]
            first += count
            groups.append(group)
    reader.end()
    return Data(block.offset, runs, order, clocks, groups)


def read_row_value(reader: Reader, letter: str):
    if letter in STRING_TYPES:
        code = reader.varint()
        return reader.take(code - 1) if code else None
    if letter in WIDE_TYPES:
        return reader.take(16)
    kind = INT_TYPES[letter]
    if kind.is_float:
        return reader.unsigned(kind.size)
    return kind.cut(reader.signed_varint() if kind.signed else reader.varint())


def read_rows(block: Block, session: Session) -> Data:
    """§7."""
    reader = Reader(block.payload)
    records, run_count = reader.varint(), reader.varint()
    if not 1 <= records <= MAX_RECORDS:
        raise Damaged("impossible counts")
    runs = [read_run(reader) for _ in range(run_count)]
    if sum(run.records for run in runs) != records:
        raise Damaged("runs do not sum up")
    clock = reader.unsigned(8)
    data = Data(block.offset, runs, [], [], [])
    index: Dict[Tuple[int, int], int] = {}
    for _ in range(records):
        word = reader.varint()
        logger = reader.varint() if word & 1 else 0
        clock = clock + reader.signed_varint() & U64
        types = types_of(session.sites.at(word >> 1, block.offset))
        if types is None:
            raise Damaged("a site that is in no dictionary")
        at = index.setdefault((word >> 1, logger), len(data.groups))
        if at == len(data.groups):
            data.groups.append(Group(word >> 1, logger, [[] for _ in types]))
        for column, letter in zip(data.groups[at].columns, types):
            column.append(read_row_value(reader, letter))
        data.order.append(at)
        data.clocks.append(clock)
    reader.end()
    return data


def read_sessions(data: bytes) -> Tuple[List[Session], List[Tuple[Session, Block]]]:
    """All sessions, and the data blocks in the order of the file."""
    sessions: List[Session] = []
    by_id: Dict[int, Session] = {}
    by_mark: Dict[Tuple[int, int], Session] = {}
    found: List[Tuple[Session, Block]] = []
    in_file = list(blocks(data))
    for block in in_file + unpacked(in_file, len(data)):
        mark = block.tag, block.mark
        if block.type == SESSION:
            number = int.from_bytes(block.payload[8:16], "little")
            session = by_mark.get(mark)
            if number in by_id:
                session = by_id[number]
            elif session is None or session.is_known:
                session = Session()
                sessions.append(session)
            by_mark[mark] = by_id[number] = session
            if not session.is_known:
                try:
                    session.take_session(block.payload)
                except Unsupported:
                    break
            continue
        if block.type in (PADDING, PACKED):
            continue
        if mark not in by_mark:
            by_mark[mark] = Session()
            sessions.append(by_mark[mark])
        session = by_mark[mark]
        try:
            if block.type == DICTIONARY:
                session.take_dictionary(block.payload, block.offset)
            elif block.type == CLOCK_POINTS:
                session.take_points(block.payload)
            elif block.type == STRINGS:
                session.take_strings(block.payload)
            elif block.type in (COLUMNS, ROWS):
                found.append((session, block))
        except Damaged:
            pass  # of a dictionary the entries before the damage count
    return sessions, found


def first_clock(block: Block, data: Data) -> int:
    return int.from_bytes(block.payload[:8], "little") if block.type == COLUMNS else min(data.clocks)


def repeated(entries: List[Tuple[Session, Data]]) -> Dict[Tuple[int, int], int]:
    """By block and run, how many of its first records another run has already (§2)."""
    rings: Dict[Tuple[int, int], List[Tuple[int, int, int, int]]] = {}
    for b, (session, data) in enumerate(entries):
        for r, run in enumerate(data.runs):
            rings.setdefault((id(session), run.ring), []).append((run.first_seq, b, r, run.records))
    skipped: Dict[Tuple[int, int], int] = {}
    for runs in rings.values():
        covered = 0
        for first_seq, b, r, records in sorted(runs, key=lambda run: run[0]):
            if covered > first_seq:
                skipped[b, r] = min(covered - first_seq, records)
            covered = max(covered, first_seq + records)
    return skipped


def records(data: bytes, show_secrets: bool = False) -> Iterator[Record]:
    """Every record once, block after block, run after run."""
    _, found = read_sessions(data)
    entries: List[Tuple[Session, Data]] = []
    for session, block in found:
        try:
            decoded = read_columns(block, session) if block.type == COLUMNS else read_rows(block, session)
        except Damaged:
            continue
        entries.append((session, decoded))
        least = first_clock(block, decoded)
        session.least_clock = least if session.least_clock is None else min(least, session.least_clock)
    skipped = repeated(entries)
    for b, (session, decoded) in enumerate(entries):
        at = 0
        for r, run in enumerate(decoded.runs):
            thread = session.threads.at(run.thread, decoded.offset)
            for i in range(run.records):
                group = decoded.groups[decoded.order[at]]
                site = session.sites.at(group.site, decoded.offset)
                row, group.next_row = group.next_row, group.next_row + 1
                if i >= skipped.get((b, r), 0):
                    values = [(site.types[c], column[row]) for c, column in enumerate(group.columns)]
                    if group.site == 2:  # when drops began is a clock value
                        values[1] = ("m", session.wall(values[1][1]) & U64)
                    values = without_flags(site, values)
                    if not show_secrets:
                        values = redacted(site, values)
                    yield Record(session.wall(decoded.clocks[at]), group.site, site,
                                 session.loggers.at(group.logger, decoded.offset), thread, values)
                at += 1
