package io.github.steno.calls;

import io.github.steno.jul.StenoHandler;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Calls of {@code java.util.logging}, whose records go to two handlers: one with the JDK's formatter, and steno's. */
final class JulCalls {
  private static final Set<String> NAMES = Set.of("log", "logp", "severe", "warning", "info", "config", "fine", "finer", "finest",
      "entering", "exiting", "throwing");
  private static final Level[] LEVELS = {Level.FINEST, Level.FINER, Level.FINE, Level.CONFIG, Level.INFO, Level.WARNING, Level.SEVERE};

  /** Formats of its own: those of other interfaces are all the same to it. */
  private static final String[] PIECES = {"{0}", "{1}", "{2}", "{0}", "{9}", "{0,number,#.##}", "{", "}", "'", "''", "{x}", "text", " ", "{}"};

  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    List<Method> methods = RandomCall.methods(Logger.class, method -> NAMES.contains(method.getName())
        && method.getReturnType() == void.class && !List.of(method.getParameterTypes()).contains(LogRecord.class));
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      StenoHandler.install();
      Logger parent = Logger.getLogger("com.acme");
      boolean[] fails = {false};
      parent.setLevel(Level.ALL);
      parent.addHandler(new Handler() {
        @Override
        public void publish(LogRecord record) {
          record(comparison, level(record.getLevel()), record, fails[0]);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      });
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        RandomCall call = RandomCall.of(methods, values, (method, type) -> {
          if (type == Level.class) return LEVELS[values.below(LEVELS.length)];
          if (type == Supplier.class) {
            String text = format(values);
            return (Supplier<?>) () -> text;
          }
          return type == String.class ? format(values) : null;
        });
        fails[0] = values.hadFailing();
        call.make(Logger.getLogger("com.acme." + i % 20));
        comparison.endOfCall();
      }
    }
  }

  static String format(RandomValues values) {
    StringBuilder format = new StringBuilder();
    for (int pieces = values.below(6); pieces > 0; pieces--) format.append(PIECES[values.below(PIECES.length)]);
    return format.toString();
  }

  /** If an argument has no text, the JDK prints the format; ours names the argument. */
  static void record(Comparison comparison, String level, LogRecord record, boolean fails) {
    String text = null;
    try {
      text = new SimpleFormatter().formatMessage(record);
    } catch (Error e) {
      // It has no text.
    }
    boolean isOfFormat = text == null || (fails && text.equals(record.getMessage()));
    if (isOfFormat && asks(record)) {
      comparison.recordFailure(level, null);
    } else {
      comparison.record(level, null, isOfFormat ? record.getMessage() : text, record.getThrown());
    }
  }

  /** Returns whether the format prints a value whose text cannot be made. */
  private static boolean asks(LogRecord record) {
    Object[] all = record.getParameters().clone();
    Object[] without = record.getParameters().clone();
    for (int i = 0; i < all.length; i++) {
      try {
        String.valueOf(all[i]);
      } catch (Throwable e) {
        without[i] = "";
      }
    }
    LogRecord other = new LogRecord(record.getLevel(), record.getMessage());
    other.setParameters(without);
    return !new SimpleFormatter().formatMessage(other).equals(record.getMessage());
  }

  private static String level(Level level) {
    int value = level.intValue();
    if (value <= Level.FINEST.intValue()) return "TRACE";
    if (value <= Level.FINE.intValue()) return "DEBUG";
    if (value <= Level.INFO.intValue()) return "INFO";
    return value <= Level.WARNING.intValue() ? "WARN" : "ERROR";
  }

  private JulCalls() {}
}
