package io.github.steno.log4j;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;

/**
 * Tells whether a class file (JVMS 4) casts to the logger or the context of Log4j's core. A class that tests first with
 * {@code instanceof} copes with others, so it does not count. Stateless.
 */
final class CoreCasts {
  private static final Set<String> TYPES =
      Set.of("org/apache/logging/log4j/core/Logger", "org/apache/logging/log4j/core/LoggerContext");
  private static final int UTF8 = 1;
  private static final int CLASS = 7;
  private static final byte CHECKCAST = (byte) 0xC0;
  private static final byte INSTANCEOF = (byte) 0xC1;

  /** @throws IOException if it is no class file */
  static boolean areIn(byte[] file) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
    in.skipNBytes(8);
    int count = in.readUnsignedShort();
    String[] texts = new String[count];
    int[] classes = new int[count];
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case UTF8 -> texts[i] = in.readUTF();
        case CLASS -> classes[i] = in.readUnsignedShort();
        case 8, 16, 19, 20 -> in.skipNBytes(2);
        case 15 -> in.skipNBytes(3);
        case 5, 6 -> {
          in.skipNBytes(8);
          i++;
        }
        default -> in.skipNBytes(4);
      }
    }
    int code = file.length - in.available();
    for (int i = 1; i < count; i++) {
      boolean isOfCore = classes[i] != 0 && TYPES.contains(texts[classes[i]]);
      if (isOfCore && has(file, code, CHECKCAST, i) && !has(file, code, INSTANCEOF, i)) return true;
    }
    return false;
  }

  /** Three bytes that no instruction begins with are found too, but rarely: they need a class's number behind them. */
  private static boolean has(byte[] file, int from, byte opcode, int constant) {
    for (int at = from; at + 2 < file.length; at++) {
      if (file[at] == opcode && file[at + 1] == (byte) (constant >> 8) && file[at + 2] == (byte) constant) return true;
    }
    return false;
  }

  private CoreCasts() {}
}
