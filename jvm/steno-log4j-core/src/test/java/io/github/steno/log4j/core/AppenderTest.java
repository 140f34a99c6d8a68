package io.github.steno.log4j.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.steno.DrainedLog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that logs by Log4j, with its configuration. */
class AppenderTest {
  @TempDir Path directory;

  @Test
  void eventsAreRecorded() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of("-Dlog4j2.configurationFile=log4j2-steno.xml"));
      drained.waitUntilStagingIsGone();
      List<String> lines = drained.cat("{level} {logger} {basename} {thread} [{arg:marker}] [{arg:request}] {message}")
          .lines().filter(line -> !line.startsWith("\tat ")).toList();
      String here = " com.acme.Calls Program.java main ";
      for (int i = 0; i < 1000; i++) assertEquals("INFO" + here + "[] [] number " + i + " of many", lines.get(i));
      assertEquals(List.of(
          "WARN" + here + "[M] [] marked 1",
          "CRITICAL" + here + "[] [r-1] with context 2",
          "INFO" + here + "[] [] 0003",
          "ERROR" + here + "[] [] thrown 4", "java.lang.IllegalStateException: first",
          "INFO" + here + "[] [] plain {}",
          "INFO com.acme.Calls  main [] [] object {}"), lines.subList(1000, lines.size() - 6));
      String once = "asked 1 times";
      assertEquals(List.of("one " + once, "two " + once + " and 7 of " + once, "beside one another " + once + once,
          "as an object [" + once + "]", "made " + once, once),
          drained.cat("{message}", "--where", "logger == \"com.acme.Once\"").lines().toList());
      // The parts are arguments as ever.
      assertEquals("7\n", drained.cat("{arg:1}", "--where", "logger == \"com.acme.Once\" and {1} == 7"));
    }
  }
}
