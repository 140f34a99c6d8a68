package io.github.steno;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Mapped memory, as records are written into it. Each store into a buffer is checked by itself, which costs more than the
 * store; so where the JDK lets us store to an address without a warning, before 23, we do. The caller has claimed room for
 * what it writes, which an assertion checks. One thread at a time.
 */
final class Memory {
  private static final int FIRST_THAT_WARNS = 23;

  /** Named here and nowhere else, for a JDK may be without it. */
  private static final class Raw {
    static final sun.misc.Unsafe STORES;
    static final long ADDRESS;
    static final long CHARS;
    static final long CODER;
    static final long BASE = sun.misc.Unsafe.ARRAY_BYTE_BASE_OFFSET;

    static {
      try {
        Field instance = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        STORES = (sun.misc.Unsafe) instance.get(null);
        ADDRESS = STORES.objectFieldOffset(Buffer.class.getDeclaredField("address"));
        CHARS = STORES.objectFieldOffset(String.class.getDeclaredField("value"));
        CODER = STORES.objectFieldOffset(String.class.getDeclaredField("coder"));
      } catch (ReflectiveOperationException | RuntimeException e) {
        throw new ExceptionInInitializerError(e);  // buffers will do
      }
    }

    static boolean isThere() {
      return STORES != null;
    }
  }

  private static final boolean RAW = isRaw();
  /** Bytes of an array may be read by eight: the last of them are still its own, for objects take multiples of eight. */
  private static final boolean BY_EIGHT = RAW && Raw.BASE % Long.BYTES == 0;
  private static final byte LATIN1 = 0;
  private static final long NOT_ASCII = 0x8080808080808080L;
  /** So many bytes of eight. */
  private static final long[] FIRST_BYTES = {0, 0xFFL, 0xFFFFL, 0xFFFFFFL, 0xFFFFFFFFL, 0xFFFFFFFFFFL, 0xFFFFFFFFFFFFL,
      0xFFFFFFFFFFFFFFL};

  private static boolean isRaw() {
    if (Runtime.version().feature() >= FIRST_THAT_WARNS) return false;
    try {
      return Raw.isThere();
    } catch (LinkageError e) {
      return false;
    }
  }

  /** There is nothing to prepare. */
  static void prepare(ByteBuffer mapped) {}

  /** Whether there may be such memory. */
  static boolean isReady() {
    return true;
  }

  /** Keeps what is mapped. */
  final ByteBuffer buffer;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    this.address = RAW ? Raw.STORES.getLong(buffer, Raw.ADDRESS) : 0;
  }

  void putLong(int at, long value) {
    if (!RAW) {
      buffer.putLong(at, value);
      return;
    }
    assert has(at, Long.BYTES);
    Raw.STORES.putLong(address + at, value);
  }

  /** With release, at an index that is aligned. */
  void putLongRelease(int at, long value) {
    if (!RAW) {
      Layout.LONG.setRelease(buffer, at, value);
      return;
    }
    assert has(at, Long.BYTES) && at % Long.BYTES == 0;
    Raw.STORES.putOrderedLong(null, address + at, value);
  }

  /** Of an index, for what is stored at distances from it. */
  long place(int at) {
    return RAW ? address + at : at;
  }

  void putLong(long place, int distance, long value) {
    if (!RAW) {
      buffer.putLong((int) place + distance, value);
      return;
    }
    assert has((int) (place - address) + distance, Long.BYTES);
    Raw.STORES.putLong(place + distance, value);
  }

  void putInt(long place, int distance, int value) {
    if (!RAW) {
      buffer.putInt((int) place + distance, value);
      return;
    }
    assert has((int) (place - address) + distance, Integer.BYTES);
    Raw.STORES.putInt(place + distance, value);
  }

  void putByte(long place, int distance, byte value) {
    if (!RAW) {
      buffer.put((int) place + distance, value);
      return;
    }
    assert has((int) (place - address) + distance, Byte.BYTES);
    Raw.STORES.putByte(place + distance, value);
  }

  void putInt(int at, int value) {
    if (!RAW) {
      buffer.putInt(at, value);
      return;
    }
    assert has(at, Integer.BYTES);
    Raw.STORES.putInt(address + at, value);
  }

  void putByte(int at, byte value) {
    if (!RAW) {
      buffer.put(at, value);
      return;
    }
    assert has(at, Byte.BYTES);
    Raw.STORES.putByte(address + at, value);
  }

  /**
   * Writes a text, and perhaps up to seven zeros after it, where there is so much room. Returns its size; -1: it is not
   * all ASCII, or there may be no room for it.
   */
  int putAscii(int at, String text, int room) {
    if (!BY_EIGHT) return text.length() <= room && Utf8.putAscii(this, at, text) ? text.length() : -1;
    if (Raw.STORES.getByte(text, Raw.CODER) != LATIN1) return -1;
    byte[] bytes = (byte[]) Raw.STORES.getObject(text, Raw.CHARS);
    int size = bytes.length;
    if (size > room - Long.BYTES) return -1;
    assert has(at, Layout.roundUp8(size));
    long all = 0;
    int i = 0;
    for (; i <= size - Long.BYTES; i += Long.BYTES) {
      long eight = Raw.STORES.getLong(bytes, Raw.BASE + i);
      all |= eight;
      Raw.STORES.putLong(address + at + i, eight);
    }
    if (i < size) {
      long rest = Raw.STORES.getLong(bytes, Raw.BASE + i) & FIRST_BYTES[size & 7];
      all |= rest;
      Raw.STORES.putLong(address + at + i, rest);
    }
    return (all & NOT_ASCII) == 0 ? size : -1;
  }

  private boolean has(int at, int bytes) {
    return at >= 0 && at + bytes <= buffer.limit();
  }
}
