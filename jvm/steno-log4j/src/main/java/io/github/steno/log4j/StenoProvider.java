package io.github.steno.log4j;

import org.apache.logging.log4j.spi.Provider;

/**
 * The provider that Log4j's API finds by {@link java.util.ServiceLoader}. Programs only need it on their class path. It
 * comes before Log4j's own implementation (priority 10) and its bridge to SLF4J (15), should they be there too.
 */
public final class StenoProvider extends Provider {
  private static final int PRIORITY = 20;

  public StenoProvider() {
    super(PRIORITY, CURRENT_VERSION, StenoLoggerContextFactory.class, StenoThreadContextMap.class);
  }
}
