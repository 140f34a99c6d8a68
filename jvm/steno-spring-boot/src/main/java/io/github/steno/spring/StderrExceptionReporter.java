package io.github.steno.spring;

import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Prints an exception that ended the start where only the log would have it, and that no analysis explains. */
@Order(Ordered.LOWEST_PRECEDENCE)
public final class StderrExceptionReporter implements SpringBootExceptionReporter {
  @Override
  public boolean reportException(Throwable failure) {
    if (StenoLoggingSystem.isSilent()) failure.printStackTrace();
    return false;  // Boot logs it besides
  }
}
