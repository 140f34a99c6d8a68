package io.github.steno.bench;

import java.util.logging.Level;
import org.apache.logging.log4j.LogManager;
import org.slf4j.LoggerFactory;

/** A call with three arguments, of one interface, whatever is behind it. Loggers are constants, as programs have them. */
interface Call {
  String LOGGER = "io.github.steno.bench.Call";

  /** Makes a call with a number that is another each time. */
  void log(int number);

  /** Makes the same call at a level that is not enabled. */
  void logDisabled(int number);

  /** @param api slf4j, log4j, or jul */
  static Call of(String api) {
    return switch (api) {
      case "slf4j" -> new BySlf4j();
      case "log4j" -> new ByLog4j();
      case "jul" -> new ByJul();
      default -> throw new IllegalArgumentException(api);
    };
  }

  /** The calls by SLF4J. */
  final class BySlf4j implements Call {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(LOGGER);

    @Override
    public void log(int number) {
      LOG.info("filled {} of {} for {}", number, 4096L, "acme");
    }

    @Override
    public void logDisabled(int number) {
      LOG.debug("filled {} of {} for {}", number, 4096L, "acme");
    }
  }

  /** The calls by Log4j's API. */
  final class ByLog4j implements Call {
    private static final org.apache.logging.log4j.Logger LOG = LogManager.getLogger(LOGGER);

    @Override
    public void log(int number) {
      LOG.info("filled {} of {} for {}", number, 4096L, "acme");
    }

    @Override
    public void logDisabled(int number) {
      LOG.debug("filled {} of {} for {}", number, 4096L, "acme");
    }
  }

  /** The calls by java.util.logging. */
  final class ByJul implements Call {
    private static final java.util.logging.Logger LOG = java.util.logging.Logger.getLogger(LOGGER);

    @Override
    public void log(int number) {
      LOG.log(Level.INFO, "filled {0} of {1} for {2}", new Object[] {number, 4096L, "acme"});
    }

    @Override
    public void logDisabled(int number) {
      LOG.log(Level.FINE, "filled {0} of {1} for {2}", new Object[] {number, 4096L, "acme"});
    }
  }
}
