package io.github.steno.machine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Files in memory, where the native library does not map them. On JDK 22 and later there is a way that begins sooner. */
public final class Mapping {
  /** The first bytes of a file that has them, to be read and written. */
  public static ByteBuffer map(FileChannel file, long size) throws IOException {
    return file.map(FileChannel.MapMode.READ_WRITE, 0, size);
  }

  private Mapping() {}
}
