package com.acme;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.MarkerFactory;

final class Main {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);

  public static void main(String[] arguments) {
    LOG.info("{} of {} seats taken", 17, 40);
    LOG.debug("not enabled");
    MDC.put("request", "r-1");
    LOG.warn(MarkerFactory.getMarker("AUDIT"), "{} may not book", "eve");
    LOG.atInfo().addKeyValue("user", "bob").addKeyValue("seat", 18).log("booked");
    MDC.clear();
  }

  private Main() {}
}
