package io.github.steno;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** Room for arguments that virtual threads use by turns, for most of them log little. Any thread. */
final class ArgumentsPool {
  /** A power of two. */
  private static final int SLOTS = 32;
  private static final int LOOKS = 4;
  private static final AtomicReferenceArray<Arguments> FREE = new AtomicReferenceArray<>(SLOTS);

  static Arguments take() {
    int begin = (int) Thread.currentThread().getId();
    for (int i = 0; i < LOOKS; i++) {
      int slot = begin + i & SLOTS - 1;
      if (FREE.getPlain(slot) == null) continue;
      Arguments free = FREE.getAndSet(slot, null);
      if (free != null) return free;
    }
    return new Arguments();
  }

  /** Keeps it, where there is a place. It is not in use. */
  static void give(Arguments free) {
    int begin = (int) Thread.currentThread().getId();
    for (int i = 0; i < LOOKS; i++) {
      int slot = begin + i & SLOTS - 1;
      if (FREE.getPlain(slot) == null && FREE.compareAndSet(slot, null, free)) return;
    }
  }

  private ArgumentsPool() {}
}
