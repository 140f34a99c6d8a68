package io.github.steno.slf4j;

import io.github.steno.Channel;
import io.github.steno.Levels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/**
 * A logger of SLF4J over a channel. Formats and arguments go into the log as they are; what the log prints is what
 * {@link MessageFormatter} would have made of them. Markers of plain calls are not recorded; those of the fluent API are.
 *
 * <p>Thread safety: any thread.
 */
final class StenoLogger implements Logger, LoggingEventAware {
  private static final String BOUNDARY = StenoLogger.class.getName();
  private static final int[] LEVELS = {Levels.TRACE, Levels.DEBUG, Levels.INFO, Levels.WARN, Levels.ERROR};

  private final Channel channel;

  StenoLogger(Channel channel) {
    this.channel = channel;
  }

  @Override
  public String getName() {
    return channel.name();
  }

  private void write(int level, String message, Throwable thrown) {
    if (channel.isEnabled(level)) channel.log(level, BOUNDARY, message, thrown);
  }

  private void write(int level, String format, Object argument) {
    if (!channel.isEnabled(level)) return;
    if (argument instanceof Throwable thrown) {
      channel.log(level, BOUNDARY, format, thrown);
    } else {
      channel.log(level, BOUNDARY, format, argument, null);
    }
  }

  private void write(int level, String format, Object first, Object second) {
    if (!channel.isEnabled(level)) return;
    if (second instanceof Throwable thrown) {
      channel.log(level, BOUNDARY, format, first, thrown);
    } else {
      channel.log(level, BOUNDARY, format, first, second, null);
    }
  }

  private void write(int level, String format, Object[] arguments) {
    if (channel.isEnabled(level)) write(level, BOUNDARY, format, arguments, null);
  }

  /** A throwable that comes last is no argument, unless there is one besides. */
  private void write(int level, String boundary, String format, Object[] arguments, Throwable thrown) {
    if (arguments == null) {
      channel.log(level, boundary, format, thrown);
      return;
    }
    int count = arguments.length;
    if (thrown == null && count != 0 && arguments[count - 1] instanceof Throwable last) {
      thrown = last;
      count--;
    }
    channel.log(level, boundary, format, arguments, count, thrown);
  }

