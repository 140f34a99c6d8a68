package io.github.steno.telemetry;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Logs by SLF4J, in a JVM of its own, with whatever agents that has. */
final class Program {
  private static final Logger LOGGER = LoggerFactory.getLogger(Program.class);

  public static void main(String[] arguments) throws InterruptedException {
    LOGGER.info("begins");
    for (int i = 0; i < 3; i++) LOGGER.info("{} of {} for {}", i, 3L, "acme");
    MDC.put("request", "r-1");
    LOGGER.warn("in a request", new IllegalStateException("why"));
    MDC.remove("request");
    LOGGER.debug("not enabled {}", 1);
    LOGGER.atInfo().addKeyValue("user", "eve").log("fluent {}", 2.5);
    Thread thread = new Thread(() -> LOGGER.error("in a thread {}", true), "worker");
    thread.start();
    thread.join();
  }

  private Program() {}
}
