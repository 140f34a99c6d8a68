package io.github.steno;

/** A statement of a call site that the agent wove, of whatever loggers that has. Any thread. */
public final class WovenStatement {
  final Session session;
  final Statement statement;
  /** Its arguments are all printed, so that none of them can be an exception to be set apart, unless it is one. */
  final boolean isPlain;

  WovenStatement(Session session, Statement statement, boolean isPlain) {
    this.session = session;
    this.statement = statement;
    this.isPlain = isPlain;
  }

  public String format() {
    return statement.format;
  }
}
