package io.github.steno.log4j;

import org.apache.logging.log4j.test.spi.ThreadContextMapSuite;
import org.junit.jupiter.api.Test;

/** Runs Log4j's own tests of the maps of {@code ThreadContext}. */
class ThreadContextMapSuiteTest extends ThreadContextMapSuite {
  private final StenoThreadContextMap map = new StenoThreadContextMap();

  @Test
  void threadsDoNotInherit() {
    threadLocalNotInheritableByDefault(map);
  }

  @Test
  void aValueIsSetAndRemoved() {
    singleValue(map);
  }

  @Test
  void aCopyMayBeChanged() {
    getCopyReturnsMutableCopy(map);
  }

  @Test
  void anEmptyMapIsNull() {
    getImmutableMapReturnsNullIfEmpty(map);
  }

  @Test
  void theMapItselfMayNotBeChanged() {
    getImmutableMapReturnsImmutableMapIfNonEmpty(map);
  }

  @Test
  void theMapIsWhatItWas() {
    getImmutableMapCopyNotAffectedByContextMapChanges(map);
  }
}
