package io.github.steno.calls;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import io.github.steno.logback.StenoAppender;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.spi.LoggingEventBuilder;

/** Calls of Logback, whose events go to two appenders: its own layout, and steno's. */
final class LogbackCalls {
  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    List<Method> methods = Slf4jCalls.methods();
    LoggerContext logback = new LoggerContext();
    logback.setMDCAdapter(new LogbackMDCAdapter());
    ch.qos.logback.classic.Logger root = logback.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.TRACE);
    PatternLayout layout = new PatternLayout();
    layout.setContext(logback);
    layout.setPattern("%msg%n%ex");
    layout.start();
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      AppenderBase<ILoggingEvent> own = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          String marker = event.getMarkerList() == null ? null
              : event.getMarkerList().stream().map(Marker::getName).collect(Collectors.joining(" "));
          String text = layout.doLayout(event);
          comparison.record(event.getLevel().toString(), marker, text.substring(0, text.length() - 1), null);
        }
      };
      StenoAppender steno = new StenoAppender();
      for (AppenderBase<ILoggingEvent> appender : List.of(own)) {
        appender.setContext(logback);
        appender.start();
        root.addAppender(appender);
      }
      steno.setContext(logback);
      steno.start();
      root.addAppender(steno);
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        comparison.changeContext(values, logback.getMDCAdapter()::put, logback.getMDCAdapter()::remove, logback.getMDCAdapter()::clear);
        Logger logger = logback.getLogger("com.acme." + i % 20);
        if (values.below(10) == 0) {
          fluent(logger, values);
        } else {
          RandomCall.of(methods, values, (method, type) -> type == Marker.class ? Slf4jCalls.marker(values) : null).make(logger);
        }
        comparison.endOfCall();
      }
    }
  }

  /** Makes calls with markers; not with key-values, which Logback's layout prints elsewhere than steno. */
  private static void fluent(Logger logger, RandomValues values) {
    LoggingEventBuilder builder = logger.atError();
    for (int markers = values.below(4); markers > 0; markers--) builder.addMarker(Slf4jCalls.marker(values));
    Object[] all = values.values();
    if (all != null) {
      for (Object value : all) builder.addArgument(value);
    }
    Throwable thrown = values.thrownOrNull();
    if (thrown != null) builder.setCause(thrown);
    builder.log(values.format());
  }

  private LogbackCalls() {}
}
