package io.github.steno.log4j;

import java.net.URI;
import org.apache.logging.log4j.spi.LoggerContext;
import org.apache.logging.log4j.spi.LoggerContextFactory;

/** There is one context, as there is one session in a process; but classes that cannot do without Log4j's core have core's. */
public final class StenoLoggerContextFactory implements LoggerContextFactory {
  private final LoggerContext context = new StenoLoggerContext();
  /** Null if Log4j's core is not there. */
  private final CoreBeside core = CoreBeside.find(StenoLoggerContextFactory.class.getClassLoader());

  private LoggerContextFactory factoryOfCaller() {
    return core == null ? null : core.factoryOfCaller();
  }

  private LoggerContextFactory factoryInUse() {
    return core == null ? null : core.factoryInUse();
  }

  @Override
  public LoggerContext getContext(String caller, ClassLoader loader, Object externalContext, boolean currentContext) {
    LoggerContextFactory other = factoryOfCaller();
    return other == null ? context : other.getContext(caller, loader, externalContext, currentContext);
  }

  @Override
  public LoggerContext getContext(String caller, ClassLoader loader, Object externalContext, boolean currentContext,
      URI configuration, String name) {
    LoggerContextFactory other = factoryOfCaller();
    return other == null ? context : other.getContext(caller, loader, externalContext, currentContext, configuration, name);
  }

  @Override
  public void shutdown(String caller, ClassLoader loader, boolean currentContext, boolean allContexts) {
    LoggerContextFactory other = factoryInUse();
    if (other != null) other.shutdown(caller, loader, currentContext, allContexts);
  }

  @Override
  public void removeContext(LoggerContext removed) {
    LoggerContextFactory other = factoryInUse();
    if (other != null && removed != context) other.removeContext(removed);
  }

  @Override
  public boolean isClassLoaderDependent() {
    return false;
  }
}
