package io.github.steno.jul;

import java.util.concurrent.ConcurrentHashMap;

/** What {@link System#getLogger} finds by {@link java.util.ServiceLoader}: programs need it on their class path, and nothing else. */
public final class StenoLoggerFinder extends System.LoggerFinder {
  private final ConcurrentHashMap<String, System.Logger> loggers = new ConcurrentHashMap<>();

  @Override
  public System.Logger getLogger(String name, Module module) {
    return loggers.computeIfAbsent(name, StenoSystemLogger::new);
  }
}
