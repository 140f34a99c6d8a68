package io.github.steno;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Mapped memory, as records are written into it. Where native access is enabled anyway, stores go to addresses, for a segment of all
 * memory needs no check; elsewhere each is checked. The caller has claimed room for what it writes, which an assertion checks. One
 * thread at a time.
 */
final class Memory {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle ALIGNED_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
  private static final boolean RAW = Memory.class.getModule().isNativeAccessEnabled();
  /** All memory; null: it would be warned of. */
  private static final MemorySegment ALL = RAW ? MemorySegment.NULL.reinterpret(Long.MAX_VALUE) : null;

  /** Keeps what is mapped. */
  final ByteBuffer buffer;
  private final MemorySegment segment;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    this.segment = MemorySegment.ofBuffer(buffer);
    this.address = segment.address();
  }

  void putLong(int at, long value) {
    assert has(at, Long.BYTES);
    if (RAW) {
      ALL.set(LONG, address + at, value);
    } else {
      segment.set(LONG, at, value);
    }
  }

  /** With release, at an index that is aligned. */
  void putLongRelease(int at, long value) {
    assert has(at, Long.BYTES) && at % Long.BYTES == 0;
    if (RAW) {
      ALIGNED_LONG.setRelease(ALL, address + at, value);
    } else {
      ALIGNED_LONG.setRelease(segment, (long) at, value);
    }
  }

  void putInt(int at, int value) {
    assert has(at, Integer.BYTES);
    if (RAW) {
      ALL.set(INT, address + at, value);
    } else {
      segment.set(INT, at, value);
    }
  }

  void putByte(int at, byte value) {
    assert has(at, Byte.BYTES);
    if (RAW) {
      ALL.set(ValueLayout.JAVA_BYTE, address + at, value);
    } else {
      segment.set(ValueLayout.JAVA_BYTE, at, value);
    }
  }

  /** Writes a text where there is room for it. Returns its size; -1: it is not all ASCII, or there may be no room for it. */
  int putAscii(int at, String text, int room) {
    return text.length() <= room && Utf8.putAscii(this, at, text) ? text.length() : -1;
  }

  private boolean has(int at, int bytes) {
    return at >= 0 && at + bytes <= buffer.limit();
  }
}
