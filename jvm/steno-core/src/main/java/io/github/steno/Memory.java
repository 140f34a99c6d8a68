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
  private record Stores(MethodHandle putLong, MethodHandle putInt, MethodHandle putByte, MethodHandle getLong, long field) {
    static Stores find() {
      if (Runtime.version().feature() >= FIRST_THAT_WARNS) return null;
      try {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field instance = type.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        Object unsafe = instance.get(null);
        // By a handle as well: a reflective call would parse the method's annotations first, for some ten milliseconds.
        long field = (long) MethodHandles.lookup()
            .findVirtual(type, "objectFieldOffset", MethodType.methodType(long.class, Field.class))
            .bindTo(unsafe).invoke(Buffer.class.getDeclaredField("address"));
        return new Stores(find(unsafe, "putLong", void.class, long.class, long.class),
            find(unsafe, "putInt", void.class, long.class, int.class),
            find(unsafe, "putByte", void.class, long.class, byte.class),
            find(unsafe, "getLong", long.class, Object.class, long.class), field);
      } catch (Throwable e) {
        return null;  // buffers will do
      }
    }

    private static MethodHandle find(Object unsafe, String name, Class<?> returned, Class<?> first, Class<?> second)
        throws ReflectiveOperationException {
      MethodType type = MethodType.methodType(returned, first, second);
      return MethodHandles.lookup().findVirtual(unsafe.getClass(), name, type).bindTo(unsafe);
    }
  }

  private static final Stores STORES = Stores.find();
  private static final boolean RAW = STORES != null;
  private static final MethodHandle PUT_LONG = RAW ? STORES.putLong : null;
  private static final MethodHandle PUT_INT = RAW ? STORES.putInt : null;
  private static final MethodHandle PUT_BYTE = RAW ? STORES.putByte : null;

  /** Keeps what is mapped. */
  final ByteBuffer buffer;
  private final long address;

  Memory(ByteBuffer buffer) {
    this.buffer = buffer;
    try {
      this.address = RAW ? (long) STORES.getLong.invokeExact((Object) buffer, STORES.field) : 0;
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

  private boolean has(int at, int bytes) {
    return at >= 0 && at + bytes <= buffer.limit();
  }
}
