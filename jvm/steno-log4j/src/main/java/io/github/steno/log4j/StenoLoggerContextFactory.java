package io.github.steno.log4j;

import io.github.steno.Log4jMessages;
import java.net.URI;
import org.apache.logging.log4j.spi.LoggerContext;
import org.apache.logging.log4j.spi.LoggerContextFactory;

/** There is one context, as there is one session in a process. */
public final class StenoLoggerContextFactory implements LoggerContextFactory {
  private final LoggerContext context = new StenoLoggerContext();

  public StenoLoggerContextFactory() {
    Log4jMessages.sayThatCoreIsThere(StenoLoggerContextFactory.class.getClassLoader());
  }

  @Override
  public LoggerContext getContext(String caller, ClassLoader loader, Object externalContext, boolean currentContext) {
    return context;
  }

  @Override
  public LoggerContext getContext(String caller, ClassLoader loader, Object externalContext, boolean currentContext,
      URI configuration, String name) {
    return context;
  }

  @Override
  public void removeContext(LoggerContext removed) {}

  @Override
  public boolean isClassLoaderDependent() {
    return false;
  }
}
