package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the messages that staging has: texts and arguments of all types, and formats without number. */
class SessionMessagesTest extends SessionFixture {
  private static final String BOUNDARY = SessionMessagesTest.class.getName();

  @Test
  void argumentsOfAllTypesAreWhatTheyWere() throws Exception {
    log("% % % % % % % % % % %", true, 'ß', (byte) -1, (short) -2, 3, 4L, 0.5f, 1.25, 7.0, "täxt", null);
    log("{} % }{", List.of(1, 2));
    log("\uD83D\uDE00 \uD83D % €", "\uD83D\uDE00\uDE00");
    expectSound();
    assertEquals(List.of("true ß -1 -2 3 4 0.5 1.25 7.0 täxt null", "{} [1, 2] }{",
        "\uD83D\uDE00 ? \uD83D\uDE00? €"), messages("{message}"));
  }

  /** After so many formats, further ones get no statement of their own: such messages are recorded as texts. */
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
        // Most keep their type, so that each kind of change is met.
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
  void anErrorHasItsTrace() throws Exception {
    channel.log(Levels.ERROR, BOUNDARY, "bad %", new Object[] {1}, 1, new IllegalStateException("why", new RuntimeException("cause")));
    List<String> lines = messages("{message}");
    assertEquals(List.of("bad 1", "java.lang.IllegalStateException: why"), lines.subList(0, 2));
    assertTrue(lines.contains("Caused by: java.lang.RuntimeException: cause"), lines.toString());
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

  /** Half a ring of 4 MiB would hold the text, but a record has no more than 512 KiB. */
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
    assertEquals(expected, messages("{message}").stream().map(SessionMessagesTest::unescaped).toList());
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
}
