package io.github.steno.spark;

import java.util.concurrent.ThreadLocalRandom;

/** Gives numbers to whole numbers. It is a table with open addresses. */
final class LongNumbers {
  /** Nobody who writes a log can choose keys that share a place. */
  private final long factor = ThreadLocalRandom.current().nextLong() | 1;
  private long[] keys = new long[64];
  private int[] found = new int[64];  // 0: the place is free; else a number and one
  private int count;

  /** Returns the number of a key; one that is new gets {@code next}. */
  int get(long key, int next) {
    int mask = keys.length - 1;
    int at = place(key);
    while (found[at] != 0) {
      if (keys[at] == key) return found[at] - 1;
      at = at + 1 & mask;
    }
    keys[at] = key;
    found[at] = next + 1;
    if (++count > keys.length / 2) grow();
    return next;
  }

  /** All bits of a key are in the highest ones of the product. */
  private int place(long key) {
    return (int) (key * factor >>> 1 + Long.numberOfLeadingZeros(keys.length));
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldFound = found;
    keys = new long[2 * oldKeys.length];
    found = new int[2 * oldKeys.length];
    int mask = keys.length - 1;
    for (int i = 0; i < oldKeys.length; ++i) {
      if (oldFound[i] == 0) continue;
      int at = place(oldKeys[i]);
      while (found[at] != 0) at = at + 1 & mask;
      keys[at] = oldKeys[i];
      found[at] = oldFound[i];
    }
  }
}
