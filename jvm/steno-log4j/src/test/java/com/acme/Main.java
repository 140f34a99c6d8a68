package com.acme;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.ThreadContext;

final class Main {
  private static final Logger LOG = LogManager.getLogger();

  public static void main(String[] arguments) {
    LOG.info("{} of {} seats taken", 17, 40);
    LOG.debug("not enabled");
    ThreadContext.put("request", "r-1");
    LOG.warn("booked by {}", () -> "eve");
    ThreadContext.clearAll();
    LogManager.getFormatterLogger(Main.class).info("row %02d", 7);
  }

  private Main() {}
}
