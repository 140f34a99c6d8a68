package io.github.steno.logback;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.github.steno.Channel;
import io.github.steno.Context;
import io.github.steno.Levels;
import io.github.steno.SafeText;
import io.github.steno.Session;
import io.github.steno.Slf4jSyntax;
import java.util.List;
import java.util.StringJoiner;
import org.slf4j.Marker;

/**
 * An appender of Logback that logs into the session of the process: {@code <appender name="STENO"
 * class="io.github.steno.logback.StenoAppender"/>}. Which events come here is for Logback's configuration to say; the levels
 * of steno are not asked. Formats and arguments go into the log as they are, the MDC as context.
 *
 * <p>It is to be called by the threads that log, not behind an {@code AsyncAppender}: threads, and the places of calls, would
 * be those of its worker.
 */
public final class StenoAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private static final String BOUNDARY = Logger.class.getName();
  private static final Slf4jSyntax SYNTAX = new Slf4jSyntax(new LogbackTraces());
  private static final Object[] NO_ARGUMENTS = {};

  @Override
  protected void append(ILoggingEvent event) {
    Channel channel = Session.ofProcess().channel(event.getLoggerName(), SYNTAX);
    Context.follow(event.getMDCPropertyMap());
    String format = event.getMessage();
    String[] names = null;
    Object[] arguments = event.getArgumentArray();
    if (event.getKeyValuePairs() != null) {
      Slf4jSyntax.Composed composed = Slf4jSyntax.Composed.of(List.of(), event.getKeyValuePairs(), format, arguments);
      format = composed.format();
      names = composed.names();
      arguments = composed.arguments();
    }
    if (arguments == null) arguments = NO_ARGUMENTS;
    channel.log(level(event.getLevel()), BOUNDARY, marker(event), format, names, arguments, arguments.length, thrown(event));
  }

  /** The names of all, with spaces between; null: there are none. */
  private static String marker(ILoggingEvent event) {
    List<Marker> markers = event.getMarkerList();
    if (markers == null || markers.isEmpty()) return null;
    try {
      if (markers.size() == 1) return markers.get(0).getName();
      StringJoiner names = new StringJoiner(" ");
      for (Marker marker : markers) names.add(marker.getName());
      return names.toString();
    } catch (Throwable e) {
      return SafeText.failure(e);  // markers may be of classes of the program's
    }
  }

  private static Throwable thrown(ILoggingEvent event) {
    IThrowableProxy proxy = event.getThrowableProxy();
    if (proxy == null) return null;
    return proxy instanceof ThrowableProxy own ? own.getThrowable() : new LogbackTraces.Elsewhere(proxy);
  }

  private static int level(Level level) {
    return switch (level.toInt()) {
      case Level.TRACE_INT -> Levels.TRACE;
      case Level.DEBUG_INT -> Levels.DEBUG;
      case Level.INFO_INT -> Levels.INFO;
      case Level.WARN_INT -> Levels.WARN;
      default -> Levels.ERROR;
    };
  }
}
