package io.github.steno;

import io.github.steno.ring.Utf8;
import io.github.steno.staging.Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The arguments of one call in wire form (spec/types.md), taken before anything is in the ring: what they are asked may log
 * itself. Bytes rather than objects, for a reference that is stored costs more than a number. One thread's.
 */
final class Arguments {
  private static final int FIRST_TEXT = 256;
  private static final int LARGEST_KEPT = 1 << 16;

  /**
   * Numbers, and the sizes of texts; some bytes more than there can be, for these are copied by eight. A VarHandle of a byte
   * array would add up to fifteen milliseconds to a program's start.
   */
  private final ByteBuffer fixed = ByteBuffer.allocate(8 * ArgumentType.MOST + 8).order(ByteOrder.LITTLE_ENDIAN);
  private int fixedSize;
  private byte[] texts = new byte[FIRST_TEXT];
  private int textSize;
  private int count;
  private long signature;
  private boolean inUse;

  boolean take() {
    if (inUse) return false;
    inUse = true;
    fixedSize = 0;
    textSize = 0;
    count = 0;
    signature = 0;
    return true;
  }

  void release() {
    inUse = false;
    if (texts.length > LARGEST_KEPT) texts = new byte[FIRST_TEXT];
  }

  int count() {
    return count;
  }

  long signature() {
    return signature;
  }

  /** Returns the size of the wire form. */
  int size() {
    return fixedSize + textSize;
  }

  void add(Object value, MessageSyntax syntax) {
    if (value instanceof String text) {
      addText(text, ArgumentType.TEXT);
    } else if (value instanceof Integer number) {
      addInt(number, ArgumentType.INT);
    } else if (value instanceof Long number) {
      addLong(number, ArgumentType.LONG);
    } else if (value instanceof Double number) {
      addDouble(number);
    } else if (value instanceof Boolean truth) {
      addInt(truth ? 1 : 0, ArgumentType.BOOLEAN);
    } else if (value == null) {
      addText("null", ArgumentType.TEXT);
    } else if (value instanceof Character c && !Character.isSurrogate(c)) {
      addInt(c, ArgumentType.CHARACTER);
    } else if (value instanceof Float number) {
      addFloat(number);
    } else if (value instanceof Short number) {
      addInt(number, ArgumentType.SHORT);
    } else if (value instanceof Byte number) {
      addInt(number, ArgumentType.BYTE);
    } else {
      addText(SafeText.render(syntax, value), ArgumentType.TEXT);
    }
  }

  private void addDouble(double value) {
    ArgumentType type = ArgumentType.of(value);
    if (type == ArgumentType.TEXT) {
      addText(Double.toString(value), type);
    } else {
      addLong(Double.doubleToRawLongBits(value), type);
    }
  }

  private void addFloat(float value) {
    ArgumentType type = ArgumentType.of(value);
    if (type == ArgumentType.TEXT) {
      addText(Float.toString(value), type);
    } else {
      addInt(Float.floatToRawIntBits(value), type);
    }
  }

  /**
   * Adds an argument of a type of four bytes or fewer. Bytes beyond the type's size are overwritten by the next
   * argument.
   */
  private void addInt(int value, ArgumentType type) {
    fixed.putInt(fixedSize, value);
    added(type);
  }

  private void addLong(long value, ArgumentType type) {
    fixed.putLong(fixedSize, value);
    added(type);
  }

  void addText(String text, ArgumentType type) {
    long most = textSize + Utf8.MOST_PER_CHAR * (long) text.length();
    if (most > texts.length) {
      if (most > Integer.MAX_VALUE / 2) text = text.substring(0, Layout.LARGEST_RECORD);  // cut again later
      int room = textSize + Utf8.MOST_PER_CHAR * text.length();
      texts = Arrays.copyOf(texts, Math.max(room, 2 * texts.length));
    }
    int size = Utf8.put(texts, textSize, text);
    textSize += size;
    addInt(size, type);
  }

  /** There were more than the format prints. */
  void addSurplus() {
    added(ArgumentType.SURPLUS);
  }

  private void added(ArgumentType type) {
    fixedSize += type.fixedBytes;
    signature |= type.in(count++);
  }

  /** Writes the wire form where there is room for it, rounded up to eight bytes. */
  void put(ByteBuffer to, int at) {
    for (int i = 0; i < fixedSize; i += 8) to.putLong(at + i, fixed.getLong(i));
    if (textSize != 0) to.put(at + fixedSize, texts, 0, textSize);
  }

  /** Cuts texts until all takes no more than a number of bytes: each may have its share of what is left (spec/types.md). */
  void cut(int most) {
    int left = most - fixedSize;
    int uncut = 0;
    for (int i = 0; i < count; i++) uncut += isText(i) ? 1 : 0;
    int from = 0;
    int to = 0;
    int slot = 0;
    for (int i = 0; i < count; i++) {
      if (isText(i)) {
        int size = fixed.getInt(slot);
        int kept = Utf8.cut(texts, from, size, left / uncut--);
        System.arraycopy(texts, from, texts, to, kept);
        fixed.putInt(slot, kept);
        from += size;
        to += kept;
        left -= kept;
      }
      slot += ArgumentType.at(signature, i).fixedBytes;
    }
    textSize = to;
  }

  private boolean isText(int argument) {
    return ArgumentType.at(signature, argument).letter == 'S';
  }
}
