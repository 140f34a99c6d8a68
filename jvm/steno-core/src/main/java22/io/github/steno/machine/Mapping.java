package io.github.steno.machine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Files in memory, where the native library does not map them. By way of a segment, for the first buffer that a channel maps by
 * itself takes the JDK some 30 ms of reflection.
 */
public final class Mapping {
  /** The first bytes of a file that has them, to be read and written. */
  public static ByteBuffer map(FileChannel file, long size) throws IOException {
    return file.map(FileChannel.MapMode.READ_WRITE, 0, size, Arena.ofAuto()).asByteBuffer();
  }

  private Mapping() {}
}
