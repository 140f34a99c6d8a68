package io.github.steno.scribe;

import static io.github.steno.staging.Layout.INT;

import io.github.steno.machine.Notices;
import io.github.steno.staging.Layout.SessionFile;
import io.github.steno.staging.StagingDirectory;
import java.io.IOException;

/**
 * Watches whether a scribe drains a session. If none does, it starts the session's own scribe, if there is one. Any
 * thread.
 */
public final class ScribeWatch {
  private static final long LOOK_GAP_NS = 10_000_000;
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final long GRACE_NS = 100_000_000;
  /** A process takes its time to come up. */
  private static final long GRACE_FOR_OURS_NS = 5_000_000_000L;

  /** {@code steno.block_at_most}, in ms. */
  private final long blockAtMost;
  private final StagingDirectory staging;
  /** Null if somebody else has to start a scribe. */
  private final Scribe scribe;
  /** Guarded by this. */
  private boolean ending;
  private volatile long absentSince;
  private volatile boolean gaveUp;
  private long lastLook;

  public ScribeWatch(long blockAtMost, StagingDirectory staging, Scribe scribe) {
    this.blockAtMost = blockAtMost;
    this.staging = staging;
    this.scribe = scribe;
  }

  /** Returns whether the session has a scribe of its own to start. */
  public boolean hasScribe() {
    return scribe != null;
  }

  public synchronized void startIfAbsent() throws IOException {
    if (scribe != null && !isServed() && !staging.isAttended()) scribe.start();
  }

  /** Starts the scribe even if there is one for other logs. Does nothing once the session ends. */
  public synchronized void start() {
    if (!ending) scribe.start();
  }

  public synchronized void sessionEnds() {
    ending = true;
  }

  /** Returns whether nobody has drained for {@code steno.block_at_most}. Looks every 10 ms, not oftener. */
  public boolean hasGivenUp() {
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
    if (gaveUp || now - absentSince < blockAtMost * 1_000_000) return;
    gaveUp = true;
    Notices.say("no scribe has drained the rings for " + blockAtMost
        + " ms (steno.block_at_most): full rings drop and count records until one does ('steno scribe')");
  }

  /** Returns whether a scribe drains the session and can write. */
  public boolean isServed() {
    try {
      return staging.isDrained() && (int) INT.getOpaque(staging.session, SessionFile.REFUSES) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until the session's end is on file. Returns whether it is; not if nobody drains, or for too long. */
  public boolean waitForEnd() throws IOException {
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
