"""Columns of integers (file.md §9): values are integers, floats are their bits as integers."""

import struct
from typing import List, NamedTuple

from little_endian import U64, Damaged, Reader, Unsupported


class IntType(NamedTuple):
    size: int
    signed: bool = False
    is_float: bool = False

    def cut(self, value: int) -> int:
        """The value modulo the type's width."""
        value &= (1 << 8 * self.size) - 1
        return value - (1 << 8 * self.size) if self.signed and value >> 8 * self.size - 1 else value

    def wire(self, reader: Reader) -> int:
        return reader.signed(self.size) if self.signed else reader.unsigned(self.size)


# types.md; characters, bool and pointers are unsigned.
INT_TYPES = {
    "b": IntType(1), "c": IntType(1), "h": IntType(1), "t": IntType(2), "u": IntType(2), "j": IntType(4),
    "w": IntType(4), "m": IntType(8), "p": IntType(8), "a": IntType(1, True), "s": IntType(2, True),
    "i": IntType(4, True), "E": IntType(4, True), "l": IntType(8, True), "f": IntType(4, False, True),
    "d": IntType(8, False, True),
}
WIDE_TYPES = "noeg"
STRING_TYPES = "SUW"
U8 = IntType(1)
U32 = IntType(4)
CLOCK = IntType(8)


