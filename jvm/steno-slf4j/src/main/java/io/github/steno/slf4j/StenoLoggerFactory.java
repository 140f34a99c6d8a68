package io.github.steno.slf4j;

import io.github.steno.Session;
import io.github.steno.Slf4jSyntax;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;

/** One logger for each name, in the session of the process. */
final class StenoLoggerFactory implements ILoggerFactory {
  private final ConcurrentHashMap<String, StenoLogger> loggers = new ConcurrentHashMap<>();

  @Override
  public Logger getLogger(String name) {
    return loggers.computeIfAbsent(name, n -> new StenoLogger(Session.ofProcess().channel(n, Slf4jSyntax.INSTANCE)));
  }
}
