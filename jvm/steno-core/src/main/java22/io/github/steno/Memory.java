package io.github.steno;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Mapped memory, as records are written into it. Where native access is enabled anyway, stores go to addresses, for a segment of
 * all memory needs no check, and there is no such object before {@link #prepare()}; elsewhere each store is checked. The caller has
 * claimed room for what it writes, which an assertion checks. One thread at a time.
 */
final class Memory {
  /** Apart, for the first use of the foreign-function API takes some 20 ms. */
  private static final class Raw {
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /** All addresses are within these bits; where the compiler sees that, it checks no store against the bounds of the segment. */
    static final long ADDRESS_BITS = (1L << 57) - 1;
  }

  /** What is copied by characters is quicker up to this length. */
  private static final int SHORT_TEXT = 16;
  private static final long NOT_ASCII = 0x8080808080808080L;
  /** Of 64 bits, for a JVM of fewer may store a long by halves. */
  private static final boolean RAW = Memory.class.getModule().isNativeAccessEnabled()
      && "64".equals(System.getProperty("sun.arch.data.model"));

  private static volatile boolean prepared = !RAW;

  /**
   * Where it fails, there is no such memory, and buffers do as well. Not in a thread of the program's.
   *
   * @param mapped some memory, which is read
   */
  static void prepare(ByteBuffer mapped) {
    if (prepared) return;
    try {
      Raw.ALL.get(Raw.INT, MemorySegment.ofBuffer(mapped).address());
      prepared = true;
    } catch (RuntimeException | Error e) {
      prepared = false;
    } finally {
      Reference.reachabilityFence(mapped);
    }
  }

  /** Whether there may be such memory. */
  static boolean isReady() {
    return prepared;
  }

  /** Keeps what is mapped. */
  final ByteBuffer buffer;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    this.address = RAW ? MemorySegment.ofBuffer(buffer).address() : 0;
  }

  void putLong(int at, long value) {
    assert has(at, Long.BYTES);
    if (RAW) {
      Raw.ALL.set(Raw.LONG, address + at, value);
    } else {
      buffer.putLong(at, value);
    }
  }

  /**
   * With release, at an index that is aligned. To an address by a fence and a plain store, for a handle that stores with release
   * is made only when a call first uses it. That is as good: the fence keeps what was stored before it in front of the store, and it
   * keeps the compiler from leaving out or putting off a store of the call before; the store is one of 8 bytes, for what is mapped
   * begins with a page, and the JVM has 64 bits. It pairs with the consumer's acquire load of {@code tail} (spec/ring.md §4.2).
   */
  void putLongRelease(int at, long value) {
    assert has(at, Long.BYTES) && at % Long.BYTES == 0;
    if (RAW) {
      VarHandle.releaseFence();
      Raw.ALL.set(Raw.LONG, address + at, value);
    } else {
      Layout.LONG.setRelease(buffer, at, value);
    }
  }

  /** Of an index, for what is stored at distances from it. */
  long place(int at) {
    return RAW ? address + at & Raw.ADDRESS_BITS : at;
  }

  void putLong(long place, int distance, long value) {
    assert has(indexOf(place) + distance, Long.BYTES);
    if (RAW) {
      Raw.ALL.set(Raw.LONG, place + distance, value);
    } else {
      buffer.putLong((int) place + distance, value);
    }
  }

  void putInt(long place, int distance, int value) {
    assert has(indexOf(place) + distance, Integer.BYTES);
    if (RAW) {
      Raw.ALL.set(Raw.INT, place + distance, value);
    } else {
      buffer.putInt((int) place + distance, value);
    }
  }

  void putByte(long place, int distance, byte value) {
    assert has(indexOf(place) + distance, Byte.BYTES);
    if (RAW) {
      Raw.ALL.set(ValueLayout.JAVA_BYTE, place + distance, value);
    } else {
      buffer.put((int) place + distance, value);
    }
  }

  private int indexOf(long place) {
    return (int) (place - (RAW ? address : 0));
  }

  void putInt(int at, int value) {
    assert has(at, Integer.BYTES);
    if (RAW) {
      Raw.ALL.set(Raw.INT, address + at, value);
    } else {
      buffer.putInt(at, value);
    }
  }

  void putByte(int at, byte value) {
    assert has(at, Byte.BYTES);
    if (RAW) {
      Raw.ALL.set(ValueLayout.JAVA_BYTE, address + at, value);
    } else {
      buffer.put(at, value);
    }
  }

  /**
   * Writes a text, and perhaps more bytes after it, where there is so much room. Returns its size; -1: it is not all ASCII, or
   * there may be no room for it.
   */
  int putAscii(int at, String text, int room) {
    int length = text.length();
    if (RAW && length > SHORT_TEXT) return putLongAscii(at, text, length, room);
    return length <= room && Utf8.putAscii(this, at, text) ? length : -1;
  }

  /** As UTF-8: the first byte that is not ASCII is where the first such character was. */
  private int putLongAscii(int at, String text, int length, int room) {
    if (length >= room / Utf8.MOST_PER_CHAR) return -1;
    assert has(at, Utf8.MOST_PER_CHAR * length + 1);
    Raw.ALL.setString(address + at, text, StandardCharsets.UTF_8);
    long all = Raw.ALL.get(Raw.LONG, address + at + length - Long.BYTES);
    for (int i = 0; i < length - Long.BYTES; i += Long.BYTES) all |= Raw.ALL.get(Raw.LONG, address + at + i);
    return (all & NOT_ASCII) == 0 ? length : -1;
  }

  private boolean has(int at, int bytes) {
    return at >= 0 && at + bytes <= buffer.limit();
  }
}
