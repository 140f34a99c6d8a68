package io.github.steno.calls;

import io.github.steno.log4j.StenoLoggerContextFactory;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.NullConfiguration;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.FormattedMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.ObjectMessage;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.message.StringFormattedMessage;
import org.apache.logging.log4j.message.StringMapMessage;
import org.apache.logging.log4j.util.MessageSupplier;
import org.apache.logging.log4j.util.Supplier;

/** Calls of Log4j's interface, by its core and by the provider of steno. */
final class Log4jCalls {
  private static final Set<String> NAMES = Set.of("trace", "debug", "info", "warn", "error", "fatal", "log", "printf");
  private static final Level[] LEVELS = {Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL};

  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    List<Method> methods = methods();
    org.apache.logging.log4j.spi.LoggerContext steno = new StenoLoggerContextFactory().getContext("", null, null, false);
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      LoggerContext core = core(comparison);
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        String name = "com.acme." + i % 20;
        RandomCall call = next(methods, values);
        boolean fails = values.hadFailing();
        boolean thrown = false;
        try {
          call.make(core.getLogger(name));
        } catch (AssertionError e) {
          thrown = true;
        }
        if (!comparison.hasRecorded()) {
          if (thrown && isOfSuppliers(call.method())) continue;
          if (fails) {
            comparison.recordFailure(level(call), marker(call));
          } else {
            comparison.recordAny(level(call), marker(call));  // its formatter cannot read a format that ends with an escaped brace
          }
        }
        call.make(steno.getLogger(name));
        comparison.endOfCall();
      }
    }
  }

  private static boolean isOfSuppliers(Method method) {
    return List.of(method.getParameterTypes()).contains(Supplier[].class);
  }

  private static String level(RandomCall call) {
    Level level = call.arguments()[0] instanceof Level given ? given : Level.toLevel(call.method().getName());
    return level == Level.FATAL ? "CRITICAL" : level.toString();
  }

  private static String marker(RandomCall call) {
    for (Object argument : call.arguments()) {
      if (argument instanceof Marker marker) return marker.getName();
    }
    return null;
  }

  static List<Method> methods() {
    return RandomCall.methods(Logger.class, method -> NAMES.contains(method.getName()) && method.getReturnType() == void.class);
  }

  static RandomCall next(List<Method> methods, RandomValues values) {
    return RandomCall.of(methods, values, (method, type) -> {
      if (method.getName().equals("printf") && type == String.class) return "printed %s";
      if (method.getName().equals("printf") && type == Object[].class) return new Object[] {"text " + values.below(10)};
      if (type == Level.class) return LEVELS[values.below(LEVELS.length)];
      if (type == Marker.class) return MarkerManager.getMarker("M" + values.below(3));
      if (type == Message.class) return message(values);
      if (type == MessageSupplier.class) {
        Message message = message(values);
        return (MessageSupplier) () -> message;
      }
      if (type == Supplier.class) return supplier(values);
      if (type == Supplier[].class) {
        Supplier<?>[] suppliers = new Supplier<?>[values.below(4)];
        for (int i = 0; i < suppliers.length; i++) suppliers[i] = supplier(values);
        return suppliers;
      }
      return null;
    });
  }

  private static Supplier<?> supplier(RandomValues values) {
    Object value = values.below(4) == 0 ? message(values) : notNull(values);
    return () -> value;
  }

  /** Of null Log4j repeats what the thread logged before. */
  private static Object notNull(RandomValues values) {
    Object value = values.value();
    return value == null ? "none" : value;
  }

  private static Message message(RandomValues values) {
    return switch (values.below(8)) {
      case 0 -> new SimpleMessage(values.format());
      case 1 -> new ObjectMessage(values.value());
      case 2 -> new StringFormattedMessage("printed %s", "text " + values.below(10));
      case 3 -> new StringMapMessage().with("key", "value " + values.below(10));
      case 4 -> new FormattedMessage("formatted {}", new Object[] {"text " + values.below(10)});
      case 5 -> new SimpleMessage(new RandomValues.Characters("characters " + values.below(10)));
      default -> new ParameterizedMessage(values.format(), values.values());
    };
  }

  /** A context of Log4j's core that records here, and not in the log. */
  @SuppressWarnings("deprecation")  // setPattern() and setConfiguration() are not in earlier versions
  static LoggerContext core(Comparison comparison) {
    LoggerContext core = new LoggerContext("original");
    core.start(new NullConfiguration());
    PatternLayout layout = PatternLayout.newBuilder().withPattern("%m%ex{0}").withConfiguration(core.getConfiguration()).build();
    AbstractAppender appender = new AbstractAppender("original", null, layout, true, Property.EMPTY_ARRAY) {
      @Override
      public void append(LogEvent event) {
        String level = event.getLevel() == Level.FATAL ? "CRITICAL" : event.getLevel().toString();
        comparison.record(level, event.getMarker() == null ? null : event.getMarker().getName(),
            (String) getLayout().toSerializable(event), event.getThrown());
      }
    };
    appender.start();
    for (String console : List.copyOf(core.getConfiguration().getRootLogger().getAppenders().keySet())) {
      core.getConfiguration().getRootLogger().removeAppender(console);
    }
    core.getConfiguration().getRootLogger().addAppender(appender, null, null);
    core.getConfiguration().getRootLogger().setLevel(Level.ALL);
    core.updateLoggers();
    return core;
  }

  private Log4jCalls() {}
}
