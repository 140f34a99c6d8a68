package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ArgumentTypeTest {
  /** Returns the text that the log has for a number: its shortest digits, or one place. */
  private static String printed(ArgumentType type, double value) {
    int places = type == ArgumentType.WHOLE_DOUBLE || type == ArgumentType.WHOLE_FLOAT ? 1 : 3;
    BigDecimal decimal = new BigDecimal(value).setScale(places, RoundingMode.HALF_EVEN);
    if (places != 1) decimal = decimal.stripTrailingZeros();
    return (1 / value < 0 && value == 0 ? "-" : "") + decimal.toPlainString();
  }

  private static void check(double value) {
    ArgumentType type = ArgumentType.of(value);
    if (type != ArgumentType.TEXT) assertEquals(Double.toString(value), printed(type, value));
  }

  private static void check(float value) {
    ArgumentType type = ArgumentType.of(value);
    if (type != ArgumentType.TEXT) assertEquals(Float.toString(value), printed(type, value));
  }

  @Test
  void numbersThatTheLogPrintsAsJavaDoesAreNumbers() {
    assertSame(ArgumentType.WHOLE_DOUBLE, ArgumentType.of(100.0));
    assertSame(ArgumentType.WHOLE_DOUBLE, ArgumentType.of(-0.0));
    assertSame(ArgumentType.DOUBLE, ArgumentType.of(-3.25));
    assertSame(ArgumentType.DOUBLE, ArgumentType.of(0.1));
    assertSame(ArgumentType.FLOAT, ArgumentType.of(0.1f));
    assertSame(ArgumentType.TEXT, ArgumentType.of(1e7));
    assertSame(ArgumentType.TEXT, ArgumentType.of(Math.PI));
    assertSame(ArgumentType.TEXT, ArgumentType.of(Double.NaN));
    assertSame(ArgumentType.TEXT, ArgumentType.of(Double.NEGATIVE_INFINITY));
    assertSame(ArgumentType.TEXT, ArgumentType.of(0.1 + 0.2));
    assertSame(ArgumentType.TEXT, ArgumentType.of(0.0001));
  }

  @Test
  void whateverIsANumberIsPrintedAsJavaPrintsIt() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0, cases = RandomMessages.cases(300_000); i < cases; i++) {
      check(random.nextLong(-20_000_000_000L, 20_000_000_000L) / 1e3);
      check(random.nextInt(-2_000_000, 2_000_000) / 1e3);
      check((double) random.nextInt());
      check(Double.longBitsToDouble(random.nextLong()));
      check(random.nextInt(-20_000_000, 20_000_000) / 1e3f);
      check(Float.intBitsToFloat(random.nextInt()));
    }
  }

  @Test
  void aSignatureHasTheTypesInOrder() {
    long signature = ArgumentType.INT.in(0) | ArgumentType.TEXT.in(1) | ArgumentType.DOUBLE.in(15);
    assertEquals(16, ArgumentType.count(signature));
    assertSame(ArgumentType.TEXT, ArgumentType.at(signature, 1));
    assertSame(ArgumentType.DOUBLE, ArgumentType.at(signature, 15));
    assertEquals("iS", ArgumentType.letters(ArgumentType.INT.in(0) | ArgumentType.TEXT.in(1)));
    assertEquals(0, ArgumentType.count(0));
  }
}
