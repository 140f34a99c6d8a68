package io.github.steno.calls;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventBuilder;

/** Calls of SLF4J, by Logback and by the provider of steno. */
final class Slf4jCalls {
  private static final Set<String> NAMES = Set.of("trace", "debug", "info", "warn", "error");

  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    List<Method> methods = methods();
    LoggerContext logback = new LoggerContext();
    logback.setMDCAdapter(new LogbackMDCAdapter());
    logback.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.TRACE);
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      capture(logback, comparison, Slf4jCalls::trace);
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        comparison.changeContext(values, MDC::put, MDC::remove, MDC::clear);
        String name = "com.acme." + i % 20;
        Logger logger = LoggerFactory.getLogger(name);
        if (values.below(10) == 0) {
          fluent(logger, values, comparison);
        } else {
          RandomCall call = RandomCall.of(methods, values, (method, type) -> type == Marker.class ? marker(values) : null);
          call.make(logback.getLogger(name));
          call.make(logger);
        }
        comparison.endOfCall();
      }
    }
  }

  static List<Method> methods() {
    return RandomCall.methods(Logger.class, method -> NAMES.contains(method.getName()));
  }

  static Marker marker(RandomValues values) {
    return MarkerFactory.getMarker("M" + values.below(3));
  }

  private static Throwable trace(ILoggingEvent event) {
    return event.getThrowableProxy() == null ? null : ((ThrowableProxy) event.getThrowableProxy()).getThrowable();
  }

  private interface Thrown {
    Throwable of(ILoggingEvent event);
  }

  private static void capture(LoggerContext logback, Comparison comparison, Thrown thrown) {
    AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
      @Override
      protected void append(ILoggingEvent event) {
        String marker = event.getMarkerList() == null ? null : event.getMarkerList().get(0).getName();
        comparison.record(event.getLevel().toString(), marker, event.getFormattedMessage(), thrown.of(event));
      }
    };
    appender.setContext(logback);
    appender.start();
    logback.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
  }

  /** SLF4J itself puts markers and key-values in front, where a backend has no place for them. */
  private static void fluent(Logger logger, RandomValues values, Comparison comparison) {
    LoggingEventBuilder builder = logger.atWarn();
    StringBuilder before = new StringBuilder();
    for (int markers = values.below(3); markers > 0; markers--) {
      Marker marker = marker(values);
      if (before.indexOf(marker.toString()) >= 0) continue;
      builder.addMarker(marker);
      before.append(marker).append(' ');
    }
    for (int pairs = values.below(4); pairs > 0; pairs--) {
      String key = switch (values.below(4)) {
        case 0 -> "not a name " + values.below(2);
        case 1 -> "{}";
        default -> "key" + values.below(3);
      };
      Object value = values.value();
      builder.addKeyValue(key, value);
      before.append(key).append('=').append(MessageFormatter.basicArrayFormat("{}", new Object[] {value})).append(' ');
    }
    String format = values.format();
    Object[] all = values.values();
    if (all == null) all = new Object[0];
    Throwable thrown = values.thrownOrNull();
    for (Object value : all) builder.addArgument(value);
    if (thrown != null) builder.setCause(thrown);
    builder.log(format);
    if (thrown == null && all.length != 0 && all[all.length - 1] instanceof Throwable last) {
      thrown = last;
      all = MessageFormatter.trimmedCopy(all);
    }
    comparison.record("WARN", null, before + MessageFormatter.basicArrayFormat(format, all.length == 0 ? null : all), thrown);
  }

  private Slf4jCalls() {}
}
