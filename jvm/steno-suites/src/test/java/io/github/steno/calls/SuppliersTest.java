package io.github.steno.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of docs/jvm.md on suppliers that throw: what other classes ask before steno is called. */
class SuppliersTest extends DrainedTest {
  @Test
  void failuresOfSuppliersReachTheCallerWhereOthersAskThem() throws Exception {
    drained.run(SuppliersProgram.class, List.of("-Dlog4j2.StatusLogger.level=OFF", "-Dslf4j.internal.verbosity=ERROR"));
    drained.waitUntilStagingIsGone();
    for (String call : List.of("Logback addArgument", "Logback addKeyValue", "Logback setMessage", "Logback log",
        "Log4j's core info", "Log4j's core info with arguments", "Log4j's core builder", "java.util.logging info")) {
      assertTrue(drained.said().contains(call + " has thrown\n"), call + ": " + drained.said());
    }
    assertEquals("after Logback\nafter Log4j's core\nafter java.util.logging\n", drained.cat("{message}"));
  }
}
