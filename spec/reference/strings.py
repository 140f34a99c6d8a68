"""Columns of strings (file.md §9, §12): values are bytes, or None."""

import shutil
import subprocess
from typing import Dict, Iterator, List, NamedTuple, Optional

from integers import CLOCK, U8, U32, chunks, packed, pick, read_ints
from little_endian import Damaged, Reader, Unsupported

MAX_STRING_BYTES = 1 << 28
MAX_SHARED_STRINGS = 1 << 16
MAX_SYMBOLS = 1 << 13
MAX_SHARED_BYTES = 1 << 22
MISSING_STRING = b"{!missing string}"

Shared = Dict[int, Dict[int, Optional[bytes]]]  # by number of the dictionary, then of the string (§12)


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


def read_templates(reader: Reader, n: int, shared: Shared, forbidden: tuple) -> List[Optional[bytes]]:
    """§9.6."""
    def read_texts(column: Reader, size: int) -> list:
        return [text or b"" for text in read_strings(column, size, shared, forbidden + (24, 25))]

    def read_numbers(column: Reader, size: int) -> list:
        return read_ints(column, U32, size, 1)

    count, columns, longest = reader.varint(), reader.varint(), reader.varint()
    if not 1 <= count <= min(n, 1 << 16) or columns > 256:
        raise Damaged("impossible templates")
    words = sized(reader, count, read_numbers)
    if max(words) > 255 or sum(words) > 1 << 20:
        raise Damaged("too many words")
    places = iter(sized(reader, sum(words), read_numbers))
    texts = iter(sized(reader, sum(words) + count, read_texts))
    templates = [([next(places) for _ in range(size)], [next(texts) for _ in range(size + 1)]) for size in words]
    if any(place >= columns for own, _ in templates for place in own):
        raise Damaged("a word in no column")
    counts = sized(reader, count, read_numbers)
    indices = sized(reader, n, read_numbers)
    if max(indices) > count or any(indices.count(t) != lines for t, lines in enumerate(counts, 1)):
        raise Damaged("indices that differ from their counts")
    sizes = [sum(own.count(c) * lines for (own, _), lines in zip(templates, counts)) for c in range(columns)]
    values = [iter(sized(reader, size, read_texts)) for size in sizes]
    others = iter(sized(reader, indices.count(0), lambda column, size: read_strings(column, size, shared,
                                                                                 forbidden + (24, 25))))
    strings: List[Optional[bytes]] = []
    counted = 0
    for index in indices:
        if index == 0:
            strings.append(next(others))
            counted += len(strings[-1] or b"")
            continue
        own, constant = templates[index - 1]
        parts = constant[:1]
        for place, text in zip(own, constant[1:]):
            parts += [next(values[place]), text]
        strings.append(b"".join(parts))
        counted += len(strings[-1]) + 20 * len(own)
    if counted > MAX_STRING_BYTES or max(len(string or b"") for string in strings) > longest:
        raise Damaged("strings too long")
    return strings


def is_word(text: bytes) -> bool:
    return text[:1].isalnum() or text[:1] == b"_" or text[:1] > b"\x7F"


def read_words(reader: Reader, n: int, shared: Shared, forbidden: tuple) -> List[Optional[bytes]]:
    """§9.6.1."""
    def read_texts(column: Reader, size: int) -> list:
        return [text or b"" for text in read_strings(column, size, shared, forbidden + (24, 25, 26))]

    def read_numbers(column: Reader, size: int) -> list:
        return read_ints(column, U32, size, 1)

    longest, count = reader.varint(), reader.varint()
    if count > 1 << 16:
        raise Damaged("too many words")
    dictionary = sized(reader, count, read_texts)
    if sum(len(text) for text in dictionary) > 1 << 22:
        raise Damaged("words too long")
    lengths = sized(reader, n, read_numbers)
    total = sum(max(length - 1, 0) for length in lengths)
    if 8 * total > MAX_STRING_BYTES:
        raise Damaged("too many tokens")
    numbers = sized(reader, total, read_numbers)
    if max(numbers, default=0) > count or numbers.count(0) != reader.varint():
        raise Damaged("tokens of no word")
    others = iter(sized(reader, numbers.count(0), read_texts))
    tokens = iter((dictionary[number - 1], is_word(dictionary[number - 1])) if number else (next(others), True)
                  for number in numbers)
    strings: List[Optional[bytes]] = []
    for length in lengths:
        parts = []
        after_word = False
        for _ in range(length - 1):
            text, word = next(tokens)
            parts.append(b" " + text if after_word and word else text)
            after_word = word
        strings.append(b"".join(parts) if length else None)
    sizes = [len(string or b"") for string in strings]
    if sum(sizes) + 8 * total > MAX_STRING_BYTES or max(sizes) > longest:
        raise Damaged("strings too long")
    return strings


SHOWN = 27


def shown_bytes(text: bytes, count: int) -> bytes:
    """The characters of the last bytes that a text has in hexadecimal digits."""
    digits = [byte for byte in text if byte in b"0123456789abcdefABCDEF"][-2 * count:]
    if len(digits) != 2 * count:
        raise Damaged("characters without digits")
    return bytes(byte if 0x20 <= byte <= 0x7E else 0x2E for byte in bytes.fromhex(bytes(digits).decode()))


