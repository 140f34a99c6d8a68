package io.github.steno.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedLog;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OpenTelemetry's agent, which rewrites classes of loggers and of much else, beside ours. It exports nothing. */
class OpenTelemetryTest {
  private static final String STENO = "-javaagent:" + System.getProperty("steno.agent");
  private static final List<String> NO_EXPORT =
      List.of("-Dotel.traces.exporter=none", "-Dotel.metrics.exporter=none", "-Dotel.logs.exporter=none");

  @TempDir Path directory;

  private static String telemetry() {
    String jar = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.contains("opentelemetry-javaagent")).findFirst().orElseThrow();
    return "-javaagent:" + jar;
  }

  @Test
  void recordsAreWhatTheyAreWithoutIt() throws Exception {
    String alone = run("alone", List.of());
    assertTrue(alone.contains("INFO main Program.java:13 0 of 3 for acme"), alone);
    assertTrue(alone.contains("ERROR worker Program.java:19 in a thread true"), alone);
    assertEquals(alone, run("telemetry", List.of(telemetry())));
    assertEquals(alone, run("first", List.of(telemetry(), STENO)));
    assertEquals(alone, run("second", List.of(STENO, telemetry())));
  }

  private String run(String name, List<String> agents) throws Exception {
    try (DrainedLog drained = new DrainedLog(Files.createDirectory(directory.resolve(name)))) {
      List<String> options = new ArrayList<>(agents);
      options.addAll(NO_EXPORT);
      drained.run(Program.class, options);
      drained.waitUntilStagingIsGone();
      if (agents.contains(telemetry())) assertTrue(drained.said().contains("opentelemetry-javaagent - version"), drained.said());
      return drained.cat("{level} {thread} {basename}:{line} {message} {arg:request}");
    }
  }
}
