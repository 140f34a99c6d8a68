package io.github.steno.spring;

import io.github.steno.LoggerLevels;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * {@code java.util.logging}, whose records go to SLF4J, and the levels of its loggers, which must let pass what those of steno
 * do. Any thread.
 */
final class JdkLevels {
  private static final Level[] LEVELS = {Level.FINEST, Level.FINE, Level.INFO, Level.INFO, Level.WARNING, Level.SEVERE,
      Level.SEVERE, Level.OFF};

  /** Loggers that nobody holds lose their levels. */
  private final Map<String, Logger> held = new ConcurrentHashMap<>();
  private boolean isBridged;

  /** Unless the program has handlers of its own there. */
  void bridge() {
    Logger root = LogManager.getLogManager().getLogger("");
    Handler[] handlers = root.getHandlers();
    if (handlers.length > 1 || (handlers.length == 1 && !(handlers[0] instanceof ConsoleHandler))) return;
    for (Handler handler : handlers) root.removeHandler(handler);
    SLF4JBridgeHandler.install();
    isBridged = true;
  }

  void unbridge() {
    if (isBridged) SLF4JBridgeHandler.uninstall();
    isBridged = false;
  }

  /** @param level a level of steno, or that there is no rule */
  void set(String logger, int level) {
    if (!isBridged) return;
    Level ofJdk = level == LoggerLevels.NO_RULE ? null : LEVELS[level];
    if (ofJdk == null && !held.containsKey(logger)) return;
    held.computeIfAbsent(logger, Logger::getLogger).setLevel(ofJdk);
  }
}
