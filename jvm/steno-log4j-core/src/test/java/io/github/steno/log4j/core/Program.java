package io.github.steno.log4j.core;

import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.message.ParameterizedMessage;

/** The program that tests run in a JVM of its own. It logs by Log4j. */
final class Program {
  public static void main(String[] arguments) {
    Logger logger = LogManager.getLogger("com.acme.Calls");
    logger.trace("not enabled");
    for (int i = 0; i < 1000; i++) logger.info("number {} of {}", i, "many");
    logger.warn(MarkerManager.getMarker("M"), "marked {}", 1);
    ThreadContext.put("request", "r-1");
    logger.fatal("with context {}", 2);
    ThreadContext.clearAll();
    LogManager.getFormatterLogger("com.acme.Calls").info("%04d", 3);
    logger.error("thrown {}", 4, new IllegalStateException("first"));
    logger.info("plain {}");
    logger.info((Object) "object {}");
    LogManager.getLogger("com.quiet.Class").info("not enabled");
    askedOnce(LogManager.getLogger("com.acme.Once"));
  }

  /** Its text says how often it was asked for it. */
  private static final class Asked {
    private int times;

    @Override
    public String toString() {
      return "asked " + ++times + " times";
    }
  }

  private static void askedOnce(Logger logger) {
    logger.info("one {}", new Asked());
    logger.info("two {} and {} of {}", new Asked(), 7, new Asked());
    logger.info("beside one another {}{}", new Asked(), new Asked());
    logger.info("as an object {}", List.of(new Asked()));
    logger.info(new ParameterizedMessage("made {}", new Asked()));
    logger.info(new Asked());
  }

  private Program() {}
}
