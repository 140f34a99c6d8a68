package io.github.steno;

import io.github.steno.ring.Ring;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.ReentrantLock;

/** A ring's right to be written: one thread has it while it lives, or many threads take turns. */
final class RingLease {
  private static final int SPINS = 100;

  final Ring ring;
  /** The lock of those that take turns; null: one thread has the ring. */
  final ReentrantLock lock;
  /** The recorder whose thread record was written last. */
  Recorder writer;
  private WeakReference<Thread> owner;

  RingLease(Ring ring, boolean shared) {
    this.ring = ring;
    this.lock = shared ? new ReentrantLock() : null;
  }

  /** Waits actively at first: parking a virtual thread takes longer than a record. */
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

  /** Returns whether the thread has ended. Whoever takes the ring then sees all that the thread wrote. */
  boolean isLeft() {
    Thread thread = owner.get();
    return thread == null || !thread.isAlive();
  }
}
