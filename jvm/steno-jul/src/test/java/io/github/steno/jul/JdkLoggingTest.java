package io.github.steno.jul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedLog;
import io.github.steno.StenoCommand;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that log by {@code java.util.logging} and {@code System.Logger}, in JVMs of their own. */
class JdkLoggingTest {
  @TempDir Path directory;

  @Test
  void generatedMessagesAreWhatTheJdksFormatterMakesOfThem() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      Path expected = directory.resolve("expected");
      drained.run(Program.class, List.of(), "messages", expected.toString(), "5000");
      drained.expectMessages(expected);
    }
  }

  @Test
  void theExampleLogs() throws Exception {
    Path configuration = Path.of(getClass().getResource("/logging.properties").toURI());
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run("com.acme.Main", List.of("-Djava.util.logging.config.file=" + configuration));
      drained.expectExample(getClass());
    }
  }

  @Test
  void callsOfEachKindAreRecorded() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of("-Duser.language=en"), "calls");
      drained.waitUntilStagingIsGone();
      List<String> lines = drained.cat("{level} {logger} {basename} {message}").lines()
          .filter(line -> !line.startsWith("\tat ") && !line.contains(" jdk.") && !line.contains(" java.")).toList();
      String jul = " com.acme.Calls Program.java ";
      String system = " com.acme.System Program.java ";
      assertEquals(List.of(
          "INFO" + jul + "info",
          "WARN" + jul + "warn a of 12,345",
          "ERROR" + jul + "severe 1",
          "ERROR" + jul + "thrown", "java.lang.IllegalStateException: first",
          "INFO" + jul + "supplied",
          "DEBUG" + jul + "fine",
          "DEBUG" + jul + "ENTRY",
          "INFO" + system + "system x",
          "WARN" + system + "system 2 1",
          "ERROR" + system + "system", "java.lang.IllegalStateException: second",
          "INFO" + system + "system supplied"), lines);
    }
  }

  @Test
  void failuresOfTheProgramsCodeAreNamedInRecords() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of(), "failures");
      drained.waitUntilStagingIsGone();
      String gone = "[FAILED toString(): java.lang.NoClassDefFoundError]";
      assertEquals(List.of(gone + " of 2", "2 of " + gone, "null and " + gone, gone, gone,
          "[FAILED get(): java.lang.StackOverflowError]", "[FAILED get(): java.lang.StackOverflowError]", "after"),
          drained.cat("{message}", "--where", "logger == \"com.acme.Failures\"").lines().toList());
    }
  }

  /** From JDK 22 on the JDK itself logs, by System.Logger, that a process is started. */
  @Test
  void theJdkMayLogWhileTheLogIsOpened() throws Exception {
    Path java = DrainedLog.javaOf(22);
    assumeTrue(java != null, "no JDK of 22 or later under /usr/lib/jvm");
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.stopScribe();
      drained.run(java, Program.class.getName(), List.of("-Dsteno.scribe=" + StenoCommand.path(), "-Dsteno.level=debug"), "suppliers");
      drained.waitUntilStagingIsGone();
      assertFalse(drained.said().contains("steno:"), drained.said());
      assertEquals("reached the caller 4 times\n", drained.cat("{message}", "--where", "logger == \"com.acme.Suppliers\""));
    }
  }

  /** docs/jvm.md states this about suppliers that throw. */
  @Test
  void failuresOfSuppliersReachTheCallerOfTheJdksLogger() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of(), "suppliers");
      drained.waitUntilStagingIsGone();
      assertEquals("reached the caller 4 times\n", drained.cat("{message}", "--where", "logger == \"com.acme.Suppliers\""));
    }
  }
}
