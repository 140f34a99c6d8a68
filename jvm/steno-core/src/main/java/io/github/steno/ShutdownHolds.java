package io.github.steno;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** Counts code that still logs while the JVM shuts down: the end of the session waits for it. Any thread. */
final class ShutdownHolds {
  private static final long PATIENCE_NS = 120_000_000_000L;
  private static final long LOOK_GAP_MS = 5;

  private final List<BooleanSupplier> all = new CopyOnWriteArrayList<>();

  void add(BooleanSupplier logs) {
    all.add(logs);
  }

  /** Waits until nobody logs any more, or for two minutes. An interrupt ends the wait, and stays. */
  void await() {
    long begin = System.nanoTime();
    try {
      while (isHeld() && System.nanoTime() - begin < PATIENCE_NS) Thread.sleep(LOOK_GAP_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isHeld() {
    for (BooleanSupplier logs : all) {
      if (logs.getAsBoolean()) return true;
    }
    return false;
  }
}
