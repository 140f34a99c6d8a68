package io.github.steno;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Formats and arguments of every kind, with what formatters find hard. */
public final class RandomMessages {
  private static final String[] PIECES = {
      "{}", "{}", "{}", "\\{}", "\\\\{}", "\\\\\\{}", "{", "}", "\\", "{{", "}}", "{ }", "{0}", "text", " ", "é", "\uD83D\uDE00", "\n",
      "%d", "{:x}", "{name}", ""};

  private enum Color { RED, GREEN }

  private static final class Fails {
    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  private final SplittableRandom random;

  public RandomMessages(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Returns how many of a test's cases are made: a quarter, unless the environment has STENO_ALL_CASES. */
  public static int cases(int all) {
    return System.getenv("STENO_ALL_CASES") != null ? all : (all + 3) / 4;
  }

  public String format() {
    StringBuilder format = new StringBuilder();
    for (int pieces = random.nextInt(8); pieces > 0; pieces--) format.append(PIECES[random.nextInt(PIECES.length)]);
    return format.toString();
  }

  public Object[] arguments() {
    Object[] arguments = new Object[random.nextInt(20) == 0 ? random.nextInt(20) : random.nextInt(5)];
    for (int i = 0; i < arguments.length; i++) arguments[i] = argument(2);
    return arguments;
  }

  private Object argument(int depth) {
    switch (random.nextInt(depth > 0 ? 22 : 16)) {
      case 0: return null;
      case 1: return random.nextBoolean();
      case 2: return (char) random.nextInt(0x20, 0x10000);
      case 3: return (byte) random.nextInt();
      case 4: return (short) random.nextInt();
      case 5: return random.nextInt();
      case 6: return random.nextLong();
      case 7: return random.nextInt(-10_000_000, 10_000_000) / 100.0;
      case 8: return Double.longBitsToDouble(random.nextLong());
      case 9: return (double) random.nextInt(-100, 100);
      case 10: return random.nextInt(-10_000_000, 10_000_000) / 100f;
      case 11: return Float.intBitsToFloat(random.nextInt());
      case 12: return "string " + random.nextInt();
      case 13: return Color.values()[random.nextInt(2)];
      case 14: return new BigInteger(String.valueOf(random.nextLong()));
      case 15: return random.nextInt(4) == 0 ? new Fails() : "{}";
      case 16: return new Object[] {argument(depth - 1), argument(depth - 1)};
      case 17: return new int[] {1, 2};
      case 18: return new char[] {'a', 'b'};
      case 19: return List.of(1, "two");
      case 20: return Map.of("key", 3.5);
      default:
        Object[] itself = {1, null};
        itself[1] = itself;
        return itself;
    }
  }
}
