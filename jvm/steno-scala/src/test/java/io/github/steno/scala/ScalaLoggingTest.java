package io.github.steno.scala;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.steno.DrainedLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with {@code com.typesafe.scalalogging}, compiled and run as it is. */
class ScalaLoggingTest {
  @TempDir Path directory;

  @Test
  void unchangedCodeLogs() throws Exception {
    Path classes = Files.createDirectory(directory.resolve("classes"));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String path = System.getProperty("java.class.path");
    Process compiler = new ProcessBuilder(java.toString(), "-cp", path, "scala.tools.nsc.Main", "-usejavacp", "-d",
        classes.toString(), Path.of("src/test/scala/Application.scala").toString()).inheritIO().start();
    assertEquals(0, compiler.waitFor());
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run("com.acme.Application", List.of("-cp", classes + ":" + path));
      drained.waitUntilStagingIsGone();
      assertEquals(List.of(
          "INFO com.acme.Application$ Application.scala:10 interpolated 42 of text",
          "INFO com.acme.Application$ Application.scala:11 format 1 of 2 for acme",
          "ERROR com.acme.Application$ Application.scala:13 thrown", "java.lang.IllegalStateException: why",
          "WARN com.acme.Part Application.scala:19 lazy 1",
          "WARN com.acme.Part Application.scala:19 lazy 2",
          "WARN com.acme.Part Application.scala:19 lazy 3"),
          drained.cat("{level} {logger} {basename}:{line} {message}").lines().filter(line -> !line.startsWith("\tat "))
              .toList());
    }
  }
}
