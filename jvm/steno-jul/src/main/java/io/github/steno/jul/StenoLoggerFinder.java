package io.github.steno.jul;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The finder that {@link System#getLogger} finds by {@link java.util.ServiceLoader}. Programs only need it on their
 * class path.
 */
public final class StenoLoggerFinder extends System.LoggerFinder {
  private final ConcurrentHashMap<String, System.Logger> loggers = new ConcurrentHashMap<>();

  @Override
  public System.Logger getLogger(String name, Module module) {
    return loggers.computeIfAbsent(name, StenoSystemLogger::new);
  }
}
