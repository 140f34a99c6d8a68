package io.github.steno.slf4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedLog;
import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that log by SLF4J, in JVMs of their own, drained by {@code steno scribe} and read by {@code steno cat}. */
class ProviderTest extends DrainedTest {
  @Test
  void whatClashesIsToldApart() throws Exception {
    drained.run(Program.class, List.of(), "unusual");
    drained.waitUntilStagingIsGone();
    assertEquals(List.of(
        "[AUDIT] [of the MDC] [empty] marked",
        "[] [of the MDC] [empty] not marked",
        "[] [] [] first=1 why=java.lang.IllegalStateException: a value no exception",
        "[] [] [] why=java.lang.IllegalStateException: a value an exception 1", "java.lang.IllegalStateException: the exception",
        "[[FAILED toString(): java.lang.LinkageError]] [] [] failing marker 1",
        "[] [] [] [FAILED toString(): java.lang.LinkageError] failing fluent marker"),
        drained.cat("[{arg:marker}] [{arg:mdc.marker}] [{arg:mdc.empty}] {message}").lines()
            .filter(line -> !line.startsWith("\tat ")).toList());
  }

  /** SLF4J's own builder would throw each of these into the program. */
  @Test
  void failuresOfSuppliersAreNamedInRecords() throws Exception {
    drained.run(Program.class, List.of(), "suppliers");
    drained.waitUntilStagingIsGone();
    String gone = "[FAILED get(): java.lang.NoClassDefFoundError]";
    String text = "[FAILED get(): java.lang.IllegalStateException]";
    assertEquals(List.of(gone + " of 2", text, "null", text, "user=" + gone + " seat=18 booked 3",
        "no supplier [FAILED get(): java.lang.NullPointerException]", "supplied", text),
        drained.cat("{message}").lines().toList());
    // Lines with the same message have no function.
    assertTrue(drained.cat("{function}").lines().allMatch(of -> of.matches("io.github.steno.slf4j.Program(.suppliers| \\(several places\\))")),
        drained.cat("{function}"));
  }

  @Test
  void generatedMessagesAreWhatMessageFormatterMakesOfThem() throws Exception {
    Path expected = directory.resolve("expected");
    drained.run(Program.class, List.of(), "messages", expected.toString(), "20000");
    drained.expectMessages(expected);
  }

