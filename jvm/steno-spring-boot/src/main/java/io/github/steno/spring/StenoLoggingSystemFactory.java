package io.github.steno.spring;

import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.logging.LoggingSystemFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * The factory that Spring Boot finds in {@code spring.factories} and asks before its own logging systems. SLF4J has
 * chosen its provider then, because loggers in static fields come first. With steno's provider,
 * {@link StenoLoggingSystem} sets its levels; with Logback, {@link StenoLogbackSystem} gives it steno's appender. With
 * any other provider, Boot decides as if this factory did not exist.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class StenoLoggingSystemFactory implements LoggingSystemFactory {
  private static final String OF_STENO = "io.github.steno.slf4j.";
  private static final String OF_LOGBACK = "ch.qos.logback.classic.LoggerContext";

  @Override
  public LoggingSystem getLoggingSystem(ClassLoader loader) {
    String provider = provider();
    if (provider.startsWith(OF_STENO)) return new StenoLoggingSystem();
    return provider.equals(OF_LOGBACK) ? new StenoLogbackSystem(loader) : null;
  }

  private static String provider() {
    try {
      return LoggerFactory.getILoggerFactory().getClass().getName();
    } catch (LinkageError e) {
      return "";  // there is no SLF4J, or one of version 1 without a binding
    }
  }
}
