package io.github.steno.calls;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configurator;

/** A program one class of which takes it for granted that Log4j's core is behind its interface, as Spark's do. */
final class CastProgram {
  public static void main(String[] arguments) {
    Logger root = (Logger) LogManager.getRootLogger();
    root.setLevel(Level.WARN);
    root.warn("by core");
    LoggerContext context = (LoggerContext) LogManager.getContext(false);
    if (context.getRootLogger() != root) throw new AssertionError("there are two contexts of core");
    Other.log();
    Asking.log();
    LogManager.shutdown();
    Other.log();
  }

  /** A class of the same program that only logs, and sets levels of core. */
  private static final class Other {
    private static final org.apache.logging.log4j.Logger LOG = LogManager.getLogger(Other.class);

    static void log() {
      Configurator.setRootLevel(Level.ERROR);
      LOG.info("by steno");
    }
  }

  /** One that works with any implementation. */
  private static final class Asking {
    static void log() {
      org.apache.logging.log4j.Logger log = LogManager.getLogger(Asking.class);
      if (log instanceof Logger) ((Logger) log).setLevel(Level.ERROR);
      log.info("asked first");
    }
  }

  private CastProgram() {}
}
