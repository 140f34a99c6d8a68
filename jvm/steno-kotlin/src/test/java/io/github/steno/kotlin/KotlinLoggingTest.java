package io.github.steno.kotlin;

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
      drained.expectExample(KotlinLoggingTest.class);
    }
  }
}
