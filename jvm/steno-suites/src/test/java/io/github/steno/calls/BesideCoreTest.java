package io.github.steno.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where steno's provider and Log4j's core are on one class path. */
class BesideCoreTest extends DrainedTest {
  private static final String NOTICE = "steno: steno-log4j comes before log4j-core";

  @Test
  void aProgramThatNeedsCoreIsToldWhatToDo() throws Exception {
    assertEquals(1, drained.begin(CastProgram.class, List.of()).waitFor());
    assertTrue(drained.said().contains(NOTICE), drained.said());
    assertTrue(drained.said().contains("java.lang.ClassCastException"), drained.said());
  }

  @Test
  void coreIsUsedWhereItIsNamed() throws Exception {
    drained.run(CastProgram.class, List.of("-Dlog4j.provider=org.apache.logging.log4j.core.impl.Log4jProvider"));
    assertFalse(drained.said().contains(NOTICE), drained.said());
    assertTrue(drained.said().contains("by core"), drained.said());
  }
}