  /** Of the fluent API: markers and key-values stand before the message, as SLF4J itself would put them there. */
  @Override
  public void log(LoggingEvent event) {
    int level = level(event.getLevel());
    if (!channel.isEnabled(level)) return;
    String boundary = event.getCallerBoundary();
    if (boundary == null) boundary = BOUNDARY;
    Object[] arguments = event.getArgumentArray();
    if (event.getMarkers() == null && event.getKeyValuePairs() == null) {
      write(level, boundary, event.getMessage(), arguments, event.getThrowable());
      return;
    }
    StringBuilder format = new StringBuilder();
    List<Object> all = new ArrayList<>();
    if (event.getMarkers() != null) {
      for (Marker marker : event.getMarkers()) {
        format.append("{} ");
        all.add(marker.toString());
      }
    }
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        boolean plain = pair.key != null && pair.key.indexOf('{') < 0;
        format.append(plain ? pair.key : "{}").append("={} ");
        if (!plain) all.add(pair.key);
        all.add(pair.value);
      }
    }
    format.append(event.getMessage());
    if (arguments != null) all.addAll(Arrays.asList(arguments));
    write(level, boundary, format.toString(), all.toArray(), event.getThrowable());
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
    write(Levels.TRACE, message, (Throwable) null);
  }

  @Override
  public void trace(String format, Object argument) {
    write(Levels.TRACE, format, argument);
  }

  @Override
  public void trace(String format, Object first, Object second) {
    write(Levels.TRACE, format, first, second);
  }

  @Override
  public void trace(String format, Object... arguments) {
    write(Levels.TRACE, format, arguments);
  }

  @Override
  public void trace(String message, Throwable thrown) {
    write(Levels.TRACE, message, thrown);
  }

  @Override
  public void trace(Marker marker, String message) {
    write(Levels.TRACE, message, (Throwable) null);
  }

  @Override
  public void trace(Marker marker, String format, Object argument) {
    write(Levels.TRACE, format, argument);
  }

  @Override
  public void trace(Marker marker, String format, Object first, Object second) {
    write(Levels.TRACE, format, first, second);
  }

  @Override
  public void trace(Marker marker, String format, Object... arguments) {
    write(Levels.TRACE, format, arguments);
  }

  @Override
  public void trace(Marker marker, String message, Throwable thrown) {
    write(Levels.TRACE, message, thrown);
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
    write(Levels.DEBUG, message, (Throwable) null);
  }

  @Override
  public void debug(String format, Object argument) {
    write(Levels.DEBUG, format, argument);
  }

  @Override
  public void debug(String format, Object first, Object second) {
    write(Levels.DEBUG, format, first, second);
  }

  @Override
  public void debug(String format, Object... arguments) {
    write(Levels.DEBUG, format, arguments);
  }

  @Override
  public void debug(String message, Throwable thrown) {
    write(Levels.DEBUG, message, thrown);
  }

  @Override
  public void debug(Marker marker, String message) {
    write(Levels.DEBUG, message, (Throwable) null);
  }

  @Override
  public void debug(Marker marker, String format, Object argument) {
    write(Levels.DEBUG, format, argument);
  }

  @Override
  public void debug(Marker marker, String format, Object first, Object second) {
    write(Levels.DEBUG, format, first, second);
  }

  @Override
  public void debug(Marker marker, String format, Object... arguments) {
    write(Levels.DEBUG, format, arguments);
  }

  @Override
  public void debug(Marker marker, String message, Throwable thrown) {
    write(Levels.DEBUG, message, thrown);
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
    write(Levels.INFO, message, (Throwable) null);
  }

  @Override
  public void info(String format, Object argument) {
    write(Levels.INFO, format, argument);
  }

  @Override
  public void info(String format, Object first, Object second) {
    write(Levels.INFO, format, first, second);
  }

  @Override
  public void info(String format, Object... arguments) {
    write(Levels.INFO, format, arguments);
  }

  @Override
  public void info(String message, Throwable thrown) {
    write(Levels.INFO, message, thrown);
  }

  @Override
  public void info(Marker marker, String message) {
    write(Levels.INFO, message, (Throwable) null);
  }

  @Override
  public void info(Marker marker, String format, Object argument) {
    write(Levels.INFO, format, argument);
  }

  @Override
  public void info(Marker marker, String format, Object first, Object second) {
    write(Levels.INFO, format, first, second);
  }

  @Override
  public void info(Marker marker, String format, Object... arguments) {
    write(Levels.INFO, format, arguments);
  }

  @Override
  public void info(Marker marker, String message, Throwable thrown) {
    write(Levels.INFO, message, thrown);
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
    write(Levels.WARN, message, (Throwable) null);
  }

  @Override
  public void warn(String format, Object argument) {
    write(Levels.WARN, format, argument);
  }

  @Override
  public void warn(String format, Object first, Object second) {
    write(Levels.WARN, format, first, second);
  }

  @Override
  public void warn(String format, Object... arguments) {
    write(Levels.WARN, format, arguments);
  }

  @Override
  public void warn(String message, Throwable thrown) {
    write(Levels.WARN, message, thrown);
  }

  @Override
  public void warn(Marker marker, String message) {
    write(Levels.WARN, message, (Throwable) null);
  }

  @Override
  public void warn(Marker marker, String format, Object argument) {
    write(Levels.WARN, format, argument);
  }

  @Override
  public void warn(Marker marker, String format, Object first, Object second) {
    write(Levels.WARN, format, first, second);
  }

  @Override
  public void warn(Marker marker, String format, Object... arguments) {
    write(Levels.WARN, format, arguments);
  }

  @Override
  public void warn(Marker marker, String message, Throwable thrown) {
    write(Levels.WARN, message, thrown);
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
    write(Levels.ERROR, message, (Throwable) null);
  }

  @Override
  public void error(String format, Object argument) {
    write(Levels.ERROR, format, argument);
  }

  @Override
  public void error(String format, Object first, Object second) {
    write(Levels.ERROR, format, first, second);
  }

  @Override
  public void error(String format, Object... arguments) {
    write(Levels.ERROR, format, arguments);
  }

  @Override
  public void error(String message, Throwable thrown) {
    write(Levels.ERROR, message, thrown);
  }

  @Override
  public void error(Marker marker, String message) {
    write(Levels.ERROR, message, (Throwable) null);
  }

  @Override
  public void error(Marker marker, String format, Object argument) {
    write(Levels.ERROR, format, argument);
  }

  @Override
  public void error(Marker marker, String format, Object first, Object second) {
    write(Levels.ERROR, format, first, second);
  }

  @Override
  public void error(Marker marker, String format, Object... arguments) {
    write(Levels.ERROR, format, arguments);
  }

  @Override
  public void error(Marker marker, String message, Throwable thrown) {
    write(Levels.ERROR, message, thrown);
  }
}
