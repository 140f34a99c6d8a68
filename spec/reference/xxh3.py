"""XXH3-64, the checksum of blocks (file.md §1), with a seed."""

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
MASK = (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at:at + 4], "little")


def _u64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at:at + 8], "little")


def _swapped(value: int, size: int) -> int:
    return int.from_bytes(value.to_bytes(size, "little"), "big")


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & MASK


def _fold(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & MASK


def _avalanche(h: int) -> int:
    h = (h ^ h >> 37) * 0x165667919E3779F9 & MASK
    return h ^ h >> 32


def _avalanche_xxh64(h: int) -> int:
    h = (h ^ h >> 33) * P64_2 & MASK
    h = (h ^ h >> 29) * P64_3 & MASK
    return h ^ h >> 32


def _up_to_16(data: bytes, seed: int) -> int:
    n = len(data)
    if n > 8:
        flip_low = (_u64(SECRET, 24) ^ _u64(SECRET, 32)) + seed & MASK
        flip_high = (_u64(SECRET, 40) ^ _u64(SECRET, 48)) - seed & MASK
        low = _u64(data, 0) ^ flip_low
        high = _u64(data, n - 8) ^ flip_high
        return _avalanche(n + _swapped(low, 8) + high + _fold(low, high) & MASK)
    if n >= 4:
        seed ^= _swapped(seed & 0xFFFFFFFF, 4) << 32
        flip = (_u64(SECRET, 8) ^ _u64(SECRET, 16)) - seed & MASK
        h = (_u32(data, n - 4) + (_u32(data, 0) << 32)) ^ flip
        h ^= _rotated(h, 49) ^ _rotated(h, 24)
        h = h * 0x9FB21C651E98DF25 & MASK
        h = (h ^ (h >> 35) + n) * 0x9FB21C651E98DF25 & MASK
        return h ^ h >> 28
    if n > 0:
        combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return _avalanche_xxh64(combined ^ (_u32(SECRET, 0) ^ _u32(SECRET, 4)) + seed & MASK)
    return _avalanche_xxh64(seed ^ _u64(SECRET, 56) ^ _u64(SECRET, 64))


def _mixed(data: bytes, at: int, secret_at: int, seed: int) -> int:
    return _fold(_u64(data, at) ^ _u64(SECRET, secret_at) + seed & MASK,
                 _u64(data, at + 8) ^ _u64(SECRET, secret_at + 8) - seed & MASK)


def _up_to_240(data: bytes, seed: int) -> int:
    n = len(data)
    acc = n * P64_1
    if n <= 128:
        for i in range((n - 1) // 32 + 1):
            acc += _mixed(data, 16 * i, 32 * i, seed)
            acc += _mixed(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return _avalanche(acc & MASK)
    for i in range(8):
        acc += _mixed(data, 16 * i, 16 * i, seed)
    acc = _avalanche(acc & MASK)
    for i in range(8, n // 16):
        acc += _mixed(data, 16 * i, 16 * (i - 8) + 3, seed)
    acc += _mixed(data, n - 16, 136 - 17, seed)
    return _avalanche(acc & MASK)


def _accumulate(acc: list, data: bytes, at: int, secret: bytes, secret_at: int) -> None:
    for i in range(8):
        value = _u64(data, at + 8 * i)
        key = value ^ _u64(secret, secret_at + 8 * i)
        acc[i ^ 1] = acc[i ^ 1] + value & MASK
        acc[i] = acc[i] + (key & 0xFFFFFFFF) * (key >> 32) & MASK


def _long(data: bytes, seed: int) -> int:
    secret = b"".join((_u64(SECRET, i) + seed & MASK).to_bytes(8, "little")
                      + (_u64(SECRET, i + 8) - seed & MASK).to_bytes(8, "little") for i in range(0, 192, 16))
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    stripes = (len(data) - 1) // 64
    for stripe in range(stripes):
        _accumulate(acc, data, 64 * stripe, secret, 8 * (stripe % 16))
        if stripe % 16 == 15:
            acc = [((a ^ a >> 47) ^ _u64(secret, 128 + 8 * i)) * P32_1 & MASK for i, a in enumerate(acc)]
    _accumulate(acc, data, len(data) - 64, secret, 121)
    h = len(data) * P64_1
    for i in range(4):
        h += _fold(acc[2 * i] ^ _u64(secret, 11 + 16 * i), acc[2 * i + 1] ^ _u64(secret, 19 + 16 * i))
    return _avalanche(h & MASK)


def xxh3_64(data: bytes, seed: int = 0) -> int:
    if len(data) <= 16:
        return _up_to_16(data, seed)
    return _up_to_240(data, seed) if len(data) <= 240 else _long(data, seed)
