package io.github.steno.machine;

/** The machine's counter, by way of the native library, which has been loaded. On JDK 22 and later there is a quicker way. */
public final class Counter {
  /** There is nothing to prepare. */
  public static void prepare() {}

  public static long read() {
    return Native.ticks();
  }

  private Counter() {}
}
