package io.github.steno.ring;

import java.nio.charset.StandardCharsets;

/** Texts as bytes; what is no character is a question mark, as Java's own encoder has it. */
public final class Utf8 {
  public static final int MOST_PER_CHAR = 3;

  /** Writes a text where there is room for it, and returns its size. */
  public static int put(byte[] to, int at, String text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) return i + putWide(to, at + i, text, i);
      to[at + i] = (byte) c;
    }
    return length;
  }

  /** Writes a text where there is room for it. False: it is not all ASCII. */
  static boolean putAscii(Memory to, long place, String text) {
    int length = text.length();
    int all = 0;
    int i = 0;
    for (; i <= length - 4; i += 4) {
      char a = text.charAt(i);
      char b = text.charAt(i + 1);
      char c = text.charAt(i + 2);
      char d = text.charAt(i + 3);
      all |= a | b | c | d;
      Memory.putInt(to, place + i, a | b << 8 | c << 16 | d << 24);
    }
    for (; i < length; i++) {
      char c = text.charAt(i);
      all |= c;
      Memory.putByte(to, place + i, (byte) c);
    }
    return all < 0x80;
  }

  private static int putWide(byte[] to, int begin, String text, int first) {
    int at = begin;
    for (int i = first; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        to[at++] = (byte) c;
      } else if (c < 0x800) {
        to[at++] = (byte) (0xC0 | c >> 6);
        to[at++] = tail(c);
      } else if (!Character.isSurrogate(c)) {
        to[at++] = (byte) (0xE0 | c >> 12);
        to[at++] = tail(c >> 6);
        to[at++] = tail(c);
      } else if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
        int code = Character.toCodePoint(c, text.charAt(++i));
        to[at++] = (byte) (0xF0 | code >> 18);
        to[at++] = tail(code >> 12);
        to[at++] = tail(code >> 6);
        to[at++] = tail(code);
      } else {
        to[at++] = '?';
      }
    }
    return at - begin;
  }

  private static byte tail(int bits) {
    return (byte) (0x80 | bits & 0x3F);
  }

  /**
   * Cuts a text to so many bytes, if it has more: the last ones say how many were cut (spec/types.md). Returns its size
   * then.
   */
  public static int cut(byte[] bytes, int at, int size, int most) {
    if (size <= most) return size;
    int kept = Math.max(0, most - mark(size).length);
    while (kept > 0 && (bytes[at + kept] & 0xC0) == 0x80) kept--;
    byte[] mark = mark(size - kept);
    System.arraycopy(mark, 0, bytes, at + kept, mark.length);
    return kept + mark.length;
  }

  private static byte[] mark(int bytes) {
    return ("…[+" + bytes + " bytes]").getBytes(StandardCharsets.UTF_8);
  }

  private Utf8() {}
}
