package io.github.steno.machine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * XXH3-64: names of marks (spec/ring.md §1.1), stable ids of sites (spec/file.md §5), checksums (spec/ring.md §6). Not for speed:
 * buffers need no handles, which take a start some milliseconds.
 */
public final class Xxh3 {
  private static final ByteBuffer SECRET = littleEndian(HexFormat.of().parseHex(
      "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
          + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
          + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
          + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
          + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
          + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"));
  private static final long P32_1 = 0x9E3779B1L;
  private static final long P32_2 = 0x85EBCA77L;
  private static final long P32_3 = 0xC2B2AE3DL;
  private static final long P64_1 = 0x9E3779B185EBCA87L;
  private static final long P64_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long P64_3 = 0x165667B19E3779F9L;
  private static final long P64_4 = 0x85EBCA77C2B2AE63L;
  private static final long P64_5 = 0x27D4EB2F165667C5L;
  private static final int STRIPE = 64;
  private static final int STRIPES_A_BLOCK = 16;

  public static long hash(byte[] data) {
    return hash(data, 0);
  }

  public static long hash(byte[] bytes, long seed) {
    ByteBuffer data = littleEndian(bytes);
    if (bytes.length <= 16) return upTo16(data, seed);
    return bytes.length <= 240 ? upTo240(data, seed) : ofLong(data, seeded(seed));
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer seeded(long seed) {
    ByteBuffer secret = littleEndian(SECRET.array().clone());
    for (int i = 0; i < secret.capacity(); i += 16) {
      secret.putLong(i, secret.getLong(i) + seed);
      secret.putLong(i + 8, secret.getLong(i + 8) - seed);
    }
    return secret;
  }

  private static long upTo16(ByteBuffer data, long seed) {
    int n = data.capacity();
    if (n > 8) {
      long low = data.getLong(0) ^ (secret(24) ^ secret(32)) + seed;
      long high = data.getLong(n - 8) ^ (secret(40) ^ secret(48)) - seed;
      return avalanche(n + Long.reverseBytes(low) + high + fold(low, high));
    }
    if (n >= 4) {
      seed ^= (long) Integer.reverseBytes((int) seed) << 32;
      long h = u32(data, n - 4) + (u32(data, 0) << 32) ^ (secret(8) ^ secret(16)) - seed;
      h ^= Long.rotateLeft(h, 49) ^ Long.rotateLeft(h, 24);
      h *= 0x9FB21C651E98DF25L;
      h = (h ^ (h >>> 35) + n) * 0x9FB21C651E98DF25L;
      return h ^ h >>> 28;
    }
    if (n > 0) {
      long combined = (data.get(0) & 0xFFL) << 16 | (data.get(n >> 1) & 0xFFL) << 24 | (data.get(n - 1) & 0xFFL) | (long) n << 8;
      return avalancheOfXxh64(combined ^ (u32(SECRET, 0) ^ u32(SECRET, 4)) + seed);
    }
    return avalancheOfXxh64(seed ^ secret(56) ^ secret(64));
  }

  private static long upTo240(ByteBuffer data, long seed) {
    int n = data.capacity();
    long acc = n * P64_1;
    if (n <= 128) {
      for (int i = 0; i <= (n - 1) / 32; i++) {
        acc += mixed(data, 16 * i, 32 * i, seed);
        acc += mixed(data, n - 16 * (i + 1), 32 * i + 16, seed);
      }
      return avalanche(acc);
    }
    for (int i = 0; i < 8; i++) acc += mixed(data, 16 * i, 16 * i, seed);
    acc = avalanche(acc);
    for (int i = 8; i < n / 16; i++) acc += mixed(data, 16 * i, 16 * (i - 8) + 3, seed);
    acc += mixed(data, n - 16, 136 - 17, seed);
    return avalanche(acc);
  }

  private static long ofLong(ByteBuffer data, ByteBuffer secret) {
    long[] acc = {P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1};
    int stripes = (data.capacity() - 1) / STRIPE;
    for (int stripe = 0; stripe < stripes; stripe++) {
      accumulate(acc, data, STRIPE * stripe, secret, 8 * (stripe % STRIPES_A_BLOCK));
      if (stripe % STRIPES_A_BLOCK == STRIPES_A_BLOCK - 1) {
        for (int i = 0; i < 8; i++) acc[i] = (acc[i] ^ acc[i] >>> 47 ^ secret.getLong(128 + 8 * i)) * P32_1;
      }
    }
    accumulate(acc, data, data.capacity() - STRIPE, secret, 121);
    long h = data.capacity() * P64_1;
    for (int i = 0; i < 4; i++) h += fold(acc[2 * i] ^ secret.getLong(11 + 16 * i), acc[2 * i + 1] ^ secret.getLong(19 + 16 * i));
    return avalanche(h);
  }

  private static void accumulate(long[] acc, ByteBuffer data, int at, ByteBuffer secret, int secretAt) {
    for (int i = 0; i < 8; i++) {
      long value = data.getLong(at + 8 * i);
      long key = value ^ secret.getLong(secretAt + 8 * i);
      acc[i ^ 1] += value;
      acc[i] += (key & 0xFFFFFFFFL) * (key >>> 32);
    }
  }

  private static long mixed(ByteBuffer data, int at, int secretAt, long seed) {
    return fold(data.getLong(at) ^ secret(secretAt) + seed, data.getLong(at + 8) ^ secret(secretAt + 8) - seed);
  }

  /** The two halves of the unsigned product. */
  private static long fold(long a, long b) {
    long high = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    return a * b ^ high;
  }

  private static long avalanche(long h) {
    h = (h ^ h >>> 37) * 0x165667919E3779F9L;
    return h ^ h >>> 32;
  }

  private static long avalancheOfXxh64(long h) {
    h = (h ^ h >>> 33) * P64_2;
    h = (h ^ h >>> 29) * P64_3;
    return h ^ h >>> 32;
  }

  private static long u32(ByteBuffer data, int at) {
    return data.getInt(at) & 0xFFFFFFFFL;
  }

  private static long secret(int at) {
    return SECRET.getLong(at);
  }

  private Xxh3() {}
}
