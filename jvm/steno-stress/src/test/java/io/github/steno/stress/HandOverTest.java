package io.github.steno.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedLog;
import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Rings that go from thread to thread, and one that many share: every message is there once, in the order of its thread, with the
 * name and the context of that.
 */
class HandOverTest extends DrainedTest {
  private static final int THREADS = 4000;
  private static final int MESSAGES = 60;
  private static final String AGENT = "-javaagent:" + System.getProperty("steno.agent");

  @Test
  void platformThreads() throws Exception {
    run(null, List.of());
  }

  @Test
  void platformThreadsThatShare() throws Exception {
    run(null, List.of(AGENT, "-Dsteno.most_rings=8", "-Dsteno.ring_bytes=65536"));
  }

  @Test
  void virtualThreadsBesides() throws Exception {
    run(newer(), List.of("-Dsteno.ring_bytes=65536"));
  }

  @Test
  void virtualThreadsBesidesThatAreWoven() throws Exception {
    run(newer(), List.of(AGENT, "-Dsteno.most_rings=8", "-Dsteno.ring_bytes=65536"));
  }

  private static Path newer() throws IOException {
    Path java = DrainedLog.javaOf(21);
    assumeTrue(java != null, "there is no JDK with virtual threads");
    return java;
  }

  private void run(Path java, List<String> options) throws Exception {
    drained.run(java, Program.class.getName(), options, String.valueOf(THREADS), String.valueOf(MESSAGES));
    drained.waitUntilStagingIsGone();
    int[] next = new int[THREADS];
    List<String> wrong = new ArrayList<>();
    // The name and the context of who logged, and the message: its number, and that of the thread.
    drained.cat("{thread} {arg:who} {message}").lines().forEach(line -> {
      String[] words = line.split(" ");
      int thread = Integer.parseInt(words[4]);
      int message = Integer.parseInt(words[2]);
      String who = thread % 3 == 0 ? "w-" + thread : "";
      String text = message % 2 == 0 ? "" : " text";
      if (!line.equals("t-" + thread + " " + who + " " + message + " of " + thread + text) || message != next[thread]++) wrong.add(line);
    });
    assertTrue(wrong.isEmpty(), () -> wrong.size() + ", of which the first is: " + wrong.get(0));
    for (int thread = 0; thread < THREADS; thread++) assertEquals(MESSAGES, next[thread], "thread " + thread);
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith(String.format(Locale.ROOT, "complete: %,d records", THREADS * MESSAGES)), verify.out() + verify.err());
  }
}
