package io.github.steno.calls;

import io.github.steno.RandomMessages;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.logging.log4j.util.StringBuilderFormattable;

/** Random arguments of logger calls, of all kinds that programs pass, and some that they had better not pass. */
final class RandomValues {
  private static final StackTraceElement[] FRAMES = {
      new StackTraceElement("com.acme.Till", "pay", "Till.java", 17), new StackTraceElement("com.acme.Main", "main", "Main.java", 5)};

  /** Its text cannot be made. */
  static final class Fails {
    private final Throwable why;

    Fails(Throwable why) {
      this.why = why;
    }

    @Override
    public String toString() {
      throw RandomValues.<RuntimeException>sneaky(why);
    }
  }

  /** Its characters are not its text. */
  record Characters(String text) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return "text of " + text;
    }
  }

  /** Log4j asks it for a text of another kind. */
  record Formattable(int number) implements StringBuilderFormattable {
    @Override
    public void formatTo(StringBuilder buffer) {
      buffer.append("formatted ").append(number);
    }
  }

  private final SplittableRandom random;
  private final RandomMessages messages;
  private final String[] formats = new String[2000];
  private boolean fails;

  RandomValues(long seed) {
    random = new SplittableRandom(seed);
    messages = new RandomMessages(seed);
    for (int i = 0; i < formats.length; i++) formats[i] = messages.format();
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  /** Most are met again: what is logged for the first time goes another way. */
  String format() {
    return random.nextInt(8) == 0 ? messages.format() : formats[(int) (Math.pow(random.nextDouble(), 3) * formats.length)];
  }

  /** Returns whether a value that was made since the last call has no text. */
  boolean hadFailing() {
    boolean had = fails;
    fails = false;
    return had;
  }

  Object[] values() {
    if (random.nextInt(20) == 0) return null;
    Object[] values = new Object[random.nextInt(20) == 0 ? random.nextInt(20) : random.nextInt(5)];
    for (int i = 0; i < values.length; i++) values[i] = value();
    return values;
  }

  Object value() {
    if (random.nextInt(3) != 0) return plain();
    return switch (random.nextInt(12)) {
      case 0 -> new Characters("characters " + random.nextInt(10));
      case 1 -> new Formattable(random.nextInt(10));
      case 2 -> thrown();
      case 3 -> failing();
      case 4 -> new StringBuilder("builder {} ").append(random.nextInt());
      case 5 -> new Object[] {plain(), new Object[] {value()}, null};
      case 6 -> List.of(plain2(), new Characters("inner"));
      case 7 -> Map.of(plain2(), List.of(plain2()));
      case 8 -> Optional.of(plain2());
      case 9 -> new Date(random.nextLong(1L << 40));
      case 10 -> new UUID(random.nextLong(), random.nextLong());
      default -> new double[] {random.nextInt() / 8.0, Double.NaN};
    };
  }

  /** One that has a text, is no container, and is not null. */
  private Object plain2() {
    return random.nextBoolean() ? random.nextInt() : "text " + random.nextInt(100);
  }

  private Object plain() {
    return switch (random.nextInt(14)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> (char) random.nextInt(0x20, 0x10000);
      case 3 -> (byte) random.nextInt();
      case 4 -> (short) random.nextInt();
      case 5 -> random.nextInt();
      case 6 -> random.nextLong();
      case 7 -> random.nextInt(-10_000_000, 10_000_000) / 100.0;
      case 8 -> Double.longBitsToDouble(random.nextLong());
      case 9 -> random.nextInt(-10_000_000, 10_000_000) / 100f;
      case 10 -> "{}";
      case 11 -> "back\\slash " + random.nextInt(10);
      case 12 -> "a \uD83D\uDE00 \uD800 é\n\tb";
      default -> "string " + random.nextInt();
    };
  }

  private Object failing() {
    fails = true;
    return new Fails(switch (random.nextInt(6)) {
      case 0 -> new IllegalStateException("no text");
      case 1 -> new NullPointerException();
      case 2 -> new StackOverflowError();
      case 3 -> new NoClassDefFoundError("com/acme/Gone");
      case 4 -> new OutOfMemoryError("of the test");
      default -> new Exception("checked");
    });
  }

  Throwable thrown() {
    String message = random.nextInt(4) == 0 ? null : "message " + random.nextInt(10) + " {}";
    Throwable thrown = random.nextBoolean() ? new IllegalStateException(message) : new LinkageError(message);
    thrown.setStackTrace(FRAMES);
    if (random.nextInt(4) == 0) thrown.initCause(new RuntimeException("cause")).getCause().setStackTrace(FRAMES);
    return thrown;
  }

  Throwable thrownOrNull() {
    return random.nextInt(3) == 0 ? null : thrown();
  }
}
