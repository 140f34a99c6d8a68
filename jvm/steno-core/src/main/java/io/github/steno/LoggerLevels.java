package io.github.steno;

import java.util.Set;
import java.util.TreeSet;

/**
 * The levels of loggers in the session of the process, for frameworks that set them (Spring Boot). A rule for a logger is also
 * one for all loggers whose names begin with its name and a dot, unless they have rules of their own. Levels are numbers of
 * {@link Levels}. Rules apply to loggers that exist and to those that are made later. A call takes some microseconds for each
 * logger there is.
 *
 * <p>Thread safety: any thread.
 */
public final class LoggerLevels {
  /** The name that stands for loggers without a rule. */
  public static final String DEFAULT = "";
  /** The value that {@link #rule} returns if there is no rule. */
  public static final int NO_RULE = -1;

  /**
   * Sets the level of a logger and of those below it.
   *
   * @param logger {@link #DEFAULT}: that of all loggers without a rule
   * @param level from {@link Levels#TRACE} to {@link Levels#OFF}
   * @throws IllegalArgumentException if it is no level
   */
  public static void set(String logger, int level) {
    if (level < Levels.TRACE || level > Levels.OFF) throw new IllegalArgumentException("no level: " + level);
    channels().setRule(logger, level);
  }

  /** Forgets the rule for a logger; for {@link #DEFAULT}, takes the level that the configuration of steno names. */
  public static void reset(String logger) {
    channels().resetRule(logger);
  }

  /** The level of a logger, which need not exist. */
  public static int of(String logger) {
    return channels().rules().levelOf(logger);
  }

  /** The level that a rule for this very logger names; {@link #NO_RULE}: there is none. There always is one for {@link #DEFAULT}. */
  public static int rule(String logger) {
    return channels().rules().rule(logger);
  }

  /** The names of all loggers that were made or have a rule, but for {@link #DEFAULT}, in order. */
  public static Set<String> names() {
    Set<String> names = new TreeSet<>(channels().rules().loggers());
    for (Channel channel : channels().all()) names.add(channel.name());
    names.remove(DEFAULT);
    return names;
  }

  private static Channels channels() {
    return Session.ofProcess().channels();
  }

  private LoggerLevels() {}
}
