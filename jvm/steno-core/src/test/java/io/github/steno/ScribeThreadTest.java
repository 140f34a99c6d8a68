package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.machine.Counter;
import io.github.steno.machine.Native;
import io.github.steno.ring.Memory;
import io.github.steno.staging.Layout.SessionFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that a scribe in the process drains, and the counter that the same native library reads. */
class ScribeThreadTest {
  private static final String BOUNDARY = ScribeThreadTest.class.getName();

  @TempDir Path root;
  private Session session;

  /** Skipped only where none was built: one that is packed has to be loaded. */
  @BeforeEach
  void load() {
    assumeTrue(Files.isDirectory(Path.of(System.getProperty("steno.native", ""), "META-INF")), "no native library was built");
    assertNull(Native.load());
  }

  @AfterEach
  void close() {
    if (session != null) session.close();
  }

  private Path log() {
    return root.resolve("app.steno");
  }

  private Session open(Map<String, String> options) {
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.toString());
    properties.setProperty("steno.path", log().toString());
    properties.setProperty("steno.block_at_most", "-1");
    properties.putAll(options);
    return Session.open(Config.of(properties));
  }

  private static void log(Session session, String format, Object... arguments) {
    session.channel("com.acme.Main", Slf4jSyntax.INSTANCE).log(Levels.INFO, BOUNDARY, format, arguments, arguments.length, null);
  }

  private String cat(String pattern) throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run("cat", "--pattern", pattern, log().toString());
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  private void expectComplete(String records) throws IOException, InterruptedException {
    StenoCommand.Ran verify = StenoCommand.run("verify", log().toString());
    assertEquals(0, verify.code(), verify.out() + verify.err());
    assertTrue(verify.out().startsWith("complete: " + records + ","), verify.out());
  }

  private static int clockKind(Session session) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(session.directory().resolve("session").toFile(), "r")) {
      file.seek(SessionFile.CLOCK_KIND);
      return file.read();
    }
  }

  @Test
  void allIsOnFileWhenTheSessionEnds() throws Exception {
    session = open(Map.of());
    Path directory = session.directory();
    int threads = 4;
    int calls = 50_000;
    Thread[] started = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int thread = t;
      started[t] = new Thread(() -> {
        for (int i = 0; i < calls; i++) log(session, "thread {} call {} of {}", thread, i, "text");
      });
      started[t].start();
    }
    for (Thread thread : started) thread.join();
    session.close();
    assertFalse(Files.exists(directory), "staging is gone");
    int[] next = new int[threads];
    for (String line : cat("{message}").split("\n")) {
      String[] words = line.split(" ");
      assertEquals(next[Integer.parseInt(words[1])]++, Integer.parseInt(words[3]), line);
    }
    for (int t = 0; t < threads; t++) assertEquals(calls, next[t]);
    expectComplete("200,000 records");
  }

  @Test
  void recordsHaveTheTimeOfTheClock() throws Exception {
    for (String clock : List.of("best", "wall")) {
      Instant before = Instant.now();
      session = open(Map.of("steno.clock", clock));
      boolean counts = clock.equals("best") && Native.clockKind() == SessionFile.CLOCK_TSC;
      assertEquals(counts ? SessionFile.CLOCK_TSC : SessionFile.CLOCK_WALL, clockKind(session));
      for (int i = 0; i < 10; i++) {
        log(session, "message {}", i);
        Thread.sleep(10);
      }
      session.close();
      Instant after = Instant.now();
      Instant last = before.minusMillis(5);
      for (String line : cat("{time}").split("\n")) {
        Instant time = Instant.parse(line.replace(' ', 'T'));
        assertTrue(!time.isBefore(last) && time.isBefore(after.plusMillis(5)), before + " <= " + time + " <= " + after);
        last = time;
      }
      Files.delete(log());
    }
  }

  @Test
  void theCounterMayBeAskedForWithoutTheScribe() throws Exception {
    session = open(Map.of("steno.clock", "counter", "steno.scribe", "external"));
    assertEquals(Native.clockKind(), clockKind(session));
    log(session, "message {}", 1);
    StenoCommand.Ran sound = StenoCommand.run("check-ring", session.directory().toString());
    assertEquals(0, sound.code(), sound.out() + sound.err());
  }

  @Test
  void eachSessionOfALogHasItsOwn() throws Exception {
    session = open(Map.of());
    try (Session other = open(Map.of())) {
      for (int i = 0; i < 1000; i++) {
        log(session, "message {}", i);
        log(other, "message {}", i);
      }
    }
    // The other one's scribe is gone; this one's is not.
    log(session, "message {}", 1000);
    session.close();
    expectComplete("2,001 records");
  }

  @Test
  void whatCannotBeMappedHasItsReason() {
    IOException missing = assertThrows(IOException.class, () -> Native.map(Native.path(root.resolve("missing")), 4096));
    IOException directory = assertThrows(IOException.class, () -> Native.map(Native.path(root), 4096));
    assertFalse(missing.getMessage().isEmpty());
    assertNotEquals(missing.getMessage(), directory.getMessage());
  }

  @Test
  void othersAreLeftToTheirs() throws Exception {
    session = open(Map.of());
    log(session, "message {}", 1);
    try (Session other = open(Map.of("steno.scribe", "external", "steno.clock", "counter", "steno.block_at_most", "0"))) {
      log(other, "message {}", 2);
      session.close();
      assertTrue(Files.exists(other.directory()));
    }
    expectComplete("1 record");
  }

  @Test
  void theProcessOwnsItsSessionThoughItsScribeOpensItsFiles() throws Exception {
    session = open(Map.of());
    log(session, "message {}", 1);
    while (!session.isServed()) Thread.sleep(1);  // a busy machine starts the scribe's thread late
    Control control = new Control(session);
    Thread obeys = new Thread(() -> {
      while (!Thread.currentThread().isInterrupted()) control.obey();
    });
    obeys.start();
    StenoCommand.Ran flush =
        StenoCommand.run("ctl", log().toString(), "flush", "--root", root.toString(), "--timeout", "100s");
    obeys.interrupt();
    obeys.join();
    assertEquals(0, flush.code(), flush.out() + flush.err());
    assertEquals("message 1\n", cat("{message}"));
    StenoCommand.Ran recover = StenoCommand.run("recover", log().toString(), "--root", root.toString());
    assertEquals(0, recover.code(), recover.out() + recover.err());
    assertTrue(Files.exists(session.directory()), "nobody has taken it for one that died");
  }

  /** A directory of classes has no releases: tests of those say that they run of the jar. */
  @Test
  void theJarHasClassesForTheRelease() throws Exception {
    assumeTrue(Boolean.getBoolean("steno.jar"), "not of the jar");
    assertTrue(Runtime.version().feature() >= 22);
    assertEquals(boolean.class, Memory.class.getDeclaredField("prepared").getType());
    long before = Counter.read();
    Counter.prepare();
    long after = Counter.read();
    assertTrue(before < after && after < Native.ticks(), "it counts the same");
    assertTrue(prepared());
  }

  /** Only classes of the release have the field. */
  private static boolean prepared() throws ReflectiveOperationException {
    Field prepared = Counter.class.getDeclaredField("prepared");
    prepared.setAccessible(true);
    return prepared.getBoolean(null);
  }
}
