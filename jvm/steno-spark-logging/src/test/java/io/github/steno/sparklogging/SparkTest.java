package io.github.steno.sparklogging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Spark's logging, which ended with a ClassCastException where steno was all that Log4j's API had. */
class SparkTest extends DrainedTest {
  @Test
  void sparkLogsIntoStenoBesideCore() throws Exception {
    drained.run(SparkProgram.class, List.of());
    drained.waitUntilStagingIsGone();
    assertTrue(drained.said().contains("Spark has thrown it on"), drained.said());
    assertTrue(drained.said().contains("steno: steno-log4j: log4j-core is there, too, and org.apache.spark."), drained.said());
    List<String> lines = drained.cat("{level} {logger} {message}").lines().toList();
    assertEquals("ERROR org.apache.spark.util.SparkErrorUtils Exception encountered", lines.get(0));
    assertTrue(lines.contains("java.lang.IllegalStateException: out of stock"), lines.toString());
  }
}
