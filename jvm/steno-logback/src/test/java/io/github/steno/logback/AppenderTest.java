package io.github.steno.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that logs by Logback, with its configuration. */
class AppenderTest {
  @TempDir Path directory;

  @Test
  void eventsAreRecorded() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      Path expected = directory.resolve("expected");
      drained.run(Program.class, List.of("-Dlogback.configurationFile=logback-steno.xml"), expected.toString(), "5000");
      drained.waitUntilStagingIsGone();
      String[] messages = Files.readString(expected).split(DrainedLog.END);
      String[] got = drained.cat("{message}\u0001").split(DrainedLog.END);
      for (int i = 0; i < messages.length; i++) assertEquals(messages[i], got[i], "message " + i);
      assertEquals(List.of(
          "WARN Program.java main [M] [] marked 1",
          "INFO Program.java main [M N] [] marked twice",
          "ERROR Program.java main [] [r-1] thrown 2", "java.lang.IllegalStateException: first",
          "INFO Program.java main [] [] n=5 fluent true"),
          drained.cat("{level} {basename} {thread} [{arg:marker}] [{arg:request}] {message}", "--where",
              "logger == \"com.acme.Calls\"").lines().filter(line -> !line.startsWith("\tat ")).toList());
      String traces = Files.readString(Path.of(expected + ".traces"));
      assertTrue(traces.contains("common frames omitted"), traces);
      assertEquals(traces, drained.cat("{message}", "--where", "logger == \"com.acme.Traces\""));
    }
  }
}
