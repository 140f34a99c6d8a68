package io.github.steno;

import static io.github.steno.Layout.INT;

import io.github.steno.Layout.SessionFile;
import java.io.IOException;

/** Whether somebody drains a session; where nobody does, its own scribe is started, if it has one. Any thread. */
final class ScribeWatch {
  private static final long LOOK_GAP_NS = 10_000_000;
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final long GRACE_NS = 100_000_000;
  /** A process takes its time to come up. */
  private static final long GRACE_FOR_OURS_NS = 5_000_000_000L;

  private final Config config;
  private final StagingDirectory staging;
  /** null: it is somebody else's to start one. */
  private final Scribe scribe;
  /** Guarded by this. */
  private boolean ending;
  private volatile long absentSince;
  private volatile boolean gaveUp;
  private long lastLook;

  ScribeWatch(Config config, StagingDirectory staging, Scribe scribe) {
    this.config = config;
    this.staging = staging;
    this.scribe = scribe;
  }

  /** Whether the session has one of its own to start. */
  boolean hasScribe() {
    return scribe != null;
  }

  synchronized void startIfAbsent() throws IOException {
    if (scribe != null && !isServed() && !staging.isAttended()) scribe.start();
  }

  /** Though there may be one for other logs. Nothing once the session ends. */
  synchronized void start() {
    if (!ending) scribe.start();
  }

  synchronized void sessionEnds() {
    ending = true;
  }

  /** Whether nobody has drained for {@code steno.block_at_most}. Looks every 10 ms, not oftener. */
  boolean hasGivenUp() {
    look();
    return gaveUp;
  }

  private synchronized void look() {
    long now = System.nanoTime();
    if (now - lastLook < LOOK_GAP_NS) return;
    lastLook = now;
    if (isServed()) {
      if (gaveUp) Notices.say("a scribe drains the rings again");
      absentSince = 0;
      gaveUp = false;
      return;
    }
    if (absentSince == 0) absentSince = now;
    if (gaveUp || now - absentSince < config.blockAtMost * 1_000_000) return;
    gaveUp = true;
    Notices.say("no scribe has drained the rings for " + config.blockAtMost
        + " ms (steno.block_at_most): full rings drop and count records until one does ('steno scribe')");
  }

  /** Whether somebody drains, and can write. */
  boolean isServed() {
    try {
      return staging.isDrained() && (int) INT.getOpaque(staging.session, SessionFile.REFUSES) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until the session's end is on file. Returns whether it is; not if nobody drains, or for too long. */
  boolean waitForEnd() throws IOException {
    startIfAbsent();
    long begin = System.nanoTime();
    long served = begin;
    while ((int) INT.getAcquire(staging.session, SessionFile.STATE) != SessionFile.STATE_ENDED) {
      long now = System.nanoTime();
      long grace = scribe == null || scribe.hasFailed() ? GRACE_NS : GRACE_FOR_OURS_NS;
      if (isServed() || staging.isAttended()) served = now;
      if (now - served > grace || now - begin > PATIENCE_NS) return false;
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
