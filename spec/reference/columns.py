"""Columns (file.md §9): from bytes to values. Every check that the page asks for is made; Damaged says what fails.

Values are integers, the bits of floats as integers, 16 bytes, or bytes and None for strings."""

import shutil
import struct
import subprocess
from typing import Dict, Iterator, List, NamedTuple, Optional

U64 = (1 << 64) - 1
MAX_STRING_BYTES = 1 << 28
MAX_SHARED_STRINGS = 1 << 16
MAX_SYMBOLS = 1 << 13
MAX_SHARED_BYTES = 1 << 22
MISSING_STRING = b"{!missing string}"

Shared = Dict[int, Dict[int, Optional[bytes]]]  # by number of the dictionary, then of the string (§12)


class Damaged(Exception):
    """The bytes are not what the specification says."""


class Unsupported(Exception):
    """Sound, as far as can be told, but not for this program."""


class Reader:
    """Little-endian bytes, front to back."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, size: int) -> bytes:
        if size > self.left():
            raise Damaged("it ends too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def unsigned(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def signed(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little", signed=True)

    def f64(self) -> float:
        return struct.unpack("<d", self.take(8))[0]

    def varint(self) -> int:
        value = 0
        for i in range(10):
            byte = self.unsigned(1)
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                if value > U64:
                    break
                return value
        raise Damaged("a varint is too long")

    def signed_varint(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def string(self) -> bytes:
        return self.take(self.varint())

    def end(self) -> None:
        if self.left():
            raise Damaged("bytes follow its end")


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


def pick(values: list, index: int):
    if index >= len(values):
        raise Damaged("an index outside of its dictionary")
    return values[index]


def cut_strings(codes: List[int], content: bytes) -> List[Optional[bytes]]:
    strings: List[Optional[bytes]] = []
    at = 0
    for code in codes:
        size = max(code - 1, 0)
        strings.append(content[at:at + size] if code else None)
        at += size
    return strings


def zstd_content(frame: bytes, size: int) -> bytes:
    if shutil.which("zstd") is None:
        raise Unsupported("codec 19 wants the command zstd")
    ran = subprocess.run(["zstd", "-dc"], input=frame, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if ran.returncode != 0 or len(ran.stdout) != size:
        raise Damaged("a zstd frame that is none")
    return ran.stdout


class Piece(NamedTuple):
    """Of a shape (§9.4)."""
    kind: int
    width: int
    text: bytes


def read_piece(reader: Reader) -> Piece:
    kind = reader.unsigned(1)
    if kind > 4:
        raise Unsupported(f"a shape's piece {kind}")
    if kind in (0, 4):
        return Piece(kind, 0, reader.string() if kind == 0 else b"")
    width = reader.unsigned(1)
    if not 1 <= width <= (19 if kind == 1 else 16):
        raise Damaged("impossible width")
    return Piece(kind, width, b"")


def digits_of(piece: Piece, value: int) -> bytes:
    return f"{value:0{piece.width}{' dxX'[piece.kind]}}".encode()


def sized(reader: Reader, n: int, read) -> list:
    """A column of n values after its size; of none there is only the size 0."""
    column = Reader(reader.take(reader.varint()))
    values = read(column, n) if n else []
    column.end()
    return values


def read_shaped(reader: Reader, n: int, shared: Shared, forbidden: tuple) -> List[Optional[bytes]]:
    """§9.4."""
    def read_texts(column: Reader, size: int) -> list:
        return read_strings(column, size, shared, forbidden)

    shapes = []
    count = reader.varint()
    if not 1 <= count <= 16:
        raise Damaged("impossible shapes")
    for _ in range(count):
        pieces = reader.varint()
        if pieces > 64:
            raise Damaged("impossible shapes")
        shapes.append([read_piece(reader) for _ in range(pieces)])
    indices = sized(reader, n, lambda column, size: read_ints(column, U32, size, 1))
    if max(indices) > count:
        raise Damaged("an index outside of its shapes")
    made: List[Iterator[bytes]] = []
    for number, shape in enumerate(shapes, 1):
        uses = indices.count(number)
        parts = []
        for piece in shape:
            if piece.kind == 0:
                parts.append([piece.text] * uses)
            elif piece.kind == 4:
                parts.append(sized(reader, uses, read_texts))
            else:
                values = sized(reader, uses, lambda column, size: read_ints(column, CLOCK, size, 1))
                parts.append([digits_of(piece, value) for value in values])
        if any(part is None for column in parts for part in column):
            raise Damaged("a null within a shape")
        made.append(iter([b"".join(column[i] for column in parts) for i in range(uses)]))
    others = iter(sized(reader, indices.count(0), read_texts))
    return [next(made[index - 1] if index else others) for index in indices]


def read_shared(reader: Reader, n: int, shared: Shared, forbidden: tuple) -> List[Optional[bytes]]:
    dictionary = shared.get(reader.varint(), {})
    count = reader.varint()
    if count > n:
        raise Damaged("more others than strings")
    others = []
    if count:
        column = Reader(reader.take(reader.varint()))
        others = read_strings(column, count, shared, forbidden)
        column.end()
    codes = read_ints(reader, U32, n, 1)
    if max(codes) > MAX_SHARED_STRINGS:
        raise Damaged("a string that no dictionary has")
    if codes.count(0) != count:
        raise Damaged("others that no value is")
    remaining = iter(others)
    return [dictionary.get(code - 1, MISSING_STRING) if code else next(remaining) for code in codes]


def read_part(reader: Reader, shared: Shared) -> None:
    """§12: takes the next part of a dictionary."""
    number, first, count = reader.varint(), reader.varint(), reader.varint()
    column = Reader(reader.take(reader.varint()))
    if not 1 <= count <= MAX_SHARED_STRINGS - first:
        raise Damaged("impossible counts")
    strings = read_strings(column, count, {}, (24,))
    column.end()
    if sum(len(string or b"") for string in strings) > MAX_SHARED_BYTES:
        raise Damaged("strings too long")
    dictionary = shared.setdefault(number, {})
    for i, string in enumerate(strings, first):
        dictionary.setdefault(i, string)


def read_symbols(reader: Reader) -> List[bytes]:
    """A symbol table (§9.5)."""
    count = reader.varint()
    if count > MAX_SYMBOLS:
        raise Damaged("too many symbols")
    symbols: List[bytes] = []
    before = b""
    for _ in range(count):
        head = reader.unsigned(1)
        common, size = head >> 4, (head & 15) + 1
        if common > min(len(before), size):
            raise Damaged("more in common than there is")
        before = before[:common] + reader.take(size - common)
        symbols.append(before)
    return symbols


def spell(symbols: List[bytes], codes: bytes, size: int) -> bytes:
    """The text that these codes stand for."""
    pages = max(0, -((255 - len(symbols)) // 255))
    reader = Reader(codes)
    parts: List[bytes] = []
    while reader.left():
        code = reader.unsigned(1)
        if code == 255:
            parts.append(reader.take(1))
            continue
        if code >= 255 - pages:
            code += 255 * (code - (255 - pages)) + reader.unsigned(1)
        if code >= len(symbols):
            raise Damaged("a code without a symbol")
        parts.append(symbols[code])
    text = b"".join(parts)
    if len(text) != size:
        raise Damaged("codes of a longer or shorter text")
    return text


def read_coded(reader: Reader, n: int) -> List[Optional[bytes]]:
    """Symbol strings (§9.3)."""
    size = reader.varint()
    if size > MAX_STRING_BYTES:
        raise Damaged("strings too long")
    symbols = read_symbols(reader)
    text = spell(symbols, reader.take(reader.varint()), size)
    codes = read_ints(reader, U32, n, 1)
    if sum(max(code - 1, 0) for code in codes) != size:
        raise Damaged("lengths of other strings")
    return cut_strings(codes, text)


def read_letters(reader: Reader, n: int) -> List[Optional[bytes]]:
    """Letter strings (§9.3)."""
    size = reader.varint()
    if size > MAX_STRING_BYTES:
        raise Damaged("strings too long")
    letters = reader.take(reader.unsigned(1))
    if not 2 <= len(letters) <= 64:
        raise Damaged("too many letters, or too few")
    width = (len(letters) - 1).bit_length()
    places = [place for m in chunks(size) for place in packed(reader, m, width)]
    if any(place >= len(letters) for place in places):
        raise Damaged("a place without a letter")
    codes = read_ints(reader, U32, n, 1)
    if sum(max(code - 1, 0) for code in codes) != size:
        raise Damaged("lengths of other strings")
    return cut_strings(codes, bytes(letters[place] for place in places))


def read_strings(reader: Reader, n: int, shared: Shared, forbidden: tuple = ()) -> List[Optional[bytes]]:
    """A column of n strings; `forbidden`: the codecs that may not be within themselves."""
    codec = reader.unsigned(1)
    if codec in forbidden:
        raise Damaged("columns within columns, too deep")
    if codec == 17:
        code = reader.varint()
        content = reader.take(code - 1) if code else None
        return [content] * n
    if codec == 20:
        return read_shaped(reader, n, shared, forbidden + (20,))
    if codec == 24:
        return read_shared(reader, n, shared, forbidden + (24,))
    if codec == 18:
        size = reader.varint()
        if not 0 < size <= n:
            raise Damaged("a dictionary larger than its column")
        distinct = read_strings(reader, size, shared, forbidden + (18,))
        return [pick(distinct, index) for index in read_ints(reader, U32, n, 1)]
    if codec == 22:
        return read_coded(reader, n)
    if codec == 23:
        return read_letters(reader, n)
    if codec not in (16, 19):
        raise Unsupported(f"codec {codec}")
    codes = read_ints(reader, U32, n, 1)
    total = sum(max(code - 1, 0) for code in codes)
    if total > MAX_STRING_BYTES:
        raise Damaged("strings too long")
    content = reader.take(total) if codec == 16 else zstd_content(reader.take(reader.varint()), total)
    return cut_strings(codes, content)


def read_wide(reader: Reader, n: int) -> List[bytes]:
    codec = reader.unsigned(1)
    if codec > 1:
        raise Unsupported(f"codec {codec}")
    return [reader.take(16) for _ in range(n)] if codec == 0 else [reader.take(16)] * n


def read_column(data: bytes, letter: str, n: int, shared: Shared) -> list:
    """A whole column of one type (types.md)."""
    reader = Reader(data)
    if letter in STRING_TYPES:
        values = read_strings(reader, n, shared)
    elif letter in WIDE_TYPES:
        values = read_wide(reader, n)
    else:
        values = read_ints(reader, INT_TYPES[letter], n)
    reader.end()
    return values
