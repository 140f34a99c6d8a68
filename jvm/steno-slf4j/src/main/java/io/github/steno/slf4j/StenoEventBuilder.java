package io.github.steno.slf4j;

import io.github.steno.SafeText;
import java.util.function.Supplier;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.spi.DefaultLoggingEventBuilder;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The event of the fluent API. SLF4J's own builder throws a supplier's exception into the caller, and the record is
 * lost. This one puts the failure into the record, and the caller goes on. One thread at a time.
 */
final class StenoEventBuilder extends DefaultLoggingEventBuilder {
  private static final String BOUNDARY = StenoEventBuilder.class.getName();

  StenoEventBuilder(StenoLogger logger, Level level) {
    super(logger, level);
  }

  @Override
  public LoggingEventBuilder setMessage(Supplier<String> supplier) {
    return setMessage(SafeText.suppliedText(supplier));
  }

  @Override
  public LoggingEventBuilder addArgument(Supplier<?> supplier) {
    return addArgument(SafeText.supplied(supplier));
  }

  @Override
  public LoggingEventBuilder addKeyValue(String key, Supplier<Object> supplier) {
    return addKeyValue(key, SafeText.supplied(supplier));
  }

  @Override
  public void log(Supplier<String> supplier) {
    log(supplier == null ? null : SafeText.suppliedText(supplier));
  }

  /** All of the others come here. Wrappers have set a boundary of their own. */
  @Override
  protected void log(LoggingEvent event) {
    if (event.getCallerBoundary() == null) setCallerBoundary(BOUNDARY);
    ((LoggingEventAware) logger).log(event);
  }
}
