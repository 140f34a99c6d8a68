package io.github.steno;

/** The machine's counter, by way of the native library, which has been loaded. On JDK 22 and later there is a quicker way. */
final class Counter {
  /** There is nothing to prepare. */
  static void prepare() {}

  static long read() {
    return Native.ticks();
  }

  private Counter() {}
}
