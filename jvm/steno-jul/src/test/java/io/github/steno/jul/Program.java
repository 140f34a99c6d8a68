package io.github.steno.jul;

import io.github.steno.DrainedLog;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The program that tests run in a JVM of its own. It logs by the JDK's interfaces. */
final class Program {
  private static final String[] PIECES = {"{0}", "{1}", "{2}", "{0}", "{9}", "{0,number,#.##}", "{", "}", "'", "''", "{x}", "text", " ", ""};

  public static void main(String[] arguments) throws Exception {
    StenoHandler.install();
    switch (arguments[0]) {
      case "messages" -> messages(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "calls" -> calls();
      case "failures" -> failures();
      case "suppliers" -> suppliers();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Random ones, and into a file what they are by the JDK's own formatter. */
  private static void messages(Path expected, int count) throws IOException {
    SplittableRandom random = new SplittableRandom(17);
    Formatter formatter = new SimpleFormatter();
    try (Writer out = Files.newBufferedWriter(expected)) {
      for (int i = 0; i < count; i++) {
        StringBuilder format = new StringBuilder();
        for (int pieces = random.nextInt(6); pieces > 0; pieces--) format.append(PIECES[random.nextInt(PIECES.length)]);
        Object[] arguments = new Object[random.nextInt(4)];
        for (int a = 0; a < arguments.length; a++) arguments[a] = argument(random);
        LogRecord record = new LogRecord(Level.INFO, format.toString());
        record.setParameters(arguments);
        out.write(formatter.formatMessage(record) + DrainedLog.END);
        Logger.getLogger("logger-" + i % 50).log(Level.INFO, format.toString(), arguments);
      }
    }
  }

  private static Object argument(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> null;
      case 1 -> random.nextInt();
      case 2 -> random.nextInt(-1000, 1000) / 8.0;
      case 3 -> random.nextBoolean();
      case 4 -> "{0} text";
      default -> Level.CONFIG;
    };
  }

  /** A call of each kind. */
  private static void calls() {
    Logger logger = Logger.getLogger("com.acme.Calls");
    logger.fine("not enabled");
    logger.info("info");
    logger.log(Level.WARNING, "warn {0} of {1}", new Object[] {"a", 12345});
    logger.log(Level.SEVERE, "severe {0}", 1);
    logger.log(Level.SEVERE, "thrown", new IllegalStateException("first"));
    logger.info(() -> "supplied");
    logger.setLevel(Level.ALL);
    logger.fine("fine");
    logger.entering("Class", "method");
    System.Logger system = System.getLogger("com.acme.System");
    system.log(System.Logger.Level.TRACE, "not enabled");
    system.log(System.Logger.Level.INFO, "system {0}", "x");
    system.log(System.Logger.Level.WARNING, "system {1} {0}", 1, 2);
    system.log(System.Logger.Level.ERROR, "system", new IllegalStateException("second"));
    system.log(System.Logger.Level.INFO, () -> "system supplied");
  }

  /** Code of the program's that throws within a call. */
  private static void failures() {
    Object fails = new Object() {
      @Override
      public String toString() {
        throw new NoClassDefFoundError("com/acme/Gone");
      }
    };
    Logger logger = Logger.getLogger("com.acme.Failures");
    logger.log(Level.INFO, "{0} of {1}", new Object[] {fails, 2});
    logger.log(Level.INFO, "{1} of {0}", new Object[] {fails, 2});
    logger.log(Level.INFO, "{0,number,#.##} and {1}", new Object[] {null, fails});
    System.Logger system = System.getLogger("com.acme.Failures");
    system.log(System.Logger.Level.INFO, fails);
    system.log(System.Logger.Level.INFO, "{0}", fails);
    system.log(System.Logger.Level.INFO, () -> {
      throw new StackOverflowError();
    });
    System.Logger localized = System.getLogger("com.acme.Failures", new Bundle());
    localized.log(System.Logger.Level.INFO, () -> {
      throw new StackOverflowError();
    });
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      handler.setFilter(record -> {
        throw new IllegalStateException("a filter");
      });
    }
    logger.info("after");
  }

  /** The JDK asks a supplier before it has a record. What this throws reaches the caller, and nothing else is lost. */
  private static void suppliers() {
    Logger logger = Logger.getLogger("com.acme.Suppliers");
    Supplier<String> fails = () -> {
      throw new IllegalStateException("no text");
    };
    int reached = 0;
    for (Runnable call : List.<Runnable>of(() -> logger.info(fails), () -> logger.log(Level.INFO, fails),
        () -> logger.log(Level.INFO, new RuntimeException("lost"), fails), () -> logger.logp(Level.INFO, "Class", "method", fails))) {
      try {
        call.run();
      } catch (IllegalStateException e) {
        reached++;
      }
    }
    logger.log(Level.INFO, "reached the caller {0} times", reached);
    logger.fine(fails);
  }

  /** A bundle without contents. */
  private static final class Bundle extends ListResourceBundle {
    @Override
    protected Object[][] getContents() {
      return new Object[0][];
    }
  }

  private Program() {}
}