def sequential(reader: Reader, n: int, width: int) -> List[int]:
    """Value i from bit i * width on (§9.1)."""
    bits = int.from_bytes(reader.take((n * width + 7) // 8), "little")
    return [bits >> i * width & (1 << width) - 1 for i in range(n)]


def packed(reader: Reader, n: int, width: int) -> List[int]:
    """Offsets in eight lanes of 32-bit words (§9.2)."""
    words = ((n + 7) // 8 * width + 31) // 32
    lanes = [0] * 8
    for word in range(words):
        for lane in range(8):
            lanes[lane] |= reader.unsigned(4) << 32 * word
    return [lanes[i % 8] >> i // 8 * width & (1 << width) - 1 for i in range(n)]


class MiniBlocks:
    """The mini-blocks of one column (§9.2)."""

    def __init__(self, reader: Reader):
        self.reader = reader
        self.divisor = reader.varint()
        self.base = 0

    def next(self, n: int) -> List[int]:
        reader = self.reader
        head = reader.unsigned(1)
        width = head & 63
        width = 64 if width == 63 else width
        is_patched = head & 64 != 0
        factor = self.divisor if head & 128 else 1
        self.base = self.base + reader.signed_varint() & U64
        exceptions = bytes_each = 0
        if is_patched:
            exceptions = reader.unsigned(1) + 1
            bytes_each = reader.unsigned(1)
            if not 1 <= bytes_each <= 8 or exceptions > n or width == 64:
                raise Damaged("impossible exceptions")
        if width > 32:
            offsets = [reader.unsigned(4) for _ in range(n)]
            offsets = [low | high << 32 for low, high in zip(offsets, packed(reader, n, width - 32))]
        else:
            offsets = packed(reader, n, width)
        positions = list(reader.take(exceptions))
        for position in positions:
            if position >= n:
                raise Damaged("an exception lies outside")
            offsets[position] += reader.unsigned(bytes_each) << width
        return [self.base + offset * factor & U64 for offset in offsets]


def chunks(n: int) -> List[int]:
    return [min(256, n - at) for at in range(0, n, 256)]


def frame_of_reference(reader: Reader, n: int) -> List[int]:
    if n < 64:
        width = reader.unsigned(1)
        if width > 64:
            raise Damaged("impossible width")
        base = reader.signed_varint()
        return [base + offset for offset in sequential(reader, n, width)]
    blocks = MiniBlocks(reader)
    return [value for size in chunks(n) for value in blocks.next(size)]


def delta(reader: Reader, n: int) -> List[int]:
    blocks = MiniBlocks(reader)
    values: List[int] = []
    first = 0
    for size in chunks(n):
        first += reader.signed_varint()
        value = first
        values.append(value)
        for difference in blocks.next(size)[1:]:
            value += difference
            values.append(value)
    return values


def decimal(reader: Reader, kind: IntType, n: int, depth: int) -> List[int]:
    exponent = reader.unsigned(1)
    if exponent > 12 or not kind.is_float:
        raise Damaged("impossible decimals")
    exceptions = {}
    index = 0
    for _ in range(reader.varint()):
        index += reader.varint()
        if index >= n:
            raise Damaged("an exception lies outside")
        exceptions[index] = reader.unsigned(kind.size)
    integers = read_ints(reader, IntType(8, True), n, depth + 1)
    letter = "<d" if kind.size == 8 else "<f"
    values = [int.from_bytes(struct.pack(letter, float(i) / float(10 ** exponent)), "little") for i in integers]
    for index, bits in exceptions.items():
        values[index] = bits
    return values


LEAST_STATE = 1 << 16


def read_row(reader: Reader, tokens: int, bits: int, may_be_empty: bool) -> List[tuple]:
    """Of each slot: the token's place, its frequency, its first slot (§9.2.1)."""
    frequencies: List[int] = []
    while len(frequencies) < tokens:
        frequencies.append(reader.varint())
        if frequencies[-1] == 0:
            zeros = reader.varint()
            if zeros > tokens - len(frequencies):
                raise Damaged("impossible zeros")
            frequencies += [0] * zeros
    if may_be_empty and not any(frequencies):
        frequencies[0] = 1 << bits
    if sum(frequencies) != 1 << bits:
        raise Damaged("impossible frequencies")
    slots: List[tuple] = []
    for place, frequency in enumerate(frequencies):
        slots += [(place, frequency, len(slots))] * frequency
    return slots


def read_tokens(reader: Reader, tokens: int, contexts: bool, n: int) -> List[int]:
    """Places of tokens, in four lanes (§9.2.1)."""
    bits = 10 if contexts else 12
    rows = [read_row(reader, tokens, bits, contexts) for _ in range(tokens if contexts else 1)]
    words = reader.varint()
    states = [reader.unsigned(4) for _ in range(4)]
    if words > n or min(states) < LEAST_STATE:
        raise Damaged("impossible states")
    rest = Reader(reader.take(2 * words))
    lanes: List[List[int]] = [[], [], [], []]
    for i in range(n):
        lane = lanes[i % 4]
        row = rows[lane[-1] if contexts and lane else 0]
        state = states[i % 4]
        slot = state & (1 << bits) - 1
        place, frequency, first = row[slot]
        state = frequency * (state >> bits) + slot - first
        if state < LEAST_STATE:
            state = state << 16 | rest.unsigned(2)
        states[i % 4] = state
        lane.append(place)
    rest.end()
    if any(state != LEAST_STATE for state in states):
        raise Damaged("tokens that do not end")
    return [place for lane in lanes for place in lane]


def entropy(reader: Reader, n: int) -> List[int]:
    """§9.2.1."""
    form = reader.unsigned(1)
    direct, detail = (form & 7) + 1, form >> 4 & 3
    if detail > direct:
        raise Damaged("impossible tokens")
    divisor = reader.varint()
    base = reader.signed_varint()
    value = reader.signed_varint() if form & 64 else 0
    count = reader.varint() + 1
    if count > (64 if form & 128 else 256):
        raise Damaged("too many tokens")
    tokens: List[int] = []
    for _ in range(count):
        tokens.append(reader.varint() + (tokens[-1] + 1 if tokens else 0))
    if tokens[-1] >= (1 << direct) + (64 - direct << detail):
        raise Damaged("impossible tokens")
    meanings = []  # the least offset, how many bits are open
    for token in tokens:
        above = token - (1 << direct)
        if above < 0:
            meanings.append((token, 0))
            continue
        width = direct + (above >> detail) - detail
        meanings.append(((1 << detail | above & (1 << detail) - 1) << width, width))
    found = [meanings[place] for place in read_tokens(reader, count, form & 128 != 0, n)]
    bits = int.from_bytes(reader.take((sum(width for _, width in found) + 7) // 8), "little")
    values = []
    at = 0
    for least, width in found:
        offset = least + (bits >> at & (1 << width) - 1)
        at += width
        if form & 8:
            offset = offset >> 1 ^ -(offset & 1)
        distance = base + offset * divisor
        value = value + distance if form & 64 else distance
        values.append(value)
    return values


def pick(values: list, index: int):
    if index >= len(values):
        raise Damaged("an index outside of its dictionary")
    return values[index]


RELATED = 7


def read_related(column: bytes, kind: IntType, n: int, others: List[bytes]) -> List[int]:
    """A column that follows from another one of its group, of which `others` are the bytes (§9.2.2)."""
    reader = Reader(column)
    reader.take(1)
    if n < 256:
        raise Damaged("related integers that are too few")
    zone = kind.wire(reader), kind.wire(reader)
    relation, number, type_byte, start = reader.unsigned(1), reader.varint(), reader.unsigned(1), reader.signed_varint()
    size = type_byte & ~16
    if relation > 2 or size not in (1, 2, 4, 8) or number >= len(others) or others[number] is column:
        raise Damaged("related to nothing")
    other_reader = Reader(others[number])
    other = read_ints(other_reader, IntType(size, bool(type_byte & 16)), n, 1)
    other_reader.end()
    rest = read_ints(reader, IntType(8, True), n, 1)
    reader.end()
    values = []
    before, before_other = start, 0
    for own, own_other in zip(rest, other):
        before = own + [own_other, before + own_other, before + before_other][relation]
        before_other = own_other
        values.append(before)
    values = [kind.cut(value) for value in values]
    if min(values) < zone[0] or max(values) > zone[1]:
        raise Damaged("values outside of the zone")
    return values


def read_ints(reader: Reader, kind: IntType, n: int, depth: int = 0) -> List[int]:
    """A column of n values, its codec byte included."""
    if depth > 4:
        raise Damaged("columns within columns, too deep")
    codec = reader.unsigned(1)
    if codec > 6:
        raise Unsupported(f"codec {codec}")
    zone = None
    if n >= 256 and codec != 1 and not kind.is_float:
        zone = kind.wire(reader), kind.wire(reader)
    if codec == 0:
        values = [kind.wire(reader) for _ in range(n)]
    elif codec == 1:
        value = kind.wire(reader) if kind.is_float else reader.signed_varint() if kind.signed else reader.varint()
        values = [value] * n
    elif codec == 2:
        values = frame_of_reference(reader, n)
    elif codec == 3:
        values = delta(reader, n)
    elif codec == 4:
        size = reader.varint()
        if size > n:
            raise Damaged("a dictionary larger than its column")
        distinct = [kind.wire(reader) for _ in range(size)]
        values = [pick(distinct, index) for index in read_ints(reader, U32, n, depth + 1)]
    elif codec == 5:
        values = decimal(reader, kind, n, depth)
    else:
        values = entropy(reader, n)
    values = [kind.cut(value) for value in values]
    if zone is not None and (min(values) < zone[0] or max(values) > zone[1]):
        raise Damaged("values outside of the zone")
    return values
