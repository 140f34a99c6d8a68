package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.ring.Memory;
import io.github.steno.staging.Dictionary;
import io.github.steno.staging.Layout;
import io.github.steno.staging.Location;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the staging that a session leaves: how the steno command finds it, and who may touch it. */
class SessionTest extends SessionFixture {
  private static final String BOUNDARY = SessionTest.class.getName();

  /**
   * Numbering a logger may wait for the dictionary, or report that it has no room. Neither may happen while a record is
   * open.
   */
  @Test
  void aRecordThatHasBegunNumbersNoLogger() throws Exception {
    assumeTrue(Memory.isReady(), "no record begins before; PreparedSessionTest runs this, too");
    Object[] all = {1, 2};
    WovenSite woven = channel.weave(Levels.INFO, "% and %", Location.UNKNOWN, all.length);
    channel.log(woven, null, all, all.length, null);
    Channel other = session.channel("com.acme.Other", SYNTAX);
    assertNull(WovenCalls.begin(woven.statement().usual, woven, logger(other)));
    assertEquals(Dictionary.NONE, other.knownId());
    assertFalse(PlainRecord.write(session, other, woven.statement(), all, all.length));
    assertEquals(Dictionary.NONE, other.knownId());
    other.log(woven, null, all, all.length, null);
    assertNotNull(WovenCalls.begin(woven.statement().usual, woven, logger(other)));
    assertTrue(PlainRecord.write(session, other, woven.statement(), all, all.length));
    expectSound();
  }

