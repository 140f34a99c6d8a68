package io.github.steno;

import java.util.Locale;

/** Levels as the log knows them (spec/file.md §5). */
public final class Levels {
  public static final int TRACE = 0;
  public static final int DEBUG = 1;
  public static final int INFO = 2;
  public static final int NOTICE = 3;
  public static final int WARN = 4;
  public static final int ERROR = 5;
  public static final int CRITICAL = 6;
  /** A threshold that nothing passes. */
  public static final int OFF = 7;
  static final int COUNT = 7;

  private static final String[] NAMES = {"trace", "debug", "info", "notice", "warn", "error", "critical", "off"};

  /** The level of a name in any case, or -1. */
  static int parse(String name) {
    String wanted = name.trim().toLowerCase(Locale.ROOT);
    if (wanted.equals("warning")) return WARN;
    for (int level = 0; level < NAMES.length; level++) {
      if (NAMES[level].equals(wanted)) return level;
    }
    return -1;
  }

  private Levels() {}
}
