package io.github.steno.machine;

import java.time.Instant;

/**
 * Nanoseconds since the epoch at the cost of {@link System#nanoTime()}: that, plus what the wall clock is ahead of it.
 * The difference is measured anew now and then, so a clock that is slewed or stepped is followed within that time.
 */
public final class WallClock {
  /** A larger difference is caused neither by our error nor by a clock that is slewed. */
  public static final long LARGEST_CORRECTION_NS = 1_000_000_000;
  private static final long LEAST_WALL = 1_000_000_000_000_000_000L;
  private static final long EARLY_TIME = Long.MIN_VALUE;
  private static final int SAMPLES = 20;
  private static final long NOISE_NS = 500;

  private static volatile long offset = measure();

  /** Any thread. */
  public static long now() {
    return System.nanoTime() + offset;
  }

  /** {@link #now()} as the clock of a record: a small one is marked, for it would be taken for a counter's (ring.md §4.1). */
  public static long stamp() {
    return stampOf(now());
  }

  static long stampOf(long now) {
    if (now >= LEAST_WALL) return now;
    return Math.max(now, 0) | EARLY_TIME;
  }

  /** The time of a record's clock, without the mark. */
  public static long timeOf(long stamp) {
    return stamp & ~EARLY_TIME;
  }

  /** One thread at a time. */
  public static void follow() {
    long measured = measure();
    if (Math.abs(measured - offset) > NOISE_NS) offset = measured;
  }

  /** The difference by the quickest of some pairs of readings. */
  private static long measure() {
    long quickest = Long.MAX_VALUE;
    long difference = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long before = System.nanoTime();
      Instant wall = Instant.now();
      long took = System.nanoTime() - before;
      if (took >= quickest) continue;
      quickest = took;
      difference = wall.getEpochSecond() * 1_000_000_000L + wall.getNano() - (before + took / 2);
    }
    return difference;
  }

  private WallClock() {}
}
