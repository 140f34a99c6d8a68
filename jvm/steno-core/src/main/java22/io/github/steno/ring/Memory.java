package io.github.steno.ring;

import io.github.steno.staging.Layout;
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
 * claimed room for what it writes, which an assertion checks. Static, for to an address no object is needed. One thread at a time.
 */
public final class Memory {
  /** A class of its own, because the first use of the foreign-function API takes some 20 ms. */
  private static final class Raw {
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /** All addresses are within these bits; where the compiler sees that, it checks no store against the bounds of the segment. */
    static final long ADDRESS_BITS = (1L << 57) - 1;
  }

  /** Texts up to this length are copied faster by characters. */
  private static final int SHORT_TEXT = 16;
  private static final long NOT_ASCII = 0x8080808080808080L;
  /** Only for JVMs of 64 bits, because one of fewer may store a long by halves. */
  private static final boolean RAW = Memory.class.getModule().isNativeAccessEnabled()
      && "64".equals(System.getProperty("sun.arch.data.model"));

  private static volatile boolean prepared = !RAW;

  /**
   * Prepares such memory. If that fails, there is none, and buffers are used. Must not run in a thread of the
   * program's.
   *
   * @param mapped some memory, which is read
   */
  public static void prepare(ByteBuffer mapped) {
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

  /** Returns whether such memory may be made. */
  public static boolean isReady() {
    return prepared;
  }

  /** Keeps the memory mapped. */
  final ByteBuffer buffer;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    this.address = RAW ? MemorySegment.ofBuffer(buffer).address() : 0;
  }

  /** Returns the place of an index, for stores there and after it. */
  long place(int at) {
    return address + at;
  }

  /**
   * Returns the same place, in a form from which the compiler sees that no store at it or after it has to be checked.
   */
  static long within(long place) {
    return RAW ? place & Raw.ADDRESS_BITS : place;
  }

  /**
   * Stores with release at an aligned index. It uses a fence and a plain store to an address, because a handle that
   * stores with release is made only when a call first uses it. That is as good: the fence keeps earlier stores before
   * this one, and keeps the compiler from omitting or delaying a store of the call before. The store is one of 8 bytes,
   * because mapped memory begins with a page and the JVM has 64 bits. It pairs with the consumer's acquire load of
   * {@code tail} (spec/ring.md §4.2).
   */
  static void putLongRelease(Memory memory, long place, long value) {
    assert memory.has(place, Long.BYTES) && place % Long.BYTES == 0;
    if (RAW) {
      VarHandle.releaseFence();
      Raw.ALL.set(Raw.LONG, place, value);
    } else {
      Layout.LONG.setRelease(memory.buffer, (int) place, value);
    }
  }

  public static void putLong(Memory memory, long place, long value) {
    assert memory.has(place, Long.BYTES);
    if (RAW) {
      Raw.ALL.set(Raw.LONG, place, value);
    } else {
      memory.buffer.putLong((int) place, value);
    }
  }

  public static void putInt(Memory memory, long place, int value) {
    assert memory.has(place, Integer.BYTES);
    if (RAW) {
      Raw.ALL.set(Raw.INT, place, value);
    } else {
      memory.buffer.putInt((int) place, value);
    }
  }

  public static void putByte(Memory memory, long place, byte value) {
    assert memory.has(place, Byte.BYTES);
    if (RAW) {
      Raw.ALL.set(ValueLayout.JAVA_BYTE, place, value);
    } else {
      memory.buffer.put((int) place, value);
    }
  }

  /**
   * Writes a text, and perhaps more bytes after it, where there is so much room. Returns its size; -1: it is not all ASCII, or
   * there may be no room for it.
   */
  public static int putAscii(Memory memory, long place, String text, int room) {
    int length = text.length();
    if (RAW && length > SHORT_TEXT) return putLongAscii(memory, place, text, length, room);
    return length <= room && Utf8.putAscii(memory, place, text) ? length : -1;
  }

  /** Writes UTF-8. If the text is not ASCII, the first byte of its first other character is not, either. */
  private static int putLongAscii(Memory memory, long place, String text, int length, int room) {
    if (length >= room / Utf8.MOST_PER_CHAR) return -1;
    assert memory.has(place, Utf8.MOST_PER_CHAR * length + 1);
    Raw.ALL.setString(place, text, StandardCharsets.UTF_8);
    long all = Raw.ALL.get(Raw.LONG, place + length - Long.BYTES);
    for (int i = 0; i < length - Long.BYTES; i += Long.BYTES) all |= Raw.ALL.get(Raw.LONG, place + i);
    return (all & NOT_ASCII) == 0 ? length : -1;
  }

  private boolean has(long place, int bytes) {
    return place >= address && place - address + bytes <= buffer.limit();
  }
}
