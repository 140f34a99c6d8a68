package io.github.steno.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests steno's provider and Log4j's core on one class path (docs/jvm/log4j.md). */
class BesideCoreTest extends DrainedTest {
  private static final String NOTICE = "steno: steno-log4j: log4j-core is there, too, and io.github.steno.calls.CastProgram casts";

  @Test
  void aClassThatCastsGetsLoggersOfCoreAndOthersThoseOfSteno() throws Exception {
    drained.run(CastProgram.class, List.of());
    drained.waitUntilStagingIsGone();
    assertEquals(1, drained.said().split(NOTICE, -1).length - 1, drained.said());
    assertTrue(drained.said().contains("by core"), drained.said());
    assertEquals("CastProgram.Other by steno\nCastProgram.Asking asked first\nCastProgram.Other by steno\n",
        drained.cat("{logger} {message}").replace(getClass().getPackageName() + ".", ""));
  }

  @Test
  void coreIsUsedWhereItIsNamed() throws Exception {
    drained.run(CastProgram.class, List.of("-Dlog4j.provider=org.apache.logging.log4j.core.impl.Log4jProvider"));
    assertFalse(drained.said().contains("steno-log4j"), drained.said());
    assertTrue(drained.said().contains("by core"), drained.said());
    assertFalse(drained.log.toFile().exists() && drained.cat("{message}").contains("by steno"), drained.said());
  }
}
