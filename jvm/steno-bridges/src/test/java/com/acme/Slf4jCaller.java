package com.acme;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Logs like Kafka's clients, with methods that SLF4J 1.7 has, too. */
final class Slf4jCaller {
  private static final Logger LOG = LoggerFactory.getLogger(Slf4jCaller.class);

  public static void main(String[] arguments) {
    LOG.debug("not enabled");
    LOG.info("{} of {}", 17, "forty");
    MDC.put("request", "r-1");
    LOG.warn("{}, {} and {}", new Object[] {"one", "two"});
    LOG.error("it failed", new IllegalStateException("out of stock"));
  }

  private Slf4jCaller() {}
}
