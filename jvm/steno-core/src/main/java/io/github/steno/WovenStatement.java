package io.github.steno;

import java.lang.ref.WeakReference;

/** A statement of a call site that the agent wove, of whatever loggers that has. Any thread. */
public final class WovenStatement {
  private static final WeakReference<Recorder> NONE = new WeakReference<>(null);

  final Session session;
  final Statement statement;
  /** Its arguments are all printed, so that none of them can be an exception to be set apart, unless it is one. */
  final boolean isPlain;
  /**
   * Of a thread that makes this call, often the only one: to find it here takes no chain of loads, each of which waits for the one
   * before, as a thread's own does. Races are harmless: it is used by its thread alone.
   * Weak: a statement lasts, threads and what they log into end.
   */
  private WeakReference<Recorder> usual = NONE;

  WovenStatement(Session session, Statement statement, boolean isPlain) {
    this.session = session;
    this.statement = statement;
    this.isPlain = isPlain;
  }

  /** The calling thread's. */
  Recorder recorder() {
    Recorder known = usual.get();
    return known != null && known.isOfThread() ? known : findRecorder();
  }

  private Recorder findRecorder() {
    Recorder found = Recorder.ofThread();
    if (found.isToBeUsual() || usual.refersTo(null)) usual = found.weak();
    return found;
  }

  /** Package-private: for tests. */
  WeakReference<Recorder> usual() {
    return usual;
  }

  public String format() {
    return statement.format;
  }
}
