package io.github.steno;

import io.github.steno.ring.Ring;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.ReentrantLock;

/** Who writes into a ring: one thread while it lives, or many by turns. */
final class RingLease {
  private static final int SPINS = 100;

  final Ring ring;
  /** For those that take turns; null: one thread's. */
  final ReentrantLock lock;
  /** Who said last that the records are his. */
  Recorder writer;
  private WeakReference<Thread> owner;

  RingLease(Ring ring, boolean shared) {
    this.ring = ring;
    this.lock = shared ? new ReentrantLock() : null;
  }

  /** Not at once where another thread has it, but soon: a virtual thread that is parked takes longer than a record. */
  void lock() {
    for (int spins = 0; !lock.tryLock(); spins++) {
      if (spins == SPINS) {
        lock.lock();
        return;
      }
      Thread.onSpinWait();
    }
  }

  boolean isShared() {
    return lock != null;
  }

  void take(Thread thread) {
    owner = new WeakReference<>(thread);
    writer = null;
  }

  /** Whether its thread has ended: all that it wrote is seen by whoever takes the ring then. */
  boolean isLeft() {
    Thread thread = owner.get();
    return thread == null || !thread.isAlive();
  }
}
