package io.github.steno.scala;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with {@code com.typesafe.scalalogging}, compiled and run as it is. */
class ScalaLoggingTest {
  @TempDir static Path directory;
  private static String path;

  @BeforeAll
  static void compile() throws Exception {
    Path classes = Files.createDirectory(directory.resolve("classes"));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String own = System.getProperty("java.class.path");
    Process compiler = new ProcessBuilder(java.toString(), "-cp", own, System.getProperty("scala.compiler"), "-usejavacp", "-d",
        classes.toString(), System.getProperty("scala.source")).inheritIO().start();
    assertEquals(0, compiler.waitFor());
    path = classes + ":" + own;
  }

  @Test
  void unchangedCodeLogs() throws Exception {
    run("plain");
  }

  @Test
  void unchangedCodeLogsWithTheAgent() throws Exception {
    run("woven", "-javaagent:" + System.getProperty("steno.agent"));
  }

  /** What macros make of a call is woven as what a program would write. */
  @Test
  void wovenCallsAllocateNothing() throws Exception {
    assertTrue(allocated("busy") > 50);
    assertEquals(0, allocated("busy-woven", "-javaagent:" + System.getProperty("steno.agent")));
  }

  private static int allocated(String name, String... options) throws Exception {
    try (DrainedLog drained = new DrainedLog(Files.createDirectory(directory.resolve(name)))) {
      List<String> all = new ArrayList<>(List.of(options));
      all.addAll(List.of("-Dsteno.ring_bytes=65536", "-cp", path));
      drained.run("com.acme.Busy", all);
      String begin = "allocated: ";
      return drained.said().lines().filter(line -> line.startsWith(begin))
          .mapToInt(line -> Integer.parseInt(line.substring(begin.length()))).findFirst().orElseThrow();
    }
  }

  private static void run(String name, String... options) throws Exception {
    try (DrainedLog drained = new DrainedLog(Files.createDirectory(directory.resolve(name)))) {
      List<String> all = new ArrayList<>(List.of(options));
      all.addAll(List.of("-cp", path));
      drained.run("com.acme.Application", all);
      drained.waitUntilStagingIsGone();
      assertEquals(List.of(
          "INFO com.acme.Application$ Application.scala:12 interpolated 42 of text",
          "INFO com.acme.Application$ Application.scala:13 format 1 of 2 for acme",
          "ERROR com.acme.Application$ Application.scala:15 thrown", "java.lang.IllegalStateException: why",
          "WARN com.acme.Part Application.scala:21 lazy 1",
          "WARN com.acme.Part Application.scala:21 lazy 2",
          "WARN com.acme.Part Application.scala:21 lazy 3"),
          drained.cat("{level} {logger} {basename}:{line} {message}").lines().filter(line -> !line.startsWith("\tat "))
              .toList());
    }
  }
}
