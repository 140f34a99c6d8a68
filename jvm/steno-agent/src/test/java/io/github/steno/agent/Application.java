package io.github.steno.agent;

import org.apache.logging.log4j.LogManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application that tests load many times, or let another agent change. It logs objects of classes of its own. */
public final class Application implements Runnable {
  private static final Logger LOGGER = LoggerFactory.getLogger("application");
  private static final org.apache.logging.log4j.Logger OTHER = LogManager.getLogger("application");

  private record Argument(int number) {}

  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Override
  public void run() {
    LOGGER.info("deployed {} {}", 1, new Argument(2));
    for (int i = 0; i < 2; i++) OTHER.warn("deployed {} {} {}", i, "text", 2.5, new Failure());
  }
}