  @Test
  void callsOfEachKindAreRecorded() throws Exception {
    drained.run(Program.class, List.of("-Dsteno.level=debug", "-Dsteno.level.com.quiet=warn"), "calls");
    drained.waitUntilStagingIsGone();
    List<String> lines = drained.cat("{level} {logger} {basename} {message}").lines()
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
        "WARN" + prefix + "wrapped 1",
        "INFO" + prefix + "of another thread null",
        "INFO" + prefix + "without context",
        "INFO" + prefix + "AUDIT user=eve n=5 fluent true",
        "WARN" + prefix + "supplied 9", "java.lang.RuntimeException: third",
        "WARN com.quiet.Class Program.java loud"), lines);
    StenoCommand.Ran where = StenoCommand.run("cat", "--pattern", "{message} by {function}", "--where",
        "request == \"r-1\"", drained.log.toString());
    assertEquals("marked with context by io.github.steno.slf4j.Program.calls\n"
        + "with context by io.github.steno.slf4j.Program.calls\n"
        + "wrapped 1 by io.github.steno.slf4j.Program.calls\n", where.out(), where.err());
    StenoCommand.Ran marked = StenoCommand.run("cat", "--pattern", "{message} {arg:marker} {arg:request}", "--where",
        "marker != \"\"", drained.log.toString());
    assertEquals(List.of("marked 7 M ", "marked with context AUDIT r-1"),
        marked.out().lines().toList(), marked.err());
    StenoCommand.Ran named = StenoCommand.run("cat", "--pattern", "{message}|{arg:user}|{arg:n}", "--where",
        "user == \"eve\" and n > 4", drained.log.toString());
    assertEquals("AUDIT user=eve n=5 fluent true|eve|5\n", named.out(), named.err());
  }

  @Test
  void whatIsLoggedBeforeSlf4jHasItsProviderIsRecorded() throws Exception {
    drained.run(Program.class, List.of(), "replayed");
    drained.waitUntilStagingIsGone();
    assertEquals(List.of("INFO com.acme.Early before 1 of 2", "WARN com.acme.Early thrown", "java.lang.IllegalStateException: early"),
        drained.cat("{level} {logger} {message}").lines().filter(line -> !line.startsWith("\tat ")).toList());
  }

  @Test
  void theExampleLogs() throws Exception {
    drained.run("com.acme.Main", List.of());
    drained.expectExample(getClass());
  }

  @Test
  void nothingThatACallHasReturnedFromDiesWithTheProcess() throws Exception {
    for (int kills = Integer.getInteger("steno.kills", 1); kills > 0; kills--) {
      killAndCount(List.of());
      Files.delete(drained.log);
    }
  }

  @Test
  void itsScribeMayDieWithIt() throws Exception {
    drained.stopScribe();
    requireNative();
    List<String> options = List.of("-Dsteno.scribe=thread");
    for (int kills = Integer.getInteger("steno.kills", 1); kills > 0; kills--) {
      Path returned = count(options);
      // The next one writes what the one before has left.
      drained.run(Program.class, options, "calls");
      expectCounted(returned);
      assertTrue(drained.cat("{message}").contains("fluent true"));
      Files.delete(drained.log);
    }
  }

  @Test
  void nothingThatACallHasReturnedFromIsLostWhenTheJvmCrashes() throws Exception {
    Path returned = crash("external");
    drained.waitUntilStagingIsGone();
    expectCounted(returned);
    drained.stopScribe();
    requireNative();
    Files.delete(drained.log);
    returned = crash("thread");
    // The scribe has died with the JVM. The next one writes what it has left.
    drained.run(Program.class, List.of("-Dsteno.scribe=thread"), "calls");
    assertEquals(0, drained.staging());
    expectCounted(returned);
  }

  /** Runs a program that counts its calls, until its JVM dies of SIGSEGV. */
  private Path crash(String scribe) throws Exception {
    Path returned = directory.resolve("returned");
    Files.write(returned, new byte[4096]);
    Path report = directory.resolve("hs_err");
    Files.deleteIfExists(report);
    List<String> options = List.of("-Dsteno.scribe=" + scribe, "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + report);
    Process process = drained.begin(Program.class, options, "crash", returned.toString(), String.valueOf(THREADS), "20000");
    assertEquals(WITHOUT_CORE, process.waitFor(), drained.said());
    assertTrue(Files.readString(report).contains("SIGSEGV"), () -> "it has not crashed");
    return returned;
  }

  @Test
  void whatIsHaltedOrExitsIsOnFile() throws Exception {
    drained.stopScribe();
    requireNative();
    List<String> options = List.of("-Dsteno.scribe=thread");
    for (String how : List.of("exit", "halt")) {
      Process process = drained.begin(Program.class, options, "end", how, "1000");
      assertEquals(3, process.waitFor(), drained.said());
    }
    // A halted one has nobody to write its end: the next one does.
    drained.run(Program.class, options, "calls");
    assertEquals(0, drained.staging());
    assertEquals(2000, drained.cat("{message}").lines().filter(line -> line.startsWith("last words")).count());
    assertFalse(drained.said().contains("steno: "), drained.said());
  }

  @Test
  void whereTheLibraryCannotBeLoadedItSaysSo() throws Exception {
    for (String directory : System.getenv("PATH").split(":")) {
      assumeFalse(Files.exists(Path.of(directory, "steno")), "that would be started: " + directory + "/steno");
    }
    drained.stopScribe();
    drained.run(Program.class, List.of("-Dsteno.scribe=thread", "-Dos.arch=other"), "calls");
    assertTrue(drained.said().contains("no scribe can run in this process: there is no native library for Linux on other; "
        + "records wait until 'steno scribe' is started"), drained.said());
    StenoCommand.Ran recover = StenoCommand.run("recover", drained.log.toString(), "--root", directory.toString());
    assertEquals(0, recover.code(), recover.err());
    assertTrue(drained.cat("{message}").contains("fluent true"));
  }

  @Test
  void nothingIsWarnedOf() throws Exception {
    Path java = DrainedLog.javaOf(22);
    assumeTrue(java != null, "no JDK of 22 or later under /usr/lib/jvm");
    assertEquals(0, drained.begin(java, Program.class, List.of(), "calls").waitFor(), drained.said());
    assertFalse(drained.said().contains("WARNING"), drained.said());
    drained.stopScribe();
    requireNative();
    List<String> options = List.of("-Dsteno.scribe=thread", "--enable-native-access=ALL-UNNAMED");
    assertEquals(0, drained.begin(java, Program.class, options, "calls").waitFor(), drained.said());
    assertEquals(0, drained.staging());
    assertFalse(drained.said().contains("WARNING"), drained.said());
  }

  private static void requireNative() {
    assumeTrue(Files.isDirectory(Path.of(System.getProperty("steno.native", ""), "META-INF")), "no native library was built");
  }

  /** Its staging goes into the next log, which says where the rest is. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsInALogThatIsGoneIsNotLost(boolean isMoved) throws Exception {
    drained.stopScribe();
    List<String> options = List.of("-Dsteno.scribe=thread");
    Path go = directory.resolve("go");
    Process program = drained.begin(Program.class, options, "parts", go.toString(), "1000");
    while (!Files.exists(directory.resolve("begun"))) Thread.sleep(5);
    StenoCommand.Ran flush = StenoCommand.run("ctl", drained.log.toString(), "flush", "--root", directory.toString(), "--timeout", "100s");
    assertEquals(0, flush.code(), flush.out() + flush.err());
    Files.createFile(go);
    assertEquals(3, program.waitFor());
    Path old = directory.resolve("old.steno");
    Files.move(drained.log, old);
    if (!isMoved) Files.delete(old);
    assertEquals(3, drained.begin(Program.class, options, "end", "exit", "1").waitFor());
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().matches("complete as far as this file goes: .* 0 lost; 1 process died; [12],\\d\\d\\d records before these were "
        + "written to another file .*\n"), verify.out());
    assertEquals(0, verify.code());
    if (!isMoved) return;
    StenoCommand.Ran both = StenoCommand.run("cat", "--pattern", "{message}", old.toString(), drained.log.toString());
    List<String> parts = both.out().lines().filter(line -> line.contains(" part ")).toList();
    assertEquals(2000, parts.size(), "no record is in both");
    for (int i = 0; i < 1000; i++) assertEquals(List.of("first part " + i, "second part " + i), List.of(parts.get(i), parts.get(1000 + i)));
  }

  private void killAndCount(List<String> options) throws Exception {
    Path returned = count(options);
    drained.waitUntilStagingIsGone();
    String[] lines = expectCounted(returned);
    assertTrue(lines[lines.length - 1].endsWith("everything that it logged is here"), lines[lines.length - 1]);
  }

  private static final int THREADS = 2;
  private static final int WITHOUT_CORE = 1;  // how a JVM ends that has crashed and is to leave no core

  /** Runs a program that counts its calls, and kills it. */
  private Path count(List<String> options) throws Exception {
    Path returned = directory.resolve("returned");
    Files.write(returned, new byte[4096]);
    Process process = drained.begin(Program.class, options, "count", returned.toString(), String.valueOf(THREADS));
    while (count(returned, 0) < 20_000 || count(returned, 1) < 20_000) {
      assertTrue(process.isAlive(), () -> "it died too early");
      Thread.sleep(1);
    }
    process.destroyForcibly().waitFor();
    return returned;
  }

  /** Checks that each call that returned is in the log, in order. Returns its lines. */
  private String[] expectCounted(Path returned) throws Exception {
    int[] next = new int[THREADS];
    String[] lines = drained.cat("{message}").split("\n");
    for (String line : lines) {
      String[] words = line.split(" ");
      if (!words[0].equals("thread")) continue;
      int thread = Integer.parseInt(words[1]);
      assertEquals(next[thread]++, Integer.parseInt(words[3]), line);
    }
    for (int t = 0; t < THREADS; t++) {
      int calls = count(returned, t);
      assertTrue(next[t] == calls || next[t] == calls + 1, calls + " calls returned, " + next[t] + " are in the log");
    }
    return lines;
  }

  private static int count(Path returned, int thread) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(returned)).getInt(64 * thread);
  }

  @Test
  void aProgramWithoutAScribeEndsAndLeavesItsRecords() throws Exception {
    drained.stopScribe();
    drained.run(Program.class, List.of(), "calls");
    assertEquals(1, drained.staging());
    assertTrue(drained.said().contains("'steno scribe' or 'steno recover'"));
    StenoCommand.Ran recover = StenoCommand.run("recover", drained.log.toString(), "--root", directory.toString());
    assertEquals(0, recover.code(), recover.err());
    assertTrue(drained.cat("{message}").contains("fluent true"));
    assertEquals(0, drained.staging());
  }

  @Test
  void aScribeIsStartedWhereNoneRuns() throws Exception {
    drained.stopScribe();
    List<String> options = List.of("-Dsteno.scribe=" + StenoCommand.path());
    drained.run(Program.class, options, "calls");
    drained.waitUntilStagingIsGone();
    assertTrue(drained.cat("{message}").contains("fluent true"));
    // And it writes what one leaves that dies.
    Path returned = directory.resolve("returned");
    Files.write(returned, new byte[4096]);
    Process process = drained.begin(Program.class, options, "count", returned.toString(), "1");
    while (count(returned, 0) < 1000) {
      assertTrue(process.isAlive(), () -> "it died too early");
      Thread.sleep(1);
    }
    process.destroyForcibly().waitFor();
    drained.waitUntilStagingIsGone();
    int calls = count(returned, 0);
    long found = drained.cat("{message}").lines().filter(line -> line.startsWith("thread 0")).count();
    assertTrue(found == calls || found == calls + 1, calls + " calls returned, " + found + " are in the log");
    for (int waited = 0; scribesOf(directory) != 0; waited++) {
      assertTrue(waited < 10_000, "it ends when there is nobody");
      Thread.sleep(10);
    }
  }

  @Test
  void whatAScribeComplainsOfIsTold() throws Exception {
    drained.stopScribe();
    Path failing = directory.resolve("failing");
    Path ended = directory.resolve("ended");
    Files.writeString(failing, "#!/bin/sh\necho 'steno: no room on the device' >&2\nprintf 'and more' >&2\n: >" + ended + "\nexit 3\n");
    Files.setPosixFilePermissions(failing, PosixFilePermissions.fromString("rwx------"));
    drained.run(Program.class, List.of("-Dsteno.scribe=" + failing), "until", ended.toString());
    assertTrue(drained.said().contains("steno.scribe: no room on the device\nsteno: steno.scribe: and more\n"), drained.said());
    assertTrue(drained.said().contains("failing ended with status 3"), drained.said());
  }

  @Test
  void levelsChangeFromOutside() throws Exception {
    Path begun = directory.resolve("begun");
    Process process = drained.begin(Program.class, List.of(), "levels", begun.toString());
    try {
      while (!Files.exists(begun)) {
        assertTrue(process.isAlive(), () -> "it died too early");
        Thread.sleep(1);
      }
      String[] line = {"ctl", String.valueOf(process.pid()), "level", "com.acme=trace", "--root", directory.toString(),
          "--timeout", "100s"};
      StenoCommand.Ran ran = StenoCommand.run(line);
      assertEquals(0, ran.code(), ran.out() + ran.err());
      Files.createFile(directory.resolve("acknowledged"));
      assertEquals(0, process.waitFor(), drained.said());
    } finally {
      process.destroyForcibly();
    }
    drained.waitUntilStagingIsGone();
    assertEquals("begun\nenabled from outside\n", drained.cat("{message}"));
  }

  @Test
  void levelsChangeByTheFile() throws Exception {
    Path file = Files.writeString(directory.resolve("steno.properties"), "steno.level = warn\nsteno.level.com.acme = info\n");
    Path begun = directory.resolve("begun");
    Files.createFile(directory.resolve("acknowledged"));
    Process process = drained.begin(Program.class, List.of("-Dsteno.config=" + file), "levels", begun.toString());
    try {
      while (!Files.exists(begun)) {
        assertTrue(process.isAlive(), () -> "it died too early");
        Thread.sleep(1);
      }
      Files.writeString(file, "steno.level = warn\nsteno.level.com.acme = trace\n");
      assertEquals(0, process.waitFor(), drained.said());
    } finally {
      process.destroyForcibly();
    }
    drained.waitUntilStagingIsGone();
    assertEquals("begun\nenabled from outside\n", drained.cat("{message}"));
    assertFalse(drained.said().contains("steno: "), drained.said());
  }

  private static long scribesOf(Path directory) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains("--until-idle 2 --root " + directory))
        .count();
  }

  /** A small file system for staging, in a namespace of its own. */
  @Test
  void threadsForWhichThereAreNoRingsLoseNothing() throws Exception {
    drained.stopScribe();
    Path small = Files.createDirectory(directory.resolve("small"));
    List<String> within = List.of("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=2m steno \"$0\" && exec \"$@\"", small.toString());
    assumeTrue(new ProcessBuilder(join(within, List.of("true"))).start().waitFor() == 0, "nothing can be mounted here");
    List<String> program = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), "-Dsteno.staging=" + small, "-Dsteno.path=" + drained.log,
        "-Dsteno.scribe=thread", "-Dsteno.block_at_most=-1", Program.class.getName(), "together", "100", "300");
    Path said = directory.resolve("said");
    assertEquals(0, new ProcessBuilder(join(within, program)).redirectErrorStream(true).redirectOutput(said.toFile()).start().waitFor(),
        Files.readString(said));
    assertTrue(Files.readString(said).contains("no room for more rings: further threads take turns at one"), Files.readString(said));
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete: 30,100 records, 100 threads, 1 session, 0 lost"), verify.out());
  }

  private static List<String> join(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  @Test
  void unnamedVirtualThreadsHaveNamesAndNumbersOfTheirOwn() throws Exception {
    Path java = DrainedLog.javaOf(21);
    assumeTrue(java != null, "there is no JDK with virtual threads");
    int threads = 200;
    drained.run(java, Program.class.getName(), List.of(), "unnamed", String.valueOf(threads));
    drained.waitUntilStagingIsGone();
    Set<String> ids = new HashSet<>();
    for (String line : drained.cat("{thread} {tid} [{arg:id}] {message}").lines().toList()) {
      String id = line.replaceAll("\\D*(\\d+) .*", "$1");
      ids.add(id);
      String head = "virtual-" + id + ' ' + id + ' ';
      assertTrue(Set.of(head + '[' + id + "] I am " + id, head + '[' + id + "] " + id + " it is", head + "[] no context of " + id)
          .contains(line), line);
    }
    assertEquals(threads, ids.size());
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete: 600 records, 200 threads, 1 session, 0 lost"), verify.out());
  }

  @Test
  void virtualThreadsShareARing() throws Exception {
    Path java = DrainedLog.javaOf(21);
    assumeTrue(java != null, "no JDK of 21 or later under /usr/lib/jvm");
    int threads = 5000;
    Process process = drained.begin(java, Program.class, List.of(), "virtual", String.valueOf(threads), "4");
    int most = 0;
    while (process.isAlive()) {
      most = Math.max(most, drained.rings());
      Thread.sleep(5);
    }
    assertEquals(0, process.waitFor(), drained.said());
    assertFalse(drained.said().contains("WARNING"), drained.said());
    drained.waitUntilStagingIsGone();
    assertTrue(most < 10, most + " rings");
    int[] next = new int[threads];
    for (String line : drained.cat("{thread} {message}").split("\n")) {
      String[] words = line.split(" ");
      int thread = Integer.parseInt(words[4]);
      assertEquals("virtual-" + thread, words[0]);
      assertEquals(next[thread]++, Integer.parseInt(words[2]), line);
    }
    for (int t = 0; t < threads; t++) assertEquals(4, next[t]);
  }
}
