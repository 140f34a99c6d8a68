"""Packed sessions (file.md §15)."""

from typing import Dict, List, Tuple

from little_endian import Damaged, Reader
from xxh3 import xxh3_64

MOST = 1 << 16
MOST_UNPACKING = 32
MOST_BLOCKS = 64
SESSION, END = 1, 8
OTHERS = (2, 3, 4, 5, END, 10, 11)


def number_of(bare: bytes) -> int:
    """By what others refer to a model."""
    return xxh3_64(bare) & 0xFFFFFFFF or 1


def unpack(payload: bytes, models: Dict[int, bytes]) -> bytes:
    """The bare blocks of a packed session with a model."""
    reader = Reader(payload)
    reader.take(8)
    model = models.get(reader.unsigned(4))
    size = reader.varint()
    if model is None or size > MOST or size > MOST_UNPACKING * len(payload):
        raise Damaged("no model, or an impossible size")
    bare = bytearray()
    place = 0
    while reader.left():
        step = reader.unsigned(1)
        literals, copied = step & 15, step >> 4 & 7
        if literals == 15:
            literals += reader.varint()
        if copied == 7:
            copied += reader.varint()
        move = reader.signed_varint() if step & 0x80 else 0
        bare += reader.take(literals)
        place += literals
        if copied:
            place += move
            if place < 0 or place + copied > len(model):
                raise Damaged("beyond its model")
            bare += model[place:place + copied]
            place += copied
        if len(bare) > size:
            raise Damaged("too long")
    if len(bare) != size:
        raise Damaged("too short")
    return bytes(bare)


def blocks_of(bare: bytes, session_id: bytes) -> List[Tuple[int, bytes]]:
    """Type and payload of each block."""
    reader = Reader(bare)
    blocks: List[Tuple[int, bytes]] = []
    while reader.left():
        kind, payload = reader.unsigned(1), reader.string()
        if not blocks and (kind != SESSION or len(payload) < 16):
            raise Damaged("it does not begin with a session block")
        if blocks and (kind not in OTHERS or blocks[-1][0] == END):
            raise Damaged("a block that cannot be there")
        blocks.append((kind, payload if blocks else payload[:8] + session_id + payload[16:]))
    if not blocks or blocks[-1][0] != END or len(blocks) > MOST_BLOCKS:
        raise Damaged("it has no end, or too many blocks")
    return blocks
