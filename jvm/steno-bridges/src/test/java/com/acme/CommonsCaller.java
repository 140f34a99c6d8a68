package com.acme;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs like Spring and Apache's HTTP client. */
final class CommonsCaller {
  private static final Log LOG = LogFactory.getLog(CommonsCaller.class);

  public static void main(String[] arguments) {
    LOG.debug("not enabled");
    LOG.info("17 of {} seats");
    LOG.error("it failed", new IllegalStateException("out of stock"));
  }

  private CommonsCaller() {}
}