def read_shown(column: bytes, n: int, shared: Shared, group: List[bytes]) -> List[Optional[bytes]]:
    """A column of shown bytes (§9.6.2); `group`: all columns of its group."""
    def read_texts(texts: Reader, size: int) -> list:
        return read_strings(texts, size, shared)

    reader = Reader(column)
    reader.take(1)
    other, tail_size = reader.varint(), reader.varint()
    if tail_size > 16 or other > len(group) or (other and group[other - 1] is column):
        raise Damaged("bytes of nothing")
    tail = reader.take(tail_size)
    fronts = sized(reader, n, read_texts)
    counts = sized(reader, n, lambda numbers, size: read_ints(numbers, U32, size, 1))
    reader.end()
    texts = fronts
    if other:
        digits = Reader(group[other - 1])
        texts = read_texts(digits, n)
        digits.end()
    strings: List[Optional[bytes]] = []
    for front, count, text in zip(fronts, counts, texts):
        if count > 1024 or (count and front is None):
            raise Damaged("impossible characters")
        strings.append(front + shown_bytes(text or b"", count) + tail if count else front)
    if sum(len(string or b"") for string in strings) > MAX_STRING_BYTES:
        raise Damaged("strings too long")
    return strings


def read_hex(reader: Reader, n: int, shared: Shared) -> List[Optional[bytes]]:
    """Hexadecimal strings (§9.6.3)."""
    upper, count = reader.unsigned(1), reader.varint()
    if upper > 1 or not 0 < count <= 512:
        raise Damaged("not a layout")
    texts = [reader.take(reader.varint()) for _ in range(count + 1)]
    if sum(len(text) for text in texts) + 2 * count > 1024:
        raise Damaged("layout too long")
    layout = b"00".join(texts)
    ends = [len(b"00".join(texts[:k + 1])) for k in range(count)]  # where each byte begins
    codes = sized(reader, n, lambda numbers, size: read_ints(numbers, U32, size, 1))
    total = reader.varint()
    content = iter(sized(reader, total, lambda numbers, size: read_ints(numbers, U8, size, 1)))
    other_count = reader.varint()
    others = iter(sized(reader, other_count, lambda texts, size: read_strings(texts, size, shared, (24, 25, 28))))
    if codes.count(0) != other_count:
        raise Damaged("others without a string")
    strings: List[Optional[bytes]] = []
    used = 0
    for code in codes:
        if code == 0:
            strings.append(next(others))
            continue
        length, same = (code - 1) // 2, (code - 1) % 2
        if length > len(layout) or length - 1 in ends:
            raise Damaged("not a length")
        places = [end for end in ends if end < length]
        needed = 1 if same else len(places)
        used += needed
        if used > total or (same and not places):
            raise Damaged("bytes of nothing")
        values = [next(content) for _ in range(needed)] * (len(places) if same else 1)
        text = bytearray(layout[:length])
        for place, value in zip(places, values):
            text[place:place + 2] = (b"%02X" if upper else b"%02x") % value
        strings.append(bytes(text))
    if used != total or sum(len(string or b"") for string in strings) > MAX_STRING_BYTES:
        raise Damaged("not as many bytes")
    return strings


def read_lists(reader: Reader, n: int, shared: Shared) -> List[Optional[bytes]]:
    """List strings (§9.6.4)."""
    longest, separator = reader.varint(), reader.take(reader.varint())
    if not 0 < len(separator) <= 16:
        raise Damaged("not a separator")
    counts = sized(reader, n, lambda numbers, size: read_ints(numbers, U32, size, 1))
    total = sum(counts)
    if 20 * total > MAX_STRING_BYTES:
        raise Damaged("too many items")
    items = sized(reader, total, lambda texts, size: read_strings(texts, size, shared, (24, 28, 29)))
    strings: List[Optional[bytes]] = []
    at = 0
    for count in counts:
        strings.append(separator.join(item or b"" for item in items[at:at + count]) if count else None)
        at += count
    sizes = [len(string or b"") for string in strings]
    if sum(sizes) + 20 * total > MAX_STRING_BYTES or max(sizes) > longest:
        raise Damaged("strings too long")
    return strings


def read_runs(reader: Reader, n: int, shared: Shared, forbidden: tuple) -> List[Optional[bytes]]:
    """String runs (§9.6.5)."""
    count = reader.varint()
    if not 0 < count <= n:
        raise Damaged("not as many runs")
    repeats = sized(reader, count, lambda numbers, size: read_ints(numbers, U32, size, 1))
    if count + sum(repeats) != n:
        raise Damaged("runs of other strings")
    strings = read_strings(reader, count, shared, forbidden + (24, 25, 28, 29, 30))
    return [string for string, more in zip(strings, repeats) for _ in range(more + 1)]


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
    if codec in forbidden or (codec == 25 and {18, 20}.intersection(forbidden)):
        raise Damaged("columns within columns, too deep")
    if codec == 17:
        code = reader.varint()
        content = reader.take(code - 1) if code else None
        return [content] * n
    if codec == 20:
        return read_shaped(reader, n, shared, forbidden + (20,))
    if codec == 25:
        return read_templates(reader, n, shared, forbidden)
    if codec == 26:
        return read_words(reader, n, shared, forbidden + (26,))
    if codec == 28:
        if set(forbidden) - {24}:
            raise Damaged("hexadecimal strings within another column")
        return read_hex(reader, n, shared)
    if codec == 29:
        if set(forbidden) - {24}:
            raise Damaged("list strings within another column")
        return read_lists(reader, n, shared)
    if codec == 30:
        return read_runs(reader, n, shared, forbidden)
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
