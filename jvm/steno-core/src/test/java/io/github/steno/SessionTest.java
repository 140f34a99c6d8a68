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
import java.io.IOException;
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
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a session leaves in staging, as the steno command finds it, and who may touch it. */
class SessionTest {
  private static final String BOUNDARY = SessionTest.class.getName();

  /** Every {@code %} is a field. */
  private static final MessageSyntax SYNTAX = new MessageSyntax() {
    @Override
    public String[] parse(String format, int arguments) {
      return format.split("%", (int) Math.min(Integer.MAX_VALUE, arguments + 1L));
    }

    @Override
    public String render(Object argument) {
      return argument.toString();
    }

    @Override
    public String format(String format, Object[] arguments) {
      return String.format(format.replace("%", "%s"), arguments);
    }
  };

  @TempDir Path root;
  private Session session;
  private Channel channel;

  @BeforeEach
  void start() {
    open(Map.of());
  }

  private void open(Map<String, String> options) {
    if (session != null) session.close();
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.toString());
    properties.setProperty("steno.block_at_most", "0");
    properties.putAll(options);
    session = Session.open(Config.of(properties));
    channel = session.channel("com.acme.Main", SYNTAX);
  }

  @AfterEach
  void stop() {
    session.close();
  }

  private String staging() {
    return session.directory().toString();
  }

  private void log(String format, Object... arguments) {
    channel.log(Levels.INFO, BOUNDARY, format, arguments, arguments.length, null);
  }

  private void expectSound() throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run("check-ring", staging());
    assertEquals(0, ran.code(), ran.out() + ran.err());
    assertTrue(ran.out().contains(": sound"), ran.out());
  }

  /** The messages of staging as a live process's. */
  private List<String> messages(String pattern) throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run("cat", "--raw", "--pattern", pattern, "--live", staging());
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().toList();
  }

  /** It would wait for the dictionary, and may say that there is no room for it, while the record is in the ring. */
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
  void argumentsOfAllTypesAreWhatTheyWere() throws Exception {
    log("% % % % % % % % % % %", true, 'ß', (byte) -1, (short) -2, 3, 4L, 0.5f, 1.25, 7.0, "täxt", null);
    log("{} % }{", List.of(1, 2));
    log("\uD83D\uDE00 \uD83D % €", "\uD83D\uDE00\uDE00");
    expectSound();
    assertEquals(List.of("true ß -1 -2 3 4 0.5 1.25 7.0 täxt null", "{} [1, 2] }{",
        "\uD83D\uDE00 ? \uD83D\uDE00? €"), messages("{message}"));
  }

  /** So many that no more have statements of their own: from then on messages that a program puts together are texts. */
  @Test
  void messagesBeyondTheFormatsAreTexts() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 600; i++) expected.add("number " + i);
    expected.addAll(List.of("täxt", "\uD83D\uDE00 €", "{} {{ }", "x".repeat(5000), "short again", "null"));
    for (String message : expected) log(message.equals("null") ? null : message);
    log("% is an argument", 7);
    expected.add("7 is an argument");
    for (String message : List.of("a", "täxt", "null")) {
      channel.logText(Levels.INFO, BOUNDARY, null, null, message.equals("null") ? null : message, null);
      expected.add(message);
    }
    expectSound();
    assertEquals(expected, messages("{message}"));
  }

  @Test
  void typesMayBeOthersFromCallToCall() throws Exception {
    Random random = new Random(7);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      Object[] arguments = new Object[3];
      for (int a = 0; a < 3; a++) {
        // Mostly what they were, so that each kind of change is met.
        arguments[a] = switch (random.nextInt(24)) {
          case 0 -> random.nextLong();
          case 1 -> "text".repeat(random.nextInt(9));
          case 2 -> "tëxt €";
          case 3 -> random.nextInt(1000) / 8.0;
          case 4 -> (double) random.nextInt(1000);
          case 5 -> 1e300 * random.nextInt(3);
          case 6 -> random.nextBoolean();
          case 7 -> null;
          case 8 -> 'c';
          case 9 -> (short) i;
          default -> a == 1 ? "usual" : a == 0 ? (Object) i : (Object) 0.5;
        };
      }
      log("% and % and %", arguments);
      expected.add(arguments[0] + " and " + arguments[1] + " and " + arguments[2]);
    }
    expectSound();
    assertEquals(expected, messages("{message}"));
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
    // A thread has its last name in all that waits.
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
  void anErrorHasItsTrace() throws Exception {
    channel.log(Levels.ERROR, BOUNDARY, "bad %", new Object[] {1}, 1, new IllegalStateException("why", new RuntimeException("cause")));
    List<String> lines = messages("{message}");
    assertEquals(List.of("bad 1", "java.lang.IllegalStateException: why"), lines.subList(0, 2));
    assertTrue(lines.contains("Caused by: java.lang.RuntimeException: cause"), lines.toString());
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
    // The end of the ring is for what is severe.
    channel.log(Levels.ERROR, BOUNDARY, "severe", null);
    channel.log(Levels.ERROR, BOUNDARY, "severe", null);
    expectSound();
    List<String> more = messages("{message}");
    assertEquals("severe", more.get(more.size() - 1));
    assertTrue(more.stream().anyMatch(m -> m.contains(String.valueOf(10_000 - got.size()))), more.get(got.size()));
  }

  @Test
  void aTextThatNoRecordHoldsIsCut() throws Exception {
    String text = "é".repeat(1_000_000);
    log("% %", text, "short");
    expectSound();
    String got = messages("{message}").get(0);
    assertTrue(got.startsWith("éé"), got.substring(0, 10));
    int mark = got.indexOf("…[+");
    String bytes = got.substring(mark + 3, got.indexOf(' ', mark));
    assertEquals(2_000_000, Integer.parseInt(bytes) + got.substring(0, mark).getBytes(StandardCharsets.UTF_8).length);
    assertTrue(got.endsWith(" short"), got.substring(got.length() - 50));
  }

  /** Half a ring of 4 MiB would hold it, but a record has no more than 512 KiB. */
  @Test
  void aTextThatNoRecordHoldsIsCutInALargeRing() throws Exception {
    for (int i = 0; i < 20; i++) log("%", "y".repeat(100_000));
    log("% %", "x".repeat(600_000), "short");
    log("after");
    expectSound();
    List<String> got = messages("{message}");
    assertEquals(22, got.size());
    assertTrue(got.get(20).contains("…[+") && got.get(20).endsWith(" short"), "" + got.get(20).length());
    assertEquals("after", got.get(21));
  }

  @Test
  void argumentsMayLogAndThrow() throws Exception {
    Object chatty = new Object() {
      @Override
      public String toString() {
        log("within %", 1);
        return "chatty";
      }
    };
    Object broken = new Object() {
      @Override
      public String toString() {
        throw new IllegalStateException("no text");
      }
    };
    log("without % %", chatty, 2);
    log("%", broken);
    log("after %", 3);
    expectSound();
    assertEquals(List.of("within 1", "without chatty 2", "[FAILED toString(): java.lang.IllegalStateException]", "after 3"),
        messages("{message}"));
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
  void formatsWithoutEndDoNotFillTheDictionary() throws Exception {
    for (int i = 0; i < 3000; i++) log("message " + i + " %", i);
    expectSound();
    List<String> got = messages("{message}");
    for (int i = 0; i < 3000; i++) assertEquals("message " + i + " " + i, got.get(i));
    assertTrue(Files.size(session.directory().resolve("dictionary")) < 100_000);
  }

  @Test
  void messagesThatTheProgramPutsTogetherAreTheirText() throws Exception {
    for (int i = 0; i < 1000; i++) channel.log(Levels.INFO, BOUNDARY, "user " + i, null);
    expectSound();
    List<String> got = messages("{message}");
    for (int i = 0; i < 1000; i++) assertEquals("user " + i, got.get(i));
  }

  @Test
  void textsOfEachLengthAndKindAreWhatTheyWere() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int length = 0; length < 40; length++) {
      String ascii = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".substring(0, length);
      for (String last : List.of("", "\u007F", "\u0080", "\u0141", "\u4E2D", "\uD83D\uDE00")) {
        log("% % % %", ascii + last, length, true, ascii);
        expected.add(ascii + last + " " + length + " true " + ascii);
      }
    }
    expectSound();
    assertEquals(expected, messages("{message}").stream().map(SessionTest::unescaped).toList());
  }

  @Test
  void textsOfEachLengthMayEndInWhatIsNoCharacterOrInNul() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int length = 0; length < 40; length++) {
      String ascii = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".substring(0, length);
      log("% %", ascii + "\uD83D", length);
      expected.add(ascii + "? " + length);
      log("% %", ascii + "\u00e9\0", length);
      expected.add(ascii + "\u00e9\0 " + length);
    }
    expectSound();
    assertEquals(expected, messages("{message}"));
  }

  /** Control characters are printed by their numbers. */
  private static String unescaped(String message) {
    return message.replace("\\x7f", "\u007F").replace("\\x80", "\u0080");
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

  /** Returns what it was. Not through a file of our own: closing that would give up the lock that says that we live. */
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
