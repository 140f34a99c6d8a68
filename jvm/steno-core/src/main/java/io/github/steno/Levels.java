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

  private static final String[] NAMES = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL", "OFF"};

  static String name(int level) {
    return NAMES[level];
  }

  /** The level of a name in any case, of one of the usual other names, or of a number; -1: it is none. */
  static int parse(String name) {
    return switch (name.trim().toLowerCase(Locale.ROOT)) {
      case "trace", "verbose", "all", "0" -> TRACE;
      case "debug", "1" -> DEBUG;
      case "info", "information", "informational", "2" -> INFO;
      case "notice", "3" -> NOTICE;
      case "warn", "warning", "4" -> WARN;
      case "err", "error", "5" -> ERROR;
      case "crit", "critical", "fatal", "alert", "emerg", "emergency", "panic", "6" -> CRITICAL;
      case "off", "none", "quiet", "silent", "disabled", "7" -> OFF;
      default -> -1;
    };
  }

  private Levels() {}
}
