package io.github.steno.log4j;

import io.github.steno.DrainedLog;
import io.github.steno.Log4jSyntaxTest;
import io.github.steno.RandomMessages;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.logging.log4j.CloseableThreadContext;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.message.AbstractMessageFactory;
import org.apache.logging.log4j.message.EntryMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.StringMapMessage;
import org.apache.logging.log4j.message.StructuredDataMessage;
import org.apache.logging.log4j.util.Supplier;

/** The program that tests run in a JVM of its own. It logs by Log4j's API, like any program. */
final class Program {
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "messages" -> messages(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "calls" -> calls();
      case "failures" -> failures();
      case "suppliers" -> suppliers();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Random ones, and into a file what they are by Log4j's own formatter. */
  private static void messages(Path expected, int count) throws IOException {
    RandomMessages random = new RandomMessages(13);
    try (Writer out = Files.newBufferedWriter(expected)) {
      for (int i = 0; i < count; ) {
        Logger logger = LogManager.getLogger("logger-" + i % 50);
        String format = random.format();
        Object[] arguments = random.arguments();
        String message = Log4jSyntaxTest.Reference.format(format, arguments);
        // A call without arguments is a message, not a format.
        if (message == null || arguments.length == 0) continue;
        out.write(new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8) + DrainedLog.END);
        switch (i++ % 2 == 0 ? arguments.length : 0) {
          case 1 -> logger.info(format, arguments[0]);
          case 2 -> logger.info(format, arguments[0], arguments[1]);
          case 3 -> logger.info(format, arguments[0], arguments[1], arguments[2]);
          case 4 -> logger.info(format, arguments[0], arguments[1], arguments[2], arguments[3]);
          default -> logger.info(format, arguments);
        }
      }
    }
  }

  /** A call of each kind. */
  private static void calls() throws InterruptedException {
    Logger logger = LogManager.getLogger("com.acme.Calls");
    logger.trace("not enabled");
    logger.debug("debug {}", 1);
    logger.info("info");
    logger.warn("warn {} {}", "a", 2L);
    logger.error("error {} {} {}", 1, 2, 3);
    logger.fatal("fatal {} {} {} {} {} {}", 1, 2, 3, 4, 5, 6);
    logger.log(Level.forName("NOTICE", 350), "custom level");
    logger.error("thrown", new IllegalStateException("first"));
    logger.error("thrown {}", "too", new IllegalStateException("second"));
    logger.error("printed {} {}", 4, new IllegalStateException("third"));
    logger.info("supplied {}", () -> 7);
    logger.info(() -> "supplied text");
    logger.info((Supplier<?>) () -> new ParameterizedMessage("supplied message {}", 14));
    logger.error((Supplier<?>) () -> null, new IllegalStateException("fourth"));
    logger.info(new ParameterizedMessage("made {}", 8));
    logger.info(new StringMapMessage(Map.of("key", "value")));
    logger.info(new StructuredDataMessage("id", "structured", "type"));
    logger.info((Object) 9);
    logger.info((String) null);
    LogManager.getFormatterLogger("com.acme.Calls").info("%s is %04d%%", "printf", 10);
    EntryMessage entry = logger.traceEntry("not {}", "enabled");
    logger.traceExit(entry);
    logger.atInfo().withMarker(MarkerManager.getMarker("BUILT")).withLocation().log("built {}", 11);
    logger.info(MarkerManager.getMarker("AUDIT"), "marked {}", 12);
    ThreadContext.put("request", "r-1");
    try (CloseableThreadContext.Instance more = CloseableThreadContext.put("user", "eve")) {
      logger.info("with context {}", more == null);
    }
    Thread other = new Thread(() -> logger.info("of another thread {}", ThreadContext.get("request")));
    other.start();
    other.join();
    ThreadContext.clearAll();
    logger.info("without context");
    Logger quiet = LogManager.getLogger("com.quiet.Class");
    quiet.info("not enabled");
    quiet.warn("loud {} {}", quiet.getLevel(), quiet.isInfoEnabled());
    Logger traced = LogManager.getLogger("com.traced.Class");
    traced.traceExit(traced.traceEntry("of {}", "me"), 13);
  }

  /** Code of the program's that throws within a call. */
  private static void failures() {
    Logger logger = LogManager.getLogger("com.acme.Failures");
    Object fails = new Object() {
      @Override
      public String toString() {
        throw new IllegalStateException("no text");
      }
    };
    logger.info(fails);
    logger.info(() -> fails);
    logger.info("argument {}", fails);
    logger.info((Supplier<?>) () -> {
      throw new NoClassDefFoundError("com/acme/Gone");
    });
    logger.info("argument {}", () -> {
      throw new StackOverflowError();
    });
    logger.atInfo().log(fails);
    logger.error(() -> new IllegalStateException("supplied"));
    logger.info("after");
  }

  /** Suppliers and factories that throw where Log4j's own classes would ask them. */
  private static void suppliers() {
    Logger logger = LogManager.getLogger("com.acme.Suppliers");
    Supplier<?> fails = () -> {
      throw new IllegalStateException("no value");
    };
    Supplier<Message> failsToMake = () -> {
      throw new NoClassDefFoundError("com/acme/Gone");
    };
    Throwable thrown = new IllegalStateException("thrown");
    logger.atInfo().log("argument {} of {}", fails, () -> 2);
    logger.atInfo().log(failsToMake);
    logger.atInfo().log((Supplier<Message>) null);
    logger.atWarn().withThrowable(thrown).logAndGet(failsToMake);
    logger.atError().log("with its own {}", 1, thrown);
    logger.atError().withMarker(MarkerManager.getMarker("BUILT")).withThrowable(thrown).log(failsToMake);
    logger.atInfo().log("after");
    logger.traceEntry("entered {}", fails);
    logger.traceEntry(fails, () -> 3);
    logger.traceEntry((Message) null);
    Logger made = LogManager.getLogger("com.acme.Suppliers", new FailingFactory());
    made.info("format {}", 1);
    made.error("message", thrown);
    made.info((Object) 2);
    made.atInfo().log("format {}", 3);
    made.atInfo().log("message");
    made.atInfo().log((Object) 4);
    made.atInfo().log(new StringBuilder("characters"));
  }

  /** A message factory of the program's. */
  private static final class FailingFactory extends AbstractMessageFactory {
    private static final long serialVersionUID = 1;

    @Override
    public Message newMessage(String format, Object... arguments) {
      throw new UnsupportedOperationException("no message");
    }

    @Override
    public Message newMessage(Object message) {
      throw new UnsupportedOperationException("no message");
    }

    @Override
    public Message newMessage(String message) {
      throw new UnsupportedOperationException("no message");
    }

    @Override
    public Message newMessage(CharSequence message) {
      throw new UnsupportedOperationException("no message");
    }
  }

  private Program() {}
}
