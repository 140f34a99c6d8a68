package io.github.steno.spark;

import java.io.IOException;

/**
 * Reads the bytes of a log that is no file of this machine. The native library calls it, in several threads at once.
 */
interface Source {
  /** Fills ranges, each of them three numbers: its offset in the log, its size, and the address where its bytes go. */
  void read(long[] ranges) throws IOException;
}
