package io.github.steno;

import io.github.steno.machine.Notices;
import io.github.steno.machine.Threads;

/** The chores of a session, every 100 ms in a thread of its own: it obeys requests, follows clock and levels, and watches for a scribe. */
final class Housekeeping implements Runnable {
  private static final long GAP_MS = 100;
  private static final long END_MS = 5000;
  private static final long LONGEST_ALONE_NS = 1_000_000_000;

  private final Session session;
  /** Guarded by this; null: it has not begun. */
  private Thread thread;
  private boolean hasFailed;

  Housekeeping(Session session) {
    this.session = session;
  }

  synchronized void start() {
    thread = Threads.make(this, "steno-housekeeping");
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits until it has ended, at most five seconds. */
  void end() {
    Thread begun;
    synchronized (this) {
      begun = thread;
    }
    if (begun == null) return;
    begun.interrupt();
    try {
      begun.join(END_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    Control control = new Control(session);
    long served = System.nanoTime();
    boolean prepared = false;
    while (session.isOpen()) {
      try {
        Thread.sleep(GAP_MS);
        if (!prepared) {
          session.prepare();
          OwnClasses.loadIfNeeded();
        }
        prepared = true;
        session.follow();
        control.obey();
        if (!session.watch().hasScribe()) continue;
        long now = System.nanoTime();
        if (session.isServed()) {
          served = now;
        } else if (now - served > LONGEST_ALONE_NS) {
          session.watch().start();
        }
      } catch (InterruptedException e) {
        return;
      } catch (OutOfMemoryError e) {
        // The next time there may be some.
      } catch (Throwable e) {
        complain(e);
      }
    }
  }

  /** Once. Does not throw: what failed may be the program's stderr. */
  private void complain(Throwable cause) {
    if (hasFailed) return;
    hasFailed = true;
    try {
      Notices.say("a round of housekeeping failed; others follow: " + cause);
    } catch (Throwable e) {
      // There is no memory left for a notice.
    }
  }
}
