package io.github.steno;

import io.github.steno.staging.Location;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * A logger whose calls the agent (steno-agent) may replace by statements: each with its place and its format as constants, and
 * its arguments as they are. The agent knows it by this interface's name.
 */
public interface WovenLogger {
  /** Of a call without arguments. Interfaces may print a format otherwise where there is an array without elements. */
  Object[] NO_ARGUMENTS = {};

  /** null: its calls are to be made as they stand. */
  Channel channel();

  /**
   * Logs what a call would have logged, with an enabled level. Does not throw.
   *
   * @param marker of the logging interface; null: none
   * @param arguments as the call has them, or would have them in an array; {@link #NO_ARGUMENTS}: it has none, and no array
   * @param thrown that of a call that has one and no arguments; null: none
   */
  void log(WovenStatement statement, Object marker, Object[] arguments, Throwable thrown);

  /**
   * What a call site is to do from now on, whatever logger it has.
   *
   * @param type of the call: the logger, a marker if it has one, the format, arguments, where an array of them or a throwable
   *     may be the last
   * @param original the call as it stands, for loggers that are of another class than this one
   * @return null: there can be no more statements
   */
  static MethodHandle link(Object logger, MethodType type, MethodHandle original, int level, String format, String file,
      String function, int line) {
    return WovenCalls.link((WovenLogger) logger, type, original, level, format, new Location(file, function, line));
  }
}
