package io.github.steno;

/**
 * How an argument is stored and printed. A signature is one of these for each argument, four bits each, the first in the
 * lowest.
 *
 * <p>Floating point is a number where the log prints it as Java does: with the digits of a decimal of a few places. Any
 * other value is text, as {@link Double#toString} makes it, for the shortest digits of the log and those of Java differ.
 */
enum ArgumentType {
  NONE('\0', 0, ""),
  BOOLEAN('b', 1, "{}"),
  CHARACTER('u', 2, "{}"),
  BYTE('a', 1, "{}"),
  SHORT('s', 2, "{}"),
  INT('i', 4, "{}"),
  LONG('l', 8, "{}"),
  FLOAT('f', 4, "{}"),
  DOUBLE('d', 8, "{}"),
  WHOLE_FLOAT('f', 4, "{:.1f}"),
  WHOLE_DOUBLE('d', 8, "{:.1f}"),
  TEXT('S', 4, "{}"),
  /** A stack trace, behind the message; or, where that is in the format, a message of it. */
  THROWABLE('S', 4, "\n{}"),
  /** Stands for further arguments, where they make a difference to the format. It has no value. */
  SURPLUS('\0', 0, "");

  /** Ordinals, for code that is run often. */
  static final int PLAIN_BOOLEAN = BOOLEAN.ordinal();
  static final int PLAIN_INT = INT.ordinal();
  static final int PLAIN_LONG = LONG.ordinal();
  static final int PLAIN_TEXT = TEXT.ordinal();

  private static final ArgumentType[] ALL = values();
  /** The number of arguments that a signature has room for. */
  static final int MOST = 16;
  private static final int BITS = 4;
  private static final double MOST_DECIMAL = 1e7;
  private static final double PLACES = 1e3;
  private static final double LEAST_DECIMAL = 1e-3;

  final char letter;
  final int fixedBytes;
  final String field;

  ArgumentType(char letter, int fixedBytes, String field) {
    this.letter = letter;
    this.fixedBytes = fixedBytes;
    this.field = field;
  }

  boolean isPrintedByFormat() {
    return this != THROWABLE && this != SURPLUS;
  }

  static ArgumentType at(long signature, int argument) {
    return ALL[(int) (signature >>> BITS * argument) & 15];
  }

  long in(int argument) {
    return (long) ordinal() << BITS * argument;
  }

  static long in(int ordinal, int argument) {
    return (long) ordinal << BITS * argument;
  }

  static int count(long signature) {
    return (Long.SIZE - Long.numberOfLeadingZeros(signature) + BITS - 1) / BITS;
  }

  /** It comes last. */
  static boolean hasThrowable(long signature) {
    return signature != 0 && at(signature, count(signature) - 1) == THROWABLE;
  }

  static int fixedBytes(long signature) {
    int bytes = 0;
    for (int i = 0; i < count(signature); i++) bytes += at(signature, i).fixedBytes;
    return bytes;
  }

  static String letters(long signature) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < count(signature); i++) {
      if (at(signature, i) != SURPLUS) letters.append(at(signature, i).letter);
    }
    return letters.toString();
  }

  static ArgumentType of(double value) {
    double size = Math.abs(value);
    if (!(size < MOST_DECIMAL)) return TEXT;
    if (value == Math.rint(value)) return WHOLE_DOUBLE;
    return size >= LEAST_DECIMAL && Math.rint(value * PLACES) / PLACES == value ? DOUBLE : TEXT;
  }

  /** Seven digits at most are a float's own. */
  static ArgumentType of(float value) {
    double size = Math.abs(value);
    if (!(size < MOST_DECIMAL)) return TEXT;
    if (value == Math.rint(value)) return WHOLE_FLOAT;
    double scaled = Math.rint(value * PLACES);
    return size >= LEAST_DECIMAL && Math.abs(scaled) < 1e6 && (float) (scaled / PLACES) == value ? FLOAT : TEXT;
  }
}
