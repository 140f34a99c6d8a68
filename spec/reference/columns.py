"""Columns (file.md §9): from bytes to values. Every check that the page asks for is made; Damaged says what fails.

Values are integers, the bits of floats as integers, 16 bytes, or bytes and None for strings."""

from typing import List, Optional

from integers import INT_TYPES, RELATED, STRING_TYPES, WIDE_TYPES, read_ints, read_related
from little_endian import Reader, Unsupported
from strings import SHOWN, Shared, read_shown, read_strings


def read_wide(reader: Reader, n: int) -> List[bytes]:
    codec = reader.unsigned(1)
    if codec > 1:
        raise Unsupported(f"codec {codec}")
    return [reader.take(16) for _ in range(n)] if codec == 0 else [reader.take(16)] * n


def read_column(data: bytes, letter: str, n: int, shared: Shared, group: Optional[List[bytes]]) -> list:
    """A whole column of one type (types.md). `group`: the columns of its group, unless it is in a stack."""
    if group and data[:1] == bytes([RELATED]) and letter in INT_TYPES and not INT_TYPES[letter].is_float:
        return read_related(data, INT_TYPES[letter], n, group)
    if group and data[:1] == bytes([SHOWN]) and letter == "S":
        return read_shown(data, n, shared, group)
    reader = Reader(data)
    if letter in STRING_TYPES:
        values = read_strings(reader, n, shared)
    elif letter in WIDE_TYPES:
        values = read_wide(reader, n)
    else:
        values = read_ints(reader, INT_TYPES[letter], n)
    reader.end()
    return values
