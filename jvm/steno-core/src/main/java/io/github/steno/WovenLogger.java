package io.github.steno;

import io.github.steno.staging.Location;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * A logger whose calls the agent (steno-agent) may replace by statements: each with its place and its format as constants, and
 * its arguments as they are. The agent knows it by this interface's name.
 */
public interface WovenLogger {
  /**
   * The arguments of a call without any. Logging interfaces may print a format differently if there is an empty array.
   */
  Object[] NO_ARGUMENTS = {};

  /** Returns null if its calls must be made unchanged. */
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
   * Returns the target of a call site from now on, for any logger.
   *
   * @param type the type of the call: the logger, a marker if it has one, the format, and arguments, of which the last
   *     may be an array of them or a throwable
   * @param original the call as it stands, for loggers that are of another class than this one
   * @return null: there can be no more statements
   */
  static MethodHandle link(Object logger, MethodType type, MethodHandle original, int level, String format, String file,
      String function, int line) {
    return WovenCalls.link((WovenLogger) logger, type, original, level, format, new Location(file, function, line));
  }
}
