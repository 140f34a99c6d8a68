package io.github.steno.scribe;

/** Drains a session that nobody else drains. */
public interface Scribe {
  /**
   * Starts draining, unless it does already or was started a moment ago. Failures are reported. One thread at a time.
   */
  void start();

  /** Returns whether it ended with an error, which was reported. Any thread. */
  boolean hasFailed();

  /** Makes it look at once, if it can be called. Any thread. */
  default void wake() {}

  /** Releases all resources. It is called after the session's end is on file, or was given up. */
  default void end() {}
}
