package io.github.steno.scribe;

/** Who drains a session that nobody else drains. */
public interface Scribe {
  /** Begins to, unless it does, or was begun a moment ago. What goes wrong is told. One thread at a time. */
  void start();

  /** Whether it ended with an error, which was told. Any thread. */
  boolean hasFailed();

  /** Has it look at once, if it can be told. Any thread. */
  default void wake() {}

  /** After the session's end is on file, or not: it lets go of all. */
  default void end() {}
}
