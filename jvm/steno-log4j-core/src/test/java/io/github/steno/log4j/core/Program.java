package io.github.steno.log4j.core;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.ThreadContext;

/** What tests run in a JVM of its own: a program that logs by Log4j. */
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
  }

  private Program() {}
}