  private static WovenLogger logger(Channel channel) {
    return new WovenLogger() {
      @Override
      public Channel channel() {
        return channel;
      }

      @Override
      public void log(WovenStatement statement, Object marker, Object[] arguments, Throwable thrown) {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Test
  void stagingIsItsOwnersAlone() throws Exception {
    log("one");
    try (Stream<Path> all = Files.walk(session.directory().getParent())) {
      for (Path path : all.filter(path -> !Files.isSymbolicLink(path)).toList()) {
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        assertEquals(Files.isDirectory(path) ? "rwx------" : "rw-------", mode, path.toString());
      }
    }
  }

  @Test
  void whatHoldsForRecordsMayChangeBetweenThem() throws Exception {
    Thread thread = new Thread(() -> {
      for (int i = 0; i < 4; i++) log("% %", i, "first");
      Thread.currentThread().setName("renamed");
      for (int i = 0; i < 4; i++) log("% %", i, "second");
      Context.set(Map.of("request", "17"));
      for (int i = 0; i < 4; i++) log("% %", i, "third");
      Context.set(Map.of());
      for (int i = 0; i < 4; i++) log("% %", i, "fourth");
    }, "named");
    thread.start();
    thread.join();
    expectSound();
    List<String> expected = new ArrayList<>();
    // All records in staging have the thread's last name.
    for (String line : List.of("renamed % first ", "renamed % second ", "renamed % third 17", "renamed % fourth ")) {
      for (int i = 0; i < 4; i++) expected.add(line.replace("%", String.valueOf(i)));
    }
    assertEquals(expected, messages("{thread} {message} {arg:request}"));
  }

  @Test
  void aThreadMayLogIntoTwoSessions() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.resolve("other").toString());
    Files.createDirectory(root.resolve("other"));
    try (Session other = Session.open(Config.of(properties))) {
      Channel theirs = other.channel("com.acme.Main", SYNTAX);
      for (int i = 0; i < 9; i++) {
        log("number %", i);
        if (i % 3 == 2) theirs.log(Levels.INFO, BOUNDARY, "of another %", new Object[] {i}, 1, null);
      }
    }
    expectSound();
    assertEquals(9, messages("{message}").size());
    assertTrue(messages("{message}").stream().allMatch(m -> m.startsWith("number ")));
  }

  @Test
  void aRecordSaysWhereItIsFromAndWhose() throws Exception {
    Thread thread = new Thread(() -> {
      Context.set(Map.of("request", "17"));
      session.channel("com.acme.net", SYNTAX).log(Levels.WARN, BOUNDARY, "here", null);
    }, "wörker");
    thread.start();
    thread.join();
    expectSound();
    assertEquals(List.of("WARN com.acme.net wörker 17"), messages("{level} {logger} {thread} {arg:request}"));
  }

  @Test
  void aRingGrowsAndWhatItHeldStays() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      log("% and %", i, "x".repeat(i % 200));
      expected.add(i + " and " + "x".repeat(i % 200));
    }
    expectSound();
    assertEquals(expected, messages("{message}"));
  }

  @Test
  void whatFindsNoRoomIsCounted() throws Exception {
    open(Map.of("steno.when_full", "drop", "steno.ring_bytes", "65536"));
    for (int i = 0; i < 10_000; i++) log("number %", i);
    expectSound();
    List<String> got = messages("{message}");
    assertTrue(got.size() > 1000 && got.size() < 10_000, "" + got.size());
    // The end of the ring is reserved for severe records.
    channel.log(Levels.ERROR, BOUNDARY, "severe", null);
    channel.log(Levels.ERROR, BOUNDARY, "severe", null);
    expectSound();
    List<String> more = messages("{message}");
    assertEquals("severe", more.get(more.size() - 1));
    assertTrue(more.stream().anyMatch(m -> m.contains(String.valueOf(10_000 - got.size()))), more.get(got.size()));
  }

  @Test
  void anInterruptedThreadLogsAndStaysInterrupted() throws Exception {
    boolean[] interrupted = new boolean[1];
    Thread thread = new Thread(() -> {
      Thread.currentThread().interrupt();
      for (int i = 0; i < 5000; i++) log("interrupted %", i);
      interrupted[0] = Thread.currentThread().isInterrupted();
    });
    thread.start();
    thread.join();
    log("and others go on");
    assertTrue(interrupted[0]);
    expectSound();
    assertEquals(5001, messages("{message}").size());
  }

  @Test
  void aDeadThreadsRingIsAnothers() throws Exception {
    for (int i = 0; i < 20; i++) {
      int number = i;
      Thread thread = new Thread(() -> log("from %", number), "short-" + i);
      thread.start();
      thread.join();
    }
    expectSound();
    assertEquals(20, messages("{message}").size());
    assertTrue(Files.exists(session.directory().resolve("ring-0")));
    assertFalse(Files.exists(session.directory().resolve("ring-1")));
  }

  @Test
  void threadsBeyondTheMostShareARing() throws Exception {
    open(Map.of("steno.most_rings", "2"));
    log("main");
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      Thread thread = new Thread(() -> {
        for (int i = 0; i < 500; i++) log("% of %", i, Thread.currentThread().getName());
      }, "sharer-" + t);
      threads.add(thread);
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    expectSound();
    assertFalse(Files.exists(session.directory().resolve("ring-2")));
    List<String> lines = messages("{thread} {message}");
    assertEquals(8 * 500 + 1, lines.size());
    for (int t = 0; t < 8; t++) {
      String name = "sharer-" + t;
      List<String> own = lines.stream().filter(line -> line.startsWith(name + " ")).toList();
      for (int i = 0; i < 500; i++) assertEquals(name + " " + i + " of " + name, own.get(i));
    }
  }

  @Test
  void theDoorbellNamesTheSessionsThatHaveBegun() throws Exception {
    open(Map.of());
    ByteBuffer bell = ByteBuffer.wrap(Files.readAllBytes(session.directory().resolveSibling("doorbell")))
        .order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(2, bell.getInt(4));
    assertEquals(1, bell.getInt(2048 + 16 + 12));
    int second = 2048 + 2 * 16;
    assertEquals(session.directory().getFileName().toString(),
        String.format("%d-%016x", bell.getInt(second + 8), bell.getLong(second)));
    assertEquals(2, bell.getInt(second + 12));
  }

  /**
   * Returns the size before. The file is not opened anew, because closing it would give up the lock that says that this
   * process lives.
   */
  private long setDictionarySize(long size) throws ReflectiveOperationException {
    Field field = Session.class.getDeclaredField("file");
    field.setAccessible(true);
    ByteBuffer file = (ByteBuffer) field.get(session);
    long before = file.getLong(Layout.SessionFile.DICTIONARY_SIZE);
    file.putLong(Layout.SessionFile.DICTIONARY_SIZE, size);
    return before;
  }

  @Test
  void aLoggerThatFoundNoRoomHasItsNameOnceThereIsSome() throws Exception {
    log("known");
    Channel late = session.channel("com.acme.Late", SYNTAX);
    Object[] none = {};
    PrintStream before = System.err;
    ByteArrayOutputStream notices = new ByteArrayOutputStream();
    System.setErr(new PrintStream(notices, true, StandardCharsets.UTF_8));
    try {
      long size = setDictionarySize(-1);  // where nothing can be written
      assertEquals(Dictionary.NO_LOGGER, late.id());
      setDictionarySize(size);
    } finally {
      System.setErr(before);
    }
    String said = notices.toString(StandardCharsets.UTF_8);
    assertTrue(said.contains("no room for a new logger; its records are logged without a logger"), said);
    assertFalse(said.contains("too many"), said);
    late.log(Levels.INFO, BOUNDARY, "late", none, 0, null);
    expectSound();
    assertEquals(List.of("com.acme.Main known", "com.acme.Late late"), messages("{logger} {message}"));
  }

  @Test
  void nobodyRecoversStagingWhoseProcessLives() throws Exception {
    log("alive");
    String out = root.resolve("stolen.steno").toString();
    StenoCommand.Ran ran = StenoCommand.run("recover", "--staging", staging(), "--output", out);
    assertFalse(ran.code() == 0, ran.out());
    assertFalse(Files.exists(Path.of(out)));
    assertEquals(List.of("alive"), messages("{message}"));
  }

  @Test
  void whatIsLoggedAfterTheEndIsNot() throws Exception {
    log("before");
    session.close();
    log("after");
    assertEquals(List.of("before"), messages("{message}"));
  }
}
