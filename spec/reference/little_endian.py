"""Bytes, front to back, and what may be wrong with them."""

import struct

U64 = (1 << 64) - 1


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
