package io.github.steno.ring;

import io.github.steno.staging.Layout;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Mapped memory, as records are written into it. Each store into a buffer is checked by itself, which costs more than the
 * store; so where the JDK lets us store to an address without a warning, before 23, we do. The caller has claimed room for
 * what it writes, which an assertion checks. Static, for to an address no object is needed. One thread at a time.
 */
public final class Memory {
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
  /** Masks of the first 0 to 7 bytes of a word. */
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
  public static void prepare(ByteBuffer mapped) {}

  /** Returns whether such memory may be made. */
  public static boolean isReady() {
    return true;
  }

  /** Keeps the memory mapped. */
  final ByteBuffer buffer;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    this.address = RAW ? Raw.STORES.getLong(buffer, Raw.ADDRESS) : 0;
  }

  /** Returns the place of an index, for stores there and after it. */
  long place(int at) {
    return address + at;
  }

  /** Returns the same place, in a form for which later JDKs make no more checks. */
  static long within(long place) {
    return place;
  }

  /**
   * Stores with release at an aligned index. Pairs with the consumer's acquire load of {@code tail} (spec/ring.md
   * §4.2).
   */
  static void putLongRelease(Memory memory, long place, long value) {
    if (!RAW) {
      Layout.LONG.setRelease(memory.buffer, (int) place, value);
      return;
    }
    assert memory.has(place, Long.BYTES) && place % Long.BYTES == 0;
    Raw.STORES.putOrderedLong(null, place, value);
  }

  public static void putLong(Memory memory, long place, long value) {
    if (!RAW) {
      memory.buffer.putLong((int) place, value);
      return;
    }
    assert memory.has(place, Long.BYTES);
    Raw.STORES.putLong(place, value);
  }

  public static void putInt(Memory memory, long place, int value) {
    if (!RAW) {
      memory.buffer.putInt((int) place, value);
      return;
    }
    assert memory.has(place, Integer.BYTES);
    Raw.STORES.putInt(place, value);
  }

  public static void putByte(Memory memory, long place, byte value) {
    if (!RAW) {
      memory.buffer.put((int) place, value);
      return;
    }
    assert memory.has(place, Byte.BYTES);
    Raw.STORES.putByte(place, value);
  }

  /**
   * Writes a text, and perhaps up to seven zeros after it, where there is so much room. Returns its size; -1: it is not
   * all ASCII, or there may be no room for it.
   */
  public static int putAscii(Memory memory, long place, String text, int room) {
    if (!BY_EIGHT) return text.length() <= room && Utf8.putAscii(memory, place, text) ? text.length() : -1;
    if (Raw.STORES.getByte(text, Raw.CODER) != LATIN1) return -1;
    byte[] bytes = (byte[]) Raw.STORES.getObject(text, Raw.CHARS);
    int size = bytes.length;
    if (size > room - Long.BYTES) return -1;
    assert memory.has(place, Layout.roundUp8(size));
    long all = 0;
    int i = 0;
    for (; i <= size - Long.BYTES; i += Long.BYTES) {
      long eight = Raw.STORES.getLong(bytes, Raw.BASE + i);
      all |= eight;
      Raw.STORES.putLong(place + i, eight);
    }
    if (i < size) {
      long rest = Raw.STORES.getLong(bytes, Raw.BASE + i) & FIRST_BYTES[size & 7];
      all |= rest;
      Raw.STORES.putLong(place + i, rest);
    }
    return (all & NOT_ASCII) == 0 ? size : -1;
  }

  private boolean has(long place, int bytes) {
    return place >= address && place - address + bytes <= buffer.limit();
  }
}
