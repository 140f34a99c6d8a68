package io.github.steno;

import io.github.steno.ring.Ring;
import java.lang.ref.WeakReference;

/**
 * The state of a thread that its quick calls need. It belongs to one thread, and is itself the weak reference to that
 * thread, which saves a load. It holds little, because statements keep it after the thread's end.
 */
final class Producer extends WeakReference<Thread> {
  /** A power of two. */
  private static final int CALLS_TO_BE_USUAL = 256;

  /** The session that the thread logged into last. */
  Session session;
  /**
   * The thread's own quick ring, if its next record needs no thread or context record before it; null: that has to be
   * checked.
   */
  Ring ready;
  /** The thread's name when it was recorded last. */
  String name;
  /**
   * The number of calls of statements that had another thread's producer at hand. It begins with 1, so that a thread's
   * first calls take no statement.
   */
  private int strangers = 1;

  Producer(Thread thread) {
    super(thread);
  }

  /** Returns whether it belongs to the calling thread. Any thread may ask. */
  boolean isOfThread() {
    return refersTo(Thread.currentThread());
  }

  /**
   * Returns true now and then, so that threads that make the same calls do not take a statement from each other each
   * time.
   */
  boolean isToBeUsual() {
    return (strangers++ & CALLS_TO_BE_USUAL - 1) == 0;
  }

  boolean hasItsName() {
    return name == Thread.currentThread().getName();
  }

  /** Returns whether a record in {@link #ready} needs no other record before it. */
  boolean isReadyFor(Session to) {
    return ready != null && session == to && to.isOpen() && hasItsName();
  }
}
