package io.github.steno;

import io.github.steno.ring.Ring;
import java.lang.ref.WeakReference;

/**
 * What a thread's quick calls need of it. One thread's, to which it is the weak reference itself: whose it is takes a load fewer. It
 * holds little, for statements keep it beyond the thread's end.
 */
final class Producer extends WeakReference<Thread> {
  /** A power of two. */
  private static final int CALLS_TO_BE_USUAL = 256;

  /** What it logged into last. */
  Session session;
  /** The thread's own quick ring, whose records are known to be the thread's and of its context; null: that is to be looked at. */
  Ring ready;
  /** The thread's when it was said last. */
  String name;
  /** Calls of statements that had another thread's at hand; from 1 on, as a thread's first calls are to take nothing. */
  private int strangers = 1;

  Producer(Thread thread) {
    super(thread);
  }

  /** Whether it is this thread's, which any thread may ask. */
  boolean isOfThread() {
    return refersTo(Thread.currentThread());
  }

  /** Now and then: many threads that make the same calls are not to take a statement from each other each time. */
  boolean isToBeUsual() {
    return (strangers++ & CALLS_TO_BE_USUAL - 1) == 0;
  }

  boolean hasItsName() {
    return name == Thread.currentThread().getName();
  }

  /** Whether nothing is to be said before a record in {@link #ready}. */
  boolean isReadyFor(Session to) {
    return ready != null && session == to && to.isOpen() && hasItsName();
  }
}
