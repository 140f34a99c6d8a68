package io.github.steno.calls;

import io.github.steno.jul.StenoLoggerFinder;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ListResourceBundle;
import java.util.ResourceBundle;
import java.util.logging.LogRecord;

/** Calls of {@code System.Logger}. The JDK's own goes by {@code java.util.logging}, so its formatter says what is printed. */
final class SystemLoggerCalls {
  private static final Level[] LEVELS = {Level.TRACE, Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR};
  private static final ResourceBundle BUNDLE = new ListResourceBundle() {
    @Override
    protected Object[][] getContents() {
      return new Object[][] {{"text", "a text of the bundle"}};
    }
  };

  public static void main(String[] arguments) throws Exception {
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    StenoLoggerFinder finder = new StenoLoggerFinder();
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        System.Logger logger = finder.getLogger("com.acme." + i % 20, Object.class.getModule());
        Level level = LEVELS[values.below(LEVELS.length)];
        String format = JulCalls.format(values);
        Throwable thrown = values.thrownOrNull();
        LogRecord expected = new LogRecord(java.util.logging.Level.INFO, format);
        boolean isFailure = false;
        switch (values.below(6)) {
          case 0 -> logger.log(level, format);
          case 1 -> logger.log(level, () -> format);
          case 2 -> {
            Object value = values.value();
            if (value == null) value = "none";
            isFailure = value instanceof RandomValues.Fails;
            expected.setMessage(isFailure ? null : value.toString());
            values.hadFailing();
            logger.log(level, value);
          }
          case 3 -> {
            expected.setThrown(thrown);
            logger.log(level, format, thrown);
          }
          case 4 -> {
            expected.setThrown(thrown);
            expected.setResourceBundle(BUNDLE);
            logger.log(level, BUNDLE, format, thrown);
          }
          default -> {
            Object[] all = values.values();
            expected.setParameters(all);
            logger.log(level, format, all);
          }
        }
        String name = level == Level.WARNING ? "WARN" : level.toString();
        if (isFailure) {
          comparison.recordFailure(name, null);
        } else {
          JulCalls.record(comparison, name, expected, values.hadFailing());
        }
        comparison.endOfCall();
      }
    }
  }

  private SystemLoggerCalls() {}
}
