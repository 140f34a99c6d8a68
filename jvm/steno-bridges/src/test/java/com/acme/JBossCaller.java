package com.acme;

import org.jboss.logging.Logger;
import org.jboss.logging.MDC;

/** Logs like Hibernate. */
final class JBossCaller {
  private static final Logger LOG = Logger.getLogger(JBossCaller.class);

  public static void main(String[] arguments) {
    LOG.debug("not enabled");
    MDC.put("request", "r-1");
    LOG.infof("%d of %s", 17, "forty");
    LOG.warnv("{0} and {1}", "one", "two");
    LOG.error("it failed", new IllegalStateException("out of stock"));
  }

  private JBossCaller() {}
}
