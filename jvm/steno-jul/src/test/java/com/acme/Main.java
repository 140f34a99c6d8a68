package com.acme;

import java.util.logging.Level;
import java.util.logging.Logger;

final class Main {
  private static final Logger LOG = Logger.getLogger(Main.class.getName());
  private static final System.Logger SYSTEM_LOG = System.getLogger("com.acme.system");

  public static void main(String[] arguments) {
    LOG.log(Level.INFO, "{0} of {1} seats taken", new Object[] {17, 40});
    LOG.fine("not enabled");
    SYSTEM_LOG.log(System.Logger.Level.WARNING, "{0} may not book", "eve");
  }

  private Main() {}
}
