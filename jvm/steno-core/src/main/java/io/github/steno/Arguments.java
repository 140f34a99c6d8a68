package io.github.steno;

/** The arguments of one call, taken before anything is in the ring: what they are asked may log itself. One thread's. */
final class Arguments {
  final Object[] values = new Object[ArgumentType.MOST];
  int count;
  long signature;
  /** Texts take no more bytes than this. */
  long textBytes;
  boolean inUse;

  /** Keeps nothing of the call before. */
  void clear() {
    for (int i = 0; i < count; i++) values[i] = null;
    count = 0;
    signature = 0;
    textBytes = 0;
  }

  void add(Object value, MessageSyntax syntax) {
    if (value instanceof String text) {
      addText(text, ArgumentType.TEXT);
    } else if (value instanceof Integer) {
      put(value, ArgumentType.INT);
    } else if (value instanceof Long) {
      put(value, ArgumentType.LONG);
    } else if (value instanceof Double number) {
      addNumber(value, ArgumentType.of(number.doubleValue()));
    } else if (value instanceof Boolean) {
      put(value, ArgumentType.BOOLEAN);
    } else if (value == null) {
      addText("null", ArgumentType.TEXT);
    } else if (value instanceof Character c && !Character.isSurrogate(c)) {
      put(value, ArgumentType.CHARACTER);
    } else if (value instanceof Float number) {
      addNumber(value, ArgumentType.of(number.floatValue()));
    } else if (value instanceof Short) {
      put(value, ArgumentType.SHORT);
    } else if (value instanceof Byte) {
      put(value, ArgumentType.BYTE);
    } else {
      addText(syntax.render(value), ArgumentType.TEXT);
    }
  }

  private void addNumber(Object value, ArgumentType type) {
    if (type == ArgumentType.TEXT) {
      addText(value.toString(), type);
    } else {
      put(value, type);
    }
  }

  void addText(String text, ArgumentType type) {
    textBytes += Utf8.MOST_PER_CHAR * (long) text.length();
    put(text, type);
  }

  void addSurplus() {
    put(null, ArgumentType.SURPLUS);
  }

  private void put(Object value, ArgumentType type) {
    signature |= type.in(count);
    values[count++] = value;
  }
}
