package io.github.steno;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
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

  /** {@code sun.misc.Unsafe}, by handles: a compiler warns of its name. */
  private record Stores(MethodHandle putLong, MethodHandle putInt, MethodHandle putByte, MethodHandle release,
      MethodHandle getLong, MethodHandle getByte, MethodHandle getObject, long address, long chars, long coder, long base) {
    static Stores find() {
      if (Runtime.version().feature() >= FIRST_THAT_WARNS) return null;
      try {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field instance = type.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        Finder found = new Finder(type, instance.get(null));
        // By a handle as well: a reflective call would parse the method's annotations first, for some ten milliseconds.
        MethodHandle offset = found.method("objectFieldOffset", long.class, Field.class);
        return new Stores(found.method("putLong", void.class, long.class, long.class),
            found.method("putInt", void.class, long.class, int.class),
            found.method("putByte", void.class, long.class, byte.class),
            found.method("putOrderedLong", void.class, Object.class, long.class, long.class),
            found.method("getLong", long.class, Object.class, long.class),
            found.method("getByte", byte.class, Object.class, long.class),
            found.method("getObject", Object.class, Object.class, long.class),
            (long) offset.invoke(Buffer.class.getDeclaredField("address")),
            (long) offset.invoke(String.class.getDeclaredField("value")),
            (long) offset.invoke(String.class.getDeclaredField("coder")),
            (int) found.method("arrayBaseOffset", int.class, Class.class).invoke(byte[].class));
      } catch (Throwable e) {
        return null;  // buffers will do
      }
    }
  }

  private record Finder(Class<?> type, Object unsafe) {
    MethodHandle method(String name, Class<?> returned, Class<?>... taken) throws ReflectiveOperationException {
      return MethodHandles.lookup().findVirtual(type, name, MethodType.methodType(returned, taken)).bindTo(unsafe);
    }
  }

  private static final Stores STORES = Stores.find();
  private static final boolean RAW = STORES != null;
  private static final MethodHandle PUT_LONG = RAW ? STORES.putLong : null;
  private static final MethodHandle PUT_INT = RAW ? STORES.putInt : null;
  private static final MethodHandle PUT_BYTE = RAW ? STORES.putByte : null;
  private static final MethodHandle PUT_LONG_RELEASE = RAW ? STORES.release : null;
  private static final MethodHandle GET_LONG = RAW ? STORES.getLong : null;
  private static final MethodHandle GET_BYTE = RAW ? STORES.getByte : null;
  private static final MethodHandle GET_OBJECT = RAW ? STORES.getObject : null;
  private static final long CHARS = RAW ? STORES.chars : 0;
  private static final long CODER = RAW ? STORES.coder : 0;
  private static final long BASE = RAW ? STORES.base : 0;
  /** Bytes of an array may be read by eight: the last of them are still its own, for objects take multiples of eight. */
  private static final boolean BY_EIGHT = RAW && BASE % Long.BYTES == 0;
  private static final byte LATIN1 = 0;
  private static final long NOT_ASCII = 0x8080808080808080L;
  /** So many bytes of eight. */
  private static final long[] FIRST_BYTES = {0, 0xFFL, 0xFFFFL, 0xFFFFFFL, 0xFFFFFFFFL, 0xFFFFFFFFFFL, 0xFFFFFFFFFFFFL,
      0xFFFFFFFFFFFFFFL};

  /** Keeps what is mapped. */
  final ByteBuffer buffer;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    try {
      this.address = RAW ? (long) STORES.getLong.invokeExact((Object) buffer, STORES.address) : 0;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  void putLong(int at, long value) {
    if (!RAW) {
      buffer.putLong(at, value);
      return;
    }
    assert has(at, Long.BYTES);
    try {
      PUT_LONG.invokeExact(address + at, value);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** With release, at an index that is aligned. */
  void putLongRelease(int at, long value) {
    if (!RAW) {
      Layout.LONG.setRelease(buffer, at, value);
      return;
    }
    assert has(at, Long.BYTES) && at % Long.BYTES == 0;
    try {
      PUT_LONG_RELEASE.invokeExact((Object) null, address + at, value);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  void putInt(int at, int value) {
    if (!RAW) {
      buffer.putInt(at, value);
      return;
    }
    assert has(at, Integer.BYTES);
    try {
      PUT_INT.invokeExact(address + at, value);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  void putByte(int at, byte value) {
    if (!RAW) {
      buffer.put(at, value);
      return;
    }
    assert has(at, Byte.BYTES);
    try {
      PUT_BYTE.invokeExact(address + at, value);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Writes a text, and perhaps up to seven zeros behind it, where there is so much room. Returns its size; -1: it is not
   * all ASCII, or there may be no room for it.
   */
  int putAscii(int at, String text, int room) {
    if (!BY_EIGHT) return text.length() <= room && Utf8.putAscii(this, at, text) ? text.length() : -1;
    try {
      if ((byte) GET_BYTE.invokeExact((Object) text, CODER) != LATIN1) return -1;
      byte[] bytes = (byte[]) (Object) GET_OBJECT.invokeExact((Object) text, CHARS);
      int size = bytes.length;
      if (size > room - Long.BYTES) return -1;
      assert has(at, Layout.roundUp8(size));
      long all = 0;
      int i = 0;
      for (; i <= size - Long.BYTES; i += Long.BYTES) {
        long eight = (long) GET_LONG.invokeExact((Object) bytes, BASE + i);
        all |= eight;
        PUT_LONG.invokeExact(address + at + i, eight);
      }
      if (i < size) {
        long rest = (long) GET_LONG.invokeExact((Object) bytes, BASE + i) & FIRST_BYTES[size & 7];
        all |= rest;
        PUT_LONG.invokeExact(address + at + i, rest);
      }
      return (all & NOT_ASCII) == 0 ? size : -1;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private boolean has(int at, int bytes) {
    return at >= 0 && at + bytes <= buffer.limit();
  }
}
