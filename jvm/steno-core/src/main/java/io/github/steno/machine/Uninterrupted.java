package io.github.steno.machine;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Work on file channels in the user's threads. A channel closes when its thread is interrupted, or was before, so the
 * interruption is put aside meanwhile: the work may be done more than once, and the thread is interrupted afterwards as
 * it was.
 */
public final class Uninterrupted {
  /** A class for each, here and wherever else the first record comes by: the first lambdas cost a JVM milliseconds of its start. */
  public interface Work<T> {
    T run() throws IOException;
  }

  public static <T> T run(Work<T> work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return work.run();
        } catch (ClosedByInterruptException e) {
          Thread.interrupted();
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  private Uninterrupted() {}
}
