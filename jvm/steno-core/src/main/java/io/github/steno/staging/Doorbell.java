package io.github.steno.staging;

import static io.github.steno.staging.Layout.INT;
import static io.github.steno.staging.Layout.LONG;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The word by which the processes of a user call those who drain their rings (spec/ring.md §1.4). Java cannot wake who waits for
 * it: calls are counted here, and seen when somebody looks.
 *
 * <p>Thread safety: any thread.
 */
public final class Doorbell {
  private final ByteBuffer page;

  private Doorbell(ByteBuffer page) {
    this.page = page;
  }

  /** Returns null if there can be none. Scribes then find new sessions only when they look now and then. */
  public static Doorbell open(StagingDirectory staging) {
    try {
      return new Doorbell(staging.openDoorbell());
    } catch (IOException e) {
      return null;
    }
  }

  public void call() {
    INT.getAndAddRelease(page, Layout.Doorbell.CALLS, 1);
  }

  /**
   * Calls for a session that may be drained from now on. Who sees that it was counted looks at the directory that is named, or, as
   * long as that is missing, at all.
   */
  public void callForSession(int pid, long nonce) {
    int number = (int) INT.getAndAddRelease(page, Layout.Doorbell.SESSIONS, 1) + 1;
    int slot = Layout.Doorbell.ARRIVALS
        + Integer.remainderUnsigned(number, Layout.Doorbell.ARRIVAL_COUNT) * Layout.Doorbell.ARRIVAL_BYTES;
    LONG.setOpaque(page, slot + Layout.Doorbell.ARRIVAL_NONCE, nonce);
    INT.setOpaque(page, slot + Layout.Doorbell.ARRIVAL_PID, pid);
    INT.setRelease(page, slot + Layout.Doorbell.ARRIVAL_NUMBER, number);
    call();
  }
}
