package io.github.steno.slf4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.StenoCommand;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that log by SLF4J, in JVMs of their own, drained by {@code steno scribe} and read by {@code steno cat}. */
class ProviderTest {
  private static final int PATIENCE_S = 120;

  @TempDir Path directory;
  private Path log;
  private Process scribe;

  @BeforeEach
  void startScribe() throws IOException {
    log = directory.resolve("app.steno");
    scribe = StenoCommand.command("scribe", "--root", directory.toString(), "--flush", "0.1", log.toString())
        .redirectErrorStream(true).redirectOutput(directory.resolve("scribe.out").toFile()).start();
  }

  @AfterEach
  void stopScribe() throws InterruptedException {
    if (scribe == null) return;
    scribe.destroy();
    if (!scribe.waitFor(PATIENCE_S, TimeUnit.SECONDS)) scribe.destroyForcibly();
  }

  private Process program(List<String> options, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", System.getProperty("java.class.path"),
        "-Dsteno.staging=" + directory, "-Dsteno.path=" + log, "-Dsteno.block_at_most=-1"));
    line.addAll(options);
    line.add(Program.class.getName());
    line.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(line).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("program.out").toFile())).start();
  }

  private void run(List<String> options, String... arguments) throws IOException, InterruptedException {
    Process process = program(options, arguments);
    assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), "it ends");
    assertEquals(0, process.exitValue(), Files.readString(directory.resolve("program.out")));
  }

  /** All is on file then: staging is removed by its owner, or by the scribe of one that died. */
  private void waitUntilStagingIsGone() throws IOException, InterruptedException {
    for (int waited = 0; waited < PATIENCE_S * 100; waited++) {
      if (staging() == 0) return;
      Thread.sleep(10);
    }
    throw new AssertionError("staging stays: " + Files.readString(directory.resolve("scribe.out")));
  }

  private long staging() throws IOException {
    long found = 0;
    try (var users = Files.newDirectoryStream(directory, "steno-*")) {
      for (Path user : users) {
        try (var sessions = Files.newDirectoryStream(user, "*-????????????????")) {
          for (Path session : sessions) found += Files.exists(session) ? 1 : 0;
        }
      }
    }
    return found;
  }

  private String cat(String pattern) throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run("cat", "--raw", "--pattern", pattern, log.toString());
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  @Test
  void generatedMessagesAreWhatMessageFormatterMakesOfThem() throws Exception {
    Path expected = directory.resolve("expected");
    run(List.of(), "messages", expected.toString(), "20000");
    waitUntilStagingIsGone();
    String[] wanted = Files.readString(expected).split(Program.END);
    // Throwables have no part in these, and nothing else prints behind a message.
    String[] got = cat("{message}\u0001").split(Program.END);
    for (int i = 0; i < Math.min(wanted.length, got.length); i++) assertEquals(wanted[i], got[i], "message " + i);
    assertEquals(wanted.length, got.length);
    StenoCommand.Ran verify = StenoCommand.run("verify", log.toString());
    assertEquals(0, verify.code(), verify.out() + verify.err());
    assertTrue(verify.out().startsWith("complete: 20,000 records"), verify.out());
  }

  @Test
  void callsOfEachKindAreRecorded() throws Exception {
    run(List.of("-Dsteno.level=debug", "-Dsteno.level.com.quiet=warn"), "calls");
    waitUntilStagingIsGone();
    List<String> lines = cat("{level} {logger} {basename} {message}").lines()
        .filter(line -> !line.startsWith("\tat ")).toList();
    String prefix = " com.acme.Calls Program.java ";
    assertEquals(List.of(
        "DEBUG" + prefix + "debug 1",
        "INFO" + prefix + "info",
        "WARN" + prefix + "warn a 2",
        "ERROR" + prefix + "error 1 2 3",
        "ERROR" + prefix + "thrown", "java.lang.IllegalStateException: first",
        "ERROR" + prefix + "thrown too", "java.lang.IllegalStateException: second",
        "INFO" + prefix + "null",
        "INFO" + prefix + "none {}",
        "INFO" + prefix + "marked 7",
        "INFO" + prefix + "not marked",
        "INFO" + prefix + "marked with context",
        "INFO" + prefix + "with context",
        "INFO" + prefix + "of another thread null",
        "INFO" + prefix + "without context",
        "INFO" + prefix + "AUDIT user=eve n=5 fluent true",
        "WARN" + prefix + "supplied 9", "java.lang.RuntimeException: third",
        "WARN com.quiet.Class Program.java loud"), lines);
    StenoCommand.Ran where = StenoCommand.run("cat", "--pattern", "{message} by {function}", "--where",
        "request == \"r-1\"", log.toString());
    assertEquals("marked with context by io.github.steno.slf4j.Program.calls\n"
        + "with context by io.github.steno.slf4j.Program.calls\n", where.out(), where.err());
    StenoCommand.Ran marked = StenoCommand.run("cat", "--pattern", "{message} {arg:marker} {arg:request}", "--where",
        "marker != \"\"", log.toString());
    assertEquals(List.of("marked 7 M ", "marked with context AUDIT r-1"),
        marked.out().lines().toList(), marked.err());
  }

  @Test
  void nothingThatACallHasReturnedFromDiesWithTheProcess() throws Exception {
    int threads = 2;
    Path returned = directory.resolve("returned");
    Files.write(returned, new byte[4096]);
    Process process = program(List.of(), "count", returned.toString(), String.valueOf(threads));
    while (count(returned, 0) < 20_000 || count(returned, 1) < 20_000) {
      assertTrue(process.isAlive(), () -> "it died too early");
      Thread.sleep(1);
    }
    process.destroyForcibly().waitFor();
    waitUntilStagingIsGone();
    int[] next = new int[threads];
    String[] lines = cat("{message}").split("\n");
    for (String line : lines) {
      String[] words = line.split(" ");
      if (!words[0].equals("thread")) continue;
      int thread = Integer.parseInt(words[1]);
      assertEquals(next[thread]++, Integer.parseInt(words[3]), line);
    }
    for (int t = 0; t < threads; t++) {
      int calls = count(returned, t);
      assertTrue(next[t] == calls || next[t] == calls + 1, calls + " calls returned, " + next[t] + " are in the log");
    }
    assertTrue(lines[lines.length - 1].endsWith("everything that it logged is here"), lines[lines.length - 1]);
  }

  private static int count(Path returned, int thread) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(returned)).getInt(64 * thread);
  }

  @Test
  void aProgramWithoutAScribeEndsAndLeavesItsRecords() throws Exception {
    stopScribe();
    run(List.of(), "calls");
    assertEquals(1, staging());
    assertTrue(Files.readString(directory.resolve("program.out")).contains("'steno scribe' or 'steno recover'"));
    StenoCommand.Ran recover = StenoCommand.run("recover", log.toString(), "--root", directory.toString());
    assertEquals(0, recover.code(), recover.err());
    assertTrue(cat("{message}").contains("fluent true"));
    assertEquals(0, staging());
  }
}
