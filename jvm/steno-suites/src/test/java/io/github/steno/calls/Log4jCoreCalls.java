package io.github.steno.calls;

import io.github.steno.log4j.core.StenoAppender;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.LoggerContext;

/** Calls of Log4j's core, whose events go to two appenders: one with its own layout, and steno's. */
final class Log4jCoreCalls {
  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    List<Method> methods = Log4jCalls.methods();
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      LoggerContext core = Log4jCalls.core(comparison);
      StenoAppender steno = StenoAppender.create("steno", null);
      steno.start();
      core.getConfiguration().getRootLogger().addAppender(steno, null, null);
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        comparison.changeContext(values, ThreadContext::put, ThreadContext::remove, ThreadContext::clearMap);
        RandomCall call = Log4jCalls.next(methods, values);
        if (values.hadFailing()) continue;  // core itself throws these before it has an event
        call.make(core.getLogger("com.acme." + i % 20));
        comparison.endOfCall();
      }
    }
  }

  private Log4jCoreCalls() {}
}
