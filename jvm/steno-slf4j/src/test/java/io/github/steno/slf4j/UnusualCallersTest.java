package io.github.steno.slf4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calls from class initialisers, handlers of signals, shutdown hooks, and where memory is exhausted: none waits for ever. */
class UnusualCallersTest extends DrainedTest {
  private static final int PATIENCE_S = 120;
  private static final int CALLS = 1000;
  /** The most classes that a JVM reads for its first call, SLF4J's with it: 230 on JDK 17, 221 on 25. */
  private static final long MOST_CLASSES = 260;

  private List<String> messages(String pattern) throws Exception {
    drained.waitUntilStagingIsGone();
    return drained.cat(pattern).lines().toList();
  }

  private static List<String> numbered(String text, String end) {
    return IntStream.range(0, CALLS).mapToObj(i -> text + i + end).toList();
  }

  private static List<String> starting(List<String> messages, String with) {
    return messages.stream().filter(message -> message.startsWith(with)).toList();
  }

  private void expectComplete() throws Exception {
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertEquals(0, verify.code(), verify.out() + verify.err());
  }

  /**
   * It works with a ring for each thread, and with a shared one: nobody holds the ring while arguments are made text
   * of.
   */
  @Test
  void twoClassesMayLogInTheirInitialisersAtOnce() throws Exception {
    for (String rings : List.of("1024", "1")) {
      drained.run(UnusualCallers.class, List.of("-Dsteno.most_rings=" + rings), "initialisers");
      List<String> messages = messages("{logger} {message}");
      for (String name : List.of("first", "second")) {
        assertEquals(List.of(name + " met in an initialiser", name + " after met"), starting(messages, name), drained.said());
      }
      Files.delete(drained.log);
    }
  }

  /** While the thread that is interrupted is within a call. */
  @Test
  void handlersOfSignalsMayLog() throws Exception {
    drained.run(UnusualCallers.class, List.of(), "signals");
    List<String> messages = messages("{thread} {message}");
    for (String start : List.of("SIGUSR2 handler handled ", "main raised ")) {
      List<String> expected = IntStream.range(0, 10).mapToObj(i -> start + i).toList();
      assertEquals(expected, starting(messages, start), drained.said());
    }
  }

  @Test
  void exhaustedMemoryLosesNothingThatWasLoggedBefore() throws Exception {
    Path collections = directory.resolve("collections");
    drained.run(UnusualCallers.class, List.of("-Xmx12m", "-XX:+UseSerialGC", "-Xlog:gc:file=" + collections), "memory");
    List<String> messages = messages("{message}");
    assertEquals(numbered("before ", " text"), starting(messages, "before"), drained.said());
    assertEquals(numbered("after ", " text"), starting(messages, "after"), drained.said());
    assertTrue(messages.stream().filter("known"::equals).count() >= 1 + CALLS, drained.said());
    try (Stream<String> lines = Files.lines(collections)) {
      assertTrue(lines.count() < CALLS, "calls that want no memory have none collected");
    }
  }

  /** Records of the hooks may be missing, because another hook closes the log. Records before them are there. */
  @Test
  void shutdownHooksMayLog() throws Exception {
    Process process = drained.begin(UnusualCallers.class, List.of(), "hooks");
    assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), "it ends");
    assertEquals(3, process.exitValue(), drained.said());
    List<String> messages = messages("{message}");
    assertEquals(numbered("main call ", ""), starting(messages, "main"), drained.said());
    for (int hook = 0; hook < 3; hook++) {
      List<String> got = starting(messages, "hook " + hook);
      assertEquals(numbered("hook " + hook + " call ", "").subList(0, got.size()), got);
    }
    expectComplete();
  }

  /**
   * Counts the classes that a program loads before its call has returned and that are not in the JVM's own archive.
   * They cost most of a start. The number after that depends on how long the scribe takes.
   */
  private long classesOf(String program) throws Exception {
    Path classes = directory.resolve(program + ".classes");
    drained.run(UnusualCallers.class, List.of("-Xlog:class+load:file=" + classes), program);
    try (Stream<String> lines = Files.lines(classes)) {
      return lines.takeWhile(line -> !line.contains(UnusualCallers.Called.class.getName()))
          .filter(line -> line.contains("source: ") && !line.contains("source: shared objects file")).count();
    }
  }

  /** Counted, for a start takes as long as the machine is loaded: make bench-jvm times it. */
  @Test
  void theFirstCallLoadsFewClasses() throws Exception {
    long without = classesOf("never");
    assumeTrue(without < 100, "the JVM has no archive of its own classes: it loads " + without);
    long more = classesOf("once") - without;
    assertTrue(more > 0 && more <= MOST_CLASSES, more + " classes");
  }
}
