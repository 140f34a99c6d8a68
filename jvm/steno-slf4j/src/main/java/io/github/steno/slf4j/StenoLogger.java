package io.github.steno.slf4j;

import io.github.steno.Channel;
import io.github.steno.Levels;
import io.github.steno.SafeText;
import io.github.steno.Slf4jSyntax;
import io.github.steno.WovenLogger;
import io.github.steno.WovenStatement;
import java.util.List;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LocationAwareLogger;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A logger of SLF4J over a channel. Formats and arguments go into the log as they are; what the log prints is what
 * {@link MessageFormatter} would have made of them. The marker of a plain call is the context field {@code marker} of its
 * record; those of the fluent API stand in the message.
 *
 * <p>A record, for the compiler takes its channel for a constant where the logger is one.
 * Each method tests its own level, so that the compiler knows of each by itself how often it is enabled, and makes no arguments
 * for those that are not.
 *
 * <p>Public, for SLF4J calls {@link #log(LoggingEvent)} by reflection with what was logged before it had its provider, and
 * discards it where it may not. Programs use {@link org.slf4j.Logger}.
 *
 * <p>Thread safety: any thread.
 */
public record StenoLogger(Channel channel) implements LocationAwareLogger, LoggingEventAware, WovenLogger {
  private static final String BOUNDARY = StenoLogger.class.getName();
  private static final Object[] NO_ARGUMENTS = {};
  private static final int[] LEVELS = {Levels.TRACE, Levels.DEBUG, Levels.INFO, Levels.WARN, Levels.ERROR};

  @Override
  public String getName() {
    return channel.name();
  }

  @Override
  public String toString() {
    return "Logger[" + getName() + ']';
  }

  private void write(int level, Marker marker, String message, Throwable thrown) {
    channel.log(level, BOUNDARY, name(marker), message, NO_ARGUMENTS, 0, thrown);
  }

  private void write(int level, Marker marker, String format, Object argument) {
    write(level, BOUNDARY, name(marker), format, new Object[] {argument}, null);
  }

  private void write(int level, Marker marker, String format, Object first, Object second) {
    write(level, BOUNDARY, name(marker), format, new Object[] {first, second}, null);
  }

  private void write(int level, Marker marker, String format, Object[] arguments) {
    write(level, BOUNDARY, name(marker), format, arguments, null);
  }

  /** Markers may be of classes of the program's. */
  private static String name(Marker marker) {
    try {
      return marker == null ? null : marker.getName();
    } catch (Throwable e) {
      return SafeText.failure(e);
    }
  }

  @Override
  public void log(WovenStatement statement, Object marker, Object[] arguments, Throwable thrown) {
    if (arguments == null) arguments = NO_ARGUMENTS;
    int count = arguments.length;
    if (thrown == null && count != 0 && arguments[count - 1] instanceof Throwable last) {
      thrown = last;
      count--;
    }
    channel.log(statement, name((Marker) marker), arguments, count, thrown);
  }

  private void write(int level, String boundary, String marker, String format, Object[] arguments, Throwable thrown) {
    write(level, boundary, marker, format, null, arguments, thrown);
  }

  /** A throwable that comes last is no argument, unless there is one besides. */
  private void write(int level, String boundary, String marker, String format, String[] names, Object[] arguments,
      Throwable thrown) {
    if (arguments == null) arguments = NO_ARGUMENTS;
    int count = arguments.length;
    if (thrown == null && count != 0 && arguments[count - 1] instanceof Throwable last) {
      thrown = last;
      count--;
    }
    channel.log(level, boundary, marker, format, names, arguments, count, thrown);
  }

  @Override
  public LoggingEventBuilder makeLoggingEventBuilder(Level level) {
    return new StenoEventBuilder(this, level);
  }

  /**
   * Logs an event of the fluent API. Markers and key-values stand before the message, as with SLF4J itself; keys are
   * the names of their values.
   */
  @Override
  public void log(LoggingEvent event) {
    int level = level(event.getLevel());
    if (!channel.isEnabled(level)) return;
    String boundary = event.getCallerBoundary();
    if (boundary == null) boundary = BOUNDARY;
    Object[] arguments = event.getArgumentArray();
    if (event.getMarkers() == null && event.getKeyValuePairs() == null) {
      write(level, boundary, null, event.getMessage(), arguments, event.getThrowable());
      return;
    }
    List<Marker> markers = event.getMarkers() == null ? List.of() : event.getMarkers();
    // Here, for a value of a key that comes last is no argument.
    Throwable thrown = event.getThrowable();
    if (thrown == null) thrown = MessageFormatter.getThrowableCandidate(arguments);
    if (thrown != event.getThrowable()) arguments = MessageFormatter.trimmedCopy(arguments);
    Slf4jSyntax.Composed composed = Slf4jSyntax.Composed.of(markers.stream().map(SafeText::of).toList(),
        event.getKeyValuePairs(), event.getMessage(), arguments);
    Object[] all = composed.arguments();
    channel.log(level, boundary, null, composed.format(), composed.names(), all, all.length, thrown);
  }

  /** Bridges and wrappers call it, and name the class that programs call. */
  @Override
  public void log(Marker marker, String boundary, int level, String format, Object[] arguments, Throwable thrown) {
    int ours = LEVELS[Math.min(LEVELS.length - 1, Math.max(0, level / DEBUG_INT))];
    if (channel.isEnabled(ours)) write(ours, boundary == null ? BOUNDARY : boundary, name(marker), format, arguments, thrown);
  }

  private static int level(Level level) {
    return LEVELS[LEVELS.length - 1 - level.ordinal()];
  }

  @Override
  public boolean isTraceEnabled() {
    return channel.isEnabled(Levels.TRACE);
  }

  @Override
  public boolean isTraceEnabled(Marker marker) {
    return channel.isEnabled(Levels.TRACE);
  }

  @Override
  public void trace(String message) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, null, message, (Throwable) null);
  }

  @Override
  public void trace(String format, Object argument) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, null, format, argument);
  }

  @Override
  public void trace(String format, Object first, Object second) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, null, format, first, second);
  }

  @Override
  public void trace(String format, Object... arguments) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, null, format, arguments);
  }

  @Override
  public void trace(String message, Throwable thrown) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, null, message, thrown);
  }

  @Override
  public void trace(Marker marker, String message) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, marker, message, (Throwable) null);
  }

  @Override
  public void trace(Marker marker, String format, Object argument) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, marker, format, argument);
  }

  @Override
  public void trace(Marker marker, String format, Object first, Object second) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, marker, format, first, second);
  }

  @Override
  public void trace(Marker marker, String format, Object... arguments) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, marker, format, arguments);
  }

  @Override
  public void trace(Marker marker, String message, Throwable thrown) {
    if (channel.isEnabled(Levels.TRACE)) write(Levels.TRACE, marker, message, thrown);
  }

  @Override
  public boolean isDebugEnabled() {
    return channel.isEnabled(Levels.DEBUG);
  }

  @Override
  public boolean isDebugEnabled(Marker marker) {
    return channel.isEnabled(Levels.DEBUG);
  }

  @Override
  public void debug(String message) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, null, message, (Throwable) null);
  }

  @Override
  public void debug(String format, Object argument) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, null, format, argument);
  }

  @Override
  public void debug(String format, Object first, Object second) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, null, format, first, second);
  }

  @Override
  public void debug(String format, Object... arguments) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, null, format, arguments);
  }

  @Override
  public void debug(String message, Throwable thrown) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, null, message, thrown);
  }

  @Override
  public void debug(Marker marker, String message) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, marker, message, (Throwable) null);
  }

  @Override
  public void debug(Marker marker, String format, Object argument) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, marker, format, argument);
  }

  @Override
  public void debug(Marker marker, String format, Object first, Object second) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, marker, format, first, second);
  }

  @Override
  public void debug(Marker marker, String format, Object... arguments) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, marker, format, arguments);
  }

  @Override
  public void debug(Marker marker, String message, Throwable thrown) {
    if (channel.isEnabled(Levels.DEBUG)) write(Levels.DEBUG, marker, message, thrown);
  }

  @Override
  public boolean isInfoEnabled() {
    return channel.isEnabled(Levels.INFO);
  }

  @Override
  public boolean isInfoEnabled(Marker marker) {
    return channel.isEnabled(Levels.INFO);
  }

  @Override
  public void info(String message) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, null, message, (Throwable) null);
  }

  @Override
  public void info(String format, Object argument) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, null, format, argument);
  }

  @Override
  public void info(String format, Object first, Object second) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, null, format, first, second);
  }

  @Override
  public void info(String format, Object... arguments) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, null, format, arguments);
  }

  @Override
  public void info(String message, Throwable thrown) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, null, message, thrown);
  }

  @Override
  public void info(Marker marker, String message) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, marker, message, (Throwable) null);
  }

  @Override
  public void info(Marker marker, String format, Object argument) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, marker, format, argument);
  }

  @Override
  public void info(Marker marker, String format, Object first, Object second) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, marker, format, first, second);
  }

  @Override
  public void info(Marker marker, String format, Object... arguments) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, marker, format, arguments);
  }

  @Override
  public void info(Marker marker, String message, Throwable thrown) {
    if (channel.isEnabled(Levels.INFO)) write(Levels.INFO, marker, message, thrown);
  }

  @Override
  public boolean isWarnEnabled() {
    return channel.isEnabled(Levels.WARN);
  }

  @Override
  public boolean isWarnEnabled(Marker marker) {
    return channel.isEnabled(Levels.WARN);
  }

  @Override
  public void warn(String message) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, null, message, (Throwable) null);
  }

  @Override
  public void warn(String format, Object argument) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, null, format, argument);
  }

  @Override
  public void warn(String format, Object first, Object second) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, null, format, first, second);
  }

  @Override
  public void warn(String format, Object... arguments) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, null, format, arguments);
  }

  @Override
  public void warn(String message, Throwable thrown) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, null, message, thrown);
  }

  @Override
  public void warn(Marker marker, String message) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, marker, message, (Throwable) null);
  }

  @Override
  public void warn(Marker marker, String format, Object argument) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, marker, format, argument);
  }

  @Override
  public void warn(Marker marker, String format, Object first, Object second) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, marker, format, first, second);
  }

  @Override
  public void warn(Marker marker, String format, Object... arguments) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, marker, format, arguments);
  }

  @Override
  public void warn(Marker marker, String message, Throwable thrown) {
    if (channel.isEnabled(Levels.WARN)) write(Levels.WARN, marker, message, thrown);
  }

  @Override
  public boolean isErrorEnabled() {
    return channel.isEnabled(Levels.ERROR);
  }

  @Override
  public boolean isErrorEnabled(Marker marker) {
    return channel.isEnabled(Levels.ERROR);
  }

  @Override
  public void error(String message) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, null, message, (Throwable) null);
  }

  @Override
  public void error(String format, Object argument) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, null, format, argument);
  }

  @Override
  public void error(String format, Object first, Object second) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, null, format, first, second);
  }

  @Override
  public void error(String format, Object... arguments) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, null, format, arguments);
  }

  @Override
  public void error(String message, Throwable thrown) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, null, message, thrown);
  }

  @Override
  public void error(Marker marker, String message) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, marker, message, (Throwable) null);
  }

  @Override
  public void error(Marker marker, String format, Object argument) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, marker, format, argument);
  }

  @Override
  public void error(Marker marker, String format, Object first, Object second) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, marker, format, first, second);
  }

  @Override
  public void error(Marker marker, String format, Object... arguments) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, marker, format, arguments);
  }

  @Override
  public void error(Marker marker, String message, Throwable thrown) {
    if (channel.isEnabled(Levels.ERROR)) write(Levels.ERROR, marker, message, thrown);
  }
}
