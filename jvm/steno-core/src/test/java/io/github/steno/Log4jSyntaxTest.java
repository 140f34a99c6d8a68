package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.logging.log4j.message.ParameterizedMessage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

public class Log4jSyntaxTest {
  /** Otherwise Log4j reports each format with too many arguments, or too few. */
  @BeforeAll
  static void silence() {
    System.setProperty("log4j2.StatusLogger.level", "OFF");
  }

  @Test
  void fieldsAreThoseThatParameterizedMessageFills() {
    assertArrayEquals(new String[] {"a ", " b ", ""}, Log4jSyntax.INSTANCE.parse("a {} b {}", 5));
    assertArrayEquals(new String[] {"a ", " b {}"}, Log4jSyntax.INSTANCE.parse("a {} b {}", 1));
    assertArrayEquals(new String[] {"{} ", ""}, Log4jSyntax.INSTANCE.parse("\\{} {}", 1));
    assertArrayEquals(new String[] {"\\{}"}, Log4jSyntax.INSTANCE.parse("\\{}", 1));
    assertArrayEquals(new String[] {"\\", "{}"}, Log4jSyntax.INSTANCE.parse("\\\\{}\\{}", 1));
  }

  @Test
  void generatedFormatsAreReadAsParameterizedMessageReadsThem() {
    RandomMessages random = new RandomMessages(7);
    for (int i = 0, cases = RandomMessages.cases(500_000); i < cases; i++) {
      String format = random.format();
      int count = 1 + i % 4;
      Object[] arguments = new Object[count];
      for (int a = 0; a < count; a++) arguments[a] = "<" + a + ">";
      String expected = Reference.format(format, arguments);
      if (expected == null) continue;
      StringBuilder message = new StringBuilder();
      String[] pieces = Log4jSyntax.INSTANCE.parse(format, count);
      for (int p = 0; p < pieces.length; p++) {
        if (p != 0) message.append(arguments[p - 1]);
        message.append(pieces[p]);
      }
      assertEquals(expected, message.toString(), format);
    }
  }

  /** Formats by Log4j itself. */
  public static final class Reference {
    /** Returns null if Log4j throws, as it does for an escaped brace at the end. */
    public static String format(String format, Object[] arguments) {
      try {
        return ParameterizedMessage.format(format, arguments);
      } catch (StringIndexOutOfBoundsException e) {
        return null;
      }
    }

    private Reference() {}
  }
}
