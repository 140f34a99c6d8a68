package io.github.steno.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.steno.DrainedLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with kotlin-logging and with SLF4J itself, run as it is. */
class KotlinLoggingTest {
  @TempDir static Path directory;

  @Test
  void unchangedCodeLogs() throws Exception {
    run("plain", List.of());
  }

  @Test
  void unchangedCodeLogsWithTheAgent() throws Exception {
    run("woven", List.of("-javaagent:" + System.getProperty("steno.agent")));
  }

  private static void run(String name, List<String> options) throws Exception {
    try (DrainedLog drained = new DrainedLog(Files.createDirectory(directory.resolve(name)))) {
      drained.run("com.acme.ApplicationKt", options);
      drained.waitUntilStagingIsGone();
      assertEquals(List.of(
          "INFO com.acme.Plain Application.kt:20 format 1 of 2 for acme",
          "INFO com.acme.Plain Application.kt:21 none",
          "WARN com.acme.Plain Application.kt:22 user=eve fluent 2.5",
          "INFO com.acme.Application Application.kt:23 interpolated 42",
          "ERROR com.acme.Application Application.kt:25 thrown", "java.lang.IllegalStateException: why",
          "WARN com.acme.Part Application.kt:15 lazy 1",
          "WARN com.acme.Part Application.kt:15 lazy 2"),
          drained.cat("{level} {logger} {basename}:{line} {message}").lines().filter(line -> !line.startsWith("\tat "))
              .toList());
    }
  }
}
