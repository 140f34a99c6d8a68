package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;
import org.slf4j.helpers.MessageFormatter;

class Slf4jSyntaxTest {
  @Test
  void fieldsAreThoseThatMessageFormatterFills() {
    assertArrayEquals(new String[] {"a ", " b ", ""}, Slf4jSyntax.INSTANCE.parse("a {} b {}", 5));
    assertArrayEquals(new String[] {"a ", " b {}"}, Slf4jSyntax.INSTANCE.parse("a {} b {}", 1));
    assertArrayEquals(new String[] {"{} ", ""}, Slf4jSyntax.INSTANCE.parse("\\{} {}", 1));
    assertArrayEquals(new String[] {"\\", "\\{}"}, Slf4jSyntax.INSTANCE.parse("\\\\{}\\{}", 1));
    assertArrayEquals(new String[] {"\\{}"}, Slf4jSyntax.INSTANCE.parse("\\{}", 0));
  }

  @Test
  void generatedFormatsAreReadAsMessageFormatterReadsThem() {
    RandomMessages random = new RandomMessages(7);
    for (int i = 0, cases = RandomMessages.cases(1_000_000); i < cases; i++) {
      String format = random.format();
      int count = i % 5;
      Object[] arguments = new Object[count];
      for (int a = 0; a < count; a++) arguments[a] = "<" + a + ">";
      StringBuilder message = new StringBuilder();
      String[] pieces = Slf4jSyntax.INSTANCE.parse(format, count);
      for (int p = 0; p < pieces.length; p++) {
        if (p != 0) message.append(arguments[p - 1]);
        message.append(pieces[p]);
      }
      assertEquals(MessageFormatter.basicArrayFormat(format, arguments), message.toString(), format);
    }
  }

  /**
   * Names follow the rules for fields (spec/types.md), and occur once: a second field of one name would be the same
   * argument.
   */
  @Test
  void keysThatMayBeNamesAreNames() {
    List<KeyValuePair> pairs = Stream.of("user", "order.qty", "_9", "user-id", "9", "", ".a", "a.", "a..b", "a.9", "ä", null, "{x}", "user")
        .map(key -> new KeyValuePair(key, 1)).toList();
    Slf4jSyntax.Composed composed = Slf4jSyntax.Composed.of(List.of("MARKER"), pairs, "m {}", new Object[] {2});
    assertEquals("{} user={} order.qty={} _9={} user-id={} 9={} ={} .a={} a.={} a..b={} a.9={} ä={} {}={} {}={} user={} m {}",
        composed.format());
    String[] names = new String[17];
    names[1] = "user";
    names[2] = "order.qty";
    names[3] = "_9";
    assertArrayEquals(names, composed.names());
  }
}
