package io.github.steno.log4j;

import io.github.steno.Log4jSyntax;
import io.github.steno.Session;
import org.apache.logging.log4j.message.MessageFactory;
import org.apache.logging.log4j.spi.ExtendedLogger;
import org.apache.logging.log4j.spi.LoggerContext;
import org.apache.logging.log4j.spi.LoggerRegistry;

/** One logger for each name and message factory, in the session of the process. */
final class StenoLoggerContext implements LoggerContext {
  private final LoggerRegistry<ExtendedLogger> loggers = new LoggerRegistry<>();

  @Override
  public Object getExternalContext() {
    return null;
  }

  @Override
  public ExtendedLogger getLogger(String name) {
    return getLogger(name, null);
  }

  @Override
  public ExtendedLogger getLogger(String name, MessageFactory factory) {
    ExtendedLogger known = loggers.getLogger(name, factory);
    if (known != null) return known;
    Session session = Session.ofProcess();
    StenoLogger made = new StenoLogger(session.channel(name, Log4jSyntax.INSTANCE), factory);
    if (session.isStandIn()) return made;
    loggers.putIfAbsent(name, factory, made);
    return loggers.getLogger(name, factory);
  }

  @Override
  public LoggerRegistry<ExtendedLogger> getLoggerRegistry() {
    return loggers;
  }

  @Override
  public boolean hasLogger(String name) {
    return hasLogger(name, (MessageFactory) null);
  }

  @Override
  public boolean hasLogger(String name, Class<? extends MessageFactory> factory) {
    return loggers.hasLogger(name, factory);
  }

  @Override
  public boolean hasLogger(String name, MessageFactory factory) {
    return loggers.hasLogger(name, factory);
  }
}
