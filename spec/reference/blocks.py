"""Blocks of a .steno file (file.md §1), those of packed sessions (§15) included."""

from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from little_endian import Damaged
from packed_sessions import blocks_of, number_of, unpack
from xxh3 import xxh3_64

MAGIC = b"STN1"
MAX_PAYLOAD = 1 << 28
SESSION, DICTIONARY, COLUMNS, ROWS, CLOCK_POINTS, INDEX, PADDING, STRINGS = 1, 2, 3, 4, 5, 7, 9, 10
PACKED = 12


class Block(NamedTuple):
    offset: int
    type: int
    tag: int
    mark: int
    payload: bytes


def block_at(data: bytes, at: int) -> Optional[Block]:
    """What would be a block there, if somebody proves it. What the checksum lacks to that of the bytes is its mark."""
    header = data[at:at + 16]
    length = int.from_bytes(header[8:12], "little")
    if header[:4] != MAGIC or len(header) < 16 or length > MAX_PAYLOAD or at + 16 + length > len(data):
        return None
    payload = data[at + 16:at + 16 + length]
    sum_of_bytes = xxh3_64(payload, int.from_bytes(header[4:12], "little")) & 0xFFFFFFFF
    mark = sum_of_bytes ^ int.from_bytes(header[12:16], "little")
    return Block(at, header[4], int.from_bytes(header[6:8], "little"), mark, payload)


def own_mark(block: Block) -> Optional[Tuple[int, int]]:
    """Tag and mark that a block must have which has the id of its session in it."""
    payload = block.payload
    if block.type == SESSION and len(payload) >= 16:
        version, number = int.from_bytes(payload[:4], "little"), payload[8:16]
    elif block.type in (INDEX, PADDING, PACKED) and len(payload) >= 8:
        version, number = 2, payload[:8]
    else:
        return None
    return int.from_bytes(number[:2], "little"), xxh3_64(number) & 0xFFFFFFFF if version >= 2 else 0


def known_marks(data: bytes) -> Set[Tuple[int, int]]:
    """Tags and marks of all sessions in the file (§1): proved by a block that has the id, or by two that are alike."""
    known: Set[Tuple[int, int]] = set()
    seen: Dict[Tuple[int, int], bytes] = {}
    at = data.find(MAGIC)
    while at >= 0:
        block = block_at(data, at)
        if block is not None:
            mark = block.tag, block.mark
            checksum = data[at + 12:at + 16]
            if own_mark(block) == mark or seen.setdefault(mark, checksum) != checksum:
                known.add(mark)
        at = data.find(MAGIC, at + 1)
    return known


def blocks(data: bytes) -> Iterator[Block]:
    """What is whole (§1). After damage each place is looked at."""
    known = known_marks(data)
    at = data.find(MAGIC)
    while at >= 0:
        block = block_at(data, at)
        mark = (block.tag, block.mark) if block is not None else None
        if block is not None and (own_mark(block) == mark or block.type != SESSION and mark in known):
            yield block
            at += 16 + (len(block.payload) + 7) // 8 * 8
        else:
            at += 1
        at = data.find(MAGIC, at)


def unpacked(in_file: List[Block], offset: int) -> List[Block]:
    """Blocks of packed sessions (§15), as if they lay after the file. Models are left out where the file has their session."""
    packed = [block for block in in_file if block.type == PACKED and len(block.payload) >= 12]
    models = {number_of(block.payload[12:]): block.payload[12:] for block in packed if block.payload[8:12] == bytes(4)}
    known = {(block.tag, block.mark) for block in in_file if block.type == SESSION}
    found: List[Block] = []
    for block in packed:
        is_model = block.payload[8:12] == bytes(4)
        try:
            bare = block.payload[12:] if is_model else unpack(block.payload, models)
            inner = blocks_of(bare, block.payload[:8])
        except Damaged:
            continue
        for kind, payload in inner:
            is_data = kind in (COLUMNS, ROWS)
            if not (is_model and is_data and (block.tag, block.mark) in known):
                found.append(Block(offset, kind, block.tag, block.mark, payload))
            offset += 16 + (len(payload) + 7) // 8 * 8
        known.add((block.tag, block.mark))
    return found
