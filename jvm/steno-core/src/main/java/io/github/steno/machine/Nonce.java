package io.github.steno.machine;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Random numbers that tell sessions and files apart. */
public final class Nonce {
  /** A positive number. Read from the system, because {@link java.security.SecureRandom} takes a short program many classes. */
  public static long make() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(8);
    try (FileInputStream source = new FileInputStream("/dev/urandom")) {
      if (source.readNBytes(bytes.array(), 0, 8) != 8) throw new IOException("/dev/urandom is short");
    }
    return Math.max(1, bytes.getLong() >>> 1);
  }

  private Nonce() {}
}
