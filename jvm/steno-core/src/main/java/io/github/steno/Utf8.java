package io.github.steno;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Texts as bytes; what is no character is a question mark, as Java's own encoder has it. */
final class Utf8 {
  static final int MOST_PER_CHAR = 3;

  private byte[] scratch = new byte[256];

  /** Writes a text, and returns its size. One thread's, as the buffer is. */
  int put(ByteBuffer to, int at, String text) {
    int length = text.length();
    if (scratch.length < length) scratch = new byte[Integer.highestOneBit(length) * 2];
    byte[] bytes = scratch;
    int all = 0;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      all |= c;
      bytes[i] = (byte) c;
    }
    if (all >= 0x80) return putWide(to, at, text);
    to.put(at, bytes, 0, length);
    return length;
  }

  private static int putWide(ByteBuffer to, int begin, String text) {
    int at = begin;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        to.put(at++, (byte) c);
      } else if (c < 0x800) {
        to.put(at++, (byte) (0xC0 | c >> 6));
        to.put(at++, tail(c));
      } else if (!Character.isSurrogate(c)) {
        to.put(at++, (byte) (0xE0 | c >> 12));
        to.put(at++, tail(c >> 6));
        to.put(at++, tail(c));
      } else if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
        int code = Character.toCodePoint(c, text.charAt(++i));
        to.put(at++, (byte) (0xF0 | code >> 18));
        to.put(at++, tail(code >> 12));
        to.put(at++, tail(code >> 6));
        to.put(at++, tail(code));
      } else {
        to.put(at++, (byte) '?');
      }
    }
    return at - begin;
  }

  private static byte tail(int bits) {
    return (byte) (0x80 | bits & 0x3F);
  }

  /** At most so many bytes of a text; if there are more, the last ones say how many were cut (spec/types.md). */
  static byte[] cut(String text, int most) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= most) return bytes;
    int kept = Math.max(0, most - mark(bytes.length).length);
    while (kept > 0 && (bytes[kept] & 0xC0) == 0x80) kept--;
    byte[] mark = mark(bytes.length - kept);
    byte[] result = Arrays.copyOf(bytes, kept + mark.length);
    System.arraycopy(mark, 0, result, kept, mark.length);
    return result;
  }

  private static byte[] mark(int bytes) {
    return ("…[+" + bytes + " bytes]").getBytes(StandardCharsets.UTF_8);
  }
}
