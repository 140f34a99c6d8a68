package io.github.steno;

/** A statement of a call site that the agent wove, of whatever loggers that has. Any thread. */
public sealed interface WovenStatement permits WovenSite {
  String format();
}
