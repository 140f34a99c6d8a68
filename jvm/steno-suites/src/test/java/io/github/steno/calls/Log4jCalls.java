package io.github.steno.calls;

import io.github.steno.log4j.StenoLoggerContextFactory;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogBuilder;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.ThreadContext;
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
  private static final String ESCAPED_BRACE = "\\{";
  private static final Level[] LEVELS = {Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL};

  private static final List<Method> BUILDER =
      RandomCall.methods(LogBuilder.class, method -> method.getName().equals("log") && method.getParameterCount() > 0);

  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    List<Method> methods = methods();
    org.apache.logging.log4j.spi.LoggerContext steno = new StenoLoggerContextFactory().getContext("", null, null, false);
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      LoggerContext core = core(comparison);
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        comparison.changeContext(values, ThreadContext::put, ThreadContext::remove, ThreadContext::clearMap);
        String name = "com.acme." + i % 20;
        if (values.below(8) == 0) {
          build(core.getLogger(name), steno.getLogger(name), values, comparison);
          comparison.endOfCall();
          continue;
        }
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
          if (fails && !hasUnreadableFormat(call)) {
            comparison.recordFailure(level(call), marker(call));
          } else {
            comparison.recordAny(level(call), marker(call));
          }
        }
        call.make(steno.getLogger(name));
        comparison.endOfCall();
      }
    }
  }

  /** Makes a call by way of a builder. */
  private static void build(Logger core, Logger steno, RandomValues values, Comparison comparison) {
    Level level = LEVELS[values.below(LEVELS.length)];
    Marker marker = values.below(3) == 0 ? MarkerManager.getMarker("M" + values.below(3)) : null;
    Throwable thrown = values.thrownOrNull();
    RandomCall call = next(BUILDER, values);
    Class<?>[] types = call.method().getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      if (types[i] == Object[].class && call.arguments()[i] == null) call.arguments()[i] = new Object[0];  // it throws at null
      if (types[i] == Supplier.class) {
        Message message = message(values);
        call.arguments()[i] = (Supplier<Message>) () -> message;
      }
    }
    boolean fails = values.hadFailing();
    boolean isThrown = false;
    try {
      // Log4j's builder does not look for an exception among arguments and in messages, as its loggers do. Steno's does.
      call.make(builder(core, level, marker, thrown == null ? thrown(call) : thrown));
    } catch (AssertionError e) {
      if (!fails) throw e;
      isThrown = true;  // Log4j's builder throws what fails before it has a message
    }
    if (!comparison.hasRecorded()) {
      if (isThrown && isOfSuppliers(call.method())) return;
      String name = marker == null ? null : marker.getName();
      if (fails && !hasUnreadableFormat(call)) {
        comparison.recordFailure(name(level), name);
      } else {
        comparison.recordAny(name(level), name);
      }
    }
    call.make(builder(steno, level, marker, thrown));
  }

  /** The exception that a call of a logger would have logged; null: none. */
  private static Throwable thrown(RandomCall call) {
    Object[] all = call.arguments();
    if (all[0] instanceof Message message) return message.getThrowable();
    if (all[0] instanceof Supplier<?> supplier) return ((Message) supplier.get()).getThrowable();
    if (all.length < 2) return null;
    boolean isArray = call.method().getParameterTypes()[1].isArray();
    Object[] values = isArray ? (Object[]) all[1] : Arrays.copyOfRange(all, 1, all.length);
    return new ParameterizedMessage((String) all[0], Arrays.stream(values).map(Log4jCalls::value).toArray()).getThrowable();
  }

  /** Returns a supplier's value, without the text of a message. */
  private static Object value(Object argument) {
    Object value = argument instanceof Supplier<?> supplier ? supplier.get() : argument;
    return value instanceof Message ? "" : value;
  }

  private static LogBuilder builder(Logger logger, Level level, Marker marker, Throwable thrown) {
    LogBuilder builder = logger.atLevel(level);
    if (marker != null) builder.withMarker(marker);
    return thrown == null ? builder : builder.withThrowable(thrown);
  }

  private static String name(Level level) {
    return level == Level.FATAL ? "CRITICAL" : level.toString();
  }

  /** Log4j's formatter cannot read a format that ends with an escaped brace. */
  private static boolean hasUnreadableFormat(RandomCall call) {
    for (Object argument : call.arguments()) {
      if (argument instanceof String format && format.endsWith(ESCAPED_BRACE)) return true;
    }
    return false;
  }

  private static boolean isOfSuppliers(Method method) {
    return List.of(method.getParameterTypes()).contains(Supplier[].class);
  }

  private static String level(RandomCall call) {
    Level level = call.arguments()[0] instanceof Level given ? given : Level.toLevel(call.method().getName());
    return name(level);
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

  /** Returns no null: for null, Log4j repeats what the thread logged before. */
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
      default -> {
        String format = values.format();
        yield new ParameterizedMessage(format.endsWith(ESCAPED_BRACE) ? format + ' ' : format, values.values());
      }
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
        comparison.record(name(event.getLevel()), event.getMarker() == null ? null : event.getMarker().getName(),
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
