package io.github.steno.spark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Numbers and texts that the native library has put one after the other. */
final class Packed {
  private final ByteBuffer bytes;

  Packed(byte[] bytes) {
    this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  boolean hasMore() {
    return bytes.hasRemaining();
  }

  long number() {
    return bytes.getLong();
  }

  String text() {
    byte[] text = new byte[(int) bytes.getLong()];
    bytes.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
