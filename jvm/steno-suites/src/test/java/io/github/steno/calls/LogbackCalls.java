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
import org.slf4j.Logger;
import org.slf4j.Marker;

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
          String marker = event.getMarkerList() == null ? null : event.getMarkerList().get(0).getName();
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
        RandomCall.of(methods, values, (method, type) -> type == Marker.class ? Slf4jCalls.marker(values) : null)
            .make(logback.getLogger("com.acme." + i % 20));
        comparison.endOfCall();
      }
    }
  }

  private LogbackCalls() {}
}
