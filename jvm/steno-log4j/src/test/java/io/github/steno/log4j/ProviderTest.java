package io.github.steno.log4j;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.steno.DrainedLog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that log by Log4j's API, in JVMs of their own. */
class ProviderTest {
  @TempDir Path directory;

  @Test
  void generatedMessagesAreWhatParameterizedMessageMakesOfThem() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      Path expected = directory.resolve("expected");
      drained.run(Program.class, List.of("-Dlog4j2.StatusLogger.level=OFF"), "messages", expected.toString(), "20000");
      drained.expectMessages(expected);
    }
  }

  @Test
  void theExampleLogs() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run("com.acme.Main", List.of());
      drained.expectExample(getClass());
    }
  }

  @Test
  void callsOfEachKindAreRecorded() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of("-Dlog4j2.StatusLogger.level=OFF", "-Dsteno.level=debug",
          "-Dsteno.level.com.quiet=warn", "-Dsteno.level.com.traced=trace"), "calls");
      drained.waitUntilStagingIsGone();
      List<String> lines = drained.cat("{level} {logger} {basename} {message}").lines()
          .filter(line -> !line.startsWith("\tat ")).toList();
      String here = " com.acme.Calls Program.java ";
      String nowhere = " com.acme.Calls  ";
      assertEquals(List.of(
          "DEBUG" + here + "debug 1",
          "INFO" + here + "info",
          "WARN" + here + "warn a 2",
          "ERROR" + here + "error 1 2 3",
          "CRITICAL" + here + "fatal 1 2 3 4 5 6",
          "NOTICE" + here + "custom level",
          "ERROR" + here + "thrown", "java.lang.IllegalStateException: first",
          "ERROR" + here + "thrown too", "java.lang.IllegalStateException: second",
          "ERROR" + here + "printed 4 java.lang.IllegalStateException: third",
          "INFO" + here + "supplied 7",
          "INFO" + here + "supplied text",
          "INFO" + here + "supplied message 14",
          "ERROR" + here + "null", "java.lang.IllegalStateException: fourth",
          "INFO" + here + "made 8",
          "INFO" + nowhere + "key=\"value\"",
          "INFO" + nowhere + "type [id ] structured",
          "INFO" + nowhere + "9",
          "INFO" + here + "null",
          "INFO" + here + "printf is 0010%",
          "INFO" + here + "built 11",
          "INFO" + here + "marked 12",
          "INFO" + here + "with context false",
          "INFO" + here + "of another thread null",
          "INFO" + here + "without context",
          "WARN com.quiet.Class Program.java loud WARN false",
          "TRACE com.traced.Class  Enter of me",
          "TRACE com.traced.Class  Exit of me: 13"), lines);
      assertEquals("with context false by io.github.steno.log4j.Program.calls, r-1\n",
          drained.cat("{message} by {function}, {arg:request}", "--where", "user == \"eve\""));
      assertEquals("built 11\n", drained.cat("{message}", "--where", "marker == \"BUILT\""));
    }
  }

  @Test
  void failuresOfTheProgramsCodeAreNamedInRecords() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of("-Dlog4j2.StatusLogger.level=OFF"), "failures");
      drained.waitUntilStagingIsGone();
      String own = "[!!!io.github.steno.log4j.Program$N@N=>";
      String text = own + "java.lang.IllegalStateException:no text!!!]";
      assertEquals(List.of(text, text, "argument " + text,
          "[!!!io.github.steno.log4j.Program$$Lambda@N=>java.lang.NoClassDefFoundError:com/acme/Gone!!!]",
          "argument [!!!io.github.steno.log4j.Program$$Lambda@N=>java.lang.StackOverflowError:null!!!]", text,
          "java.lang.IllegalStateException: supplied", "java.lang.IllegalStateException: supplied", "after"),
          drained.cat("{message}").replaceAll("Lambda[$/\\w]*@\\w+", "Lambda@N").replaceAll("Program\\$\\d+@\\w+", "Program\\$N@N")
              .lines().filter(line -> !line.startsWith("\tat ")).toList());
    }
  }

  /** Log4j's own would throw each of these into the program. */
  @Test
  void failuresOfSuppliersAndFactoriesAreNamedInRecords() throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      drained.run(Program.class, List.of("-Dlog4j2.StatusLogger.level=OFF", "-Dsteno.level=trace"), "suppliers");
      drained.waitUntilStagingIsGone();
      String supplier = "[!!!io.github.steno.log4j.Program$$Lambda@N=>java.lang.IllegalStateException:no value!!!]";
      String message = "[!!!io.github.steno.log4j.Program$$Lambda@N=>java.lang.NoClassDefFoundError:com/acme/Gone!!!]";
      String factory = "[!!!io.github.steno.log4j.Program$FailingFactory@N=>java.lang.UnsupportedOperationException:no message!!!]";
      String thrown = "java.lang.IllegalStateException: thrown";
      String here = " Program.java ";
      assertEquals(List.of("INFO" + here + "argument " + supplier + " of 2", "INFO" + here + message, "INFO  null",
          "WARN" + here + message, thrown, "ERROR" + here + "with its own 1", thrown, "ERROR" + here + message, thrown,
          "INFO" + here + "after",
          "TRACE  Enter entered " + supplier, "TRACE  Enter params(" + supplier + ", 3)", "TRACE  Enter",
          "INFO" + here + factory, "ERROR" + here + factory, thrown, "INFO" + here + factory, "INFO" + here + factory,
          "INFO" + here + factory, "INFO" + here + factory, "INFO" + here + factory),
          drained.cat("{level} {basename} {message}").replaceAll("Lambda[$/\\w]*@\\w+", "Lambda@N")
              .replaceAll("Factory@\\w+", "Factory@N").lines().filter(line -> !line.startsWith("\tat ")).toList());
    }
  }
}
