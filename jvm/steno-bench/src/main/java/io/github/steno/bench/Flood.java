package io.github.steno.bench;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Locale;

/**
 * One thread that logs, so that the whole of it is to be found in the file afterwards.
 *
 * <p>{@code sustained}: as fast as it can for two seconds. Prints JSON, how many calls there were and when they began, and ends: whoever started
 * it knows when all is in the file. {@code killed FILE}: a million calls a second, until somebody kills it; how many have returned is in that file.
 */
final class Flood {
  private static final int WARM_CALLS = 200_000;
  private static final long SUSTAINED_NS = 2_000_000_000;
  private static final int CALLS = 100;
  private static final long PACE_NS = 1000;

  /** The interface, and what is to be done. */
  public static void main(String[] arguments) throws Exception {
    Call call = Call.of(arguments[0]);
    if (arguments[1].equals("sustained")) {
      sustain(call);
    } else {
      countUntilKilled(call, arguments[2]);
    }
  }

  private static void sustain(Call call) throws InterruptedException {
    for (int i = 0; i < WARM_CALLS; i++) call.log(scattered(i));
    Thread.sleep(500);
    long beginMs = System.currentTimeMillis();
    long end = System.nanoTime() + SUSTAINED_NS;
    int made = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < CALLS; i++) call.log(scattered(made++));
    }
    System.out.printf(Locale.ROOT, "{\"calls\": %d, \"warm_calls\": %d, \"begin_ms\": %d}%n", made, WARM_CALLS, beginMs);
  }

  /** One of 2^20 numbers, as if by chance: what counts up, or has equal steps, takes next to nothing in a file. */
  private static int scattered(int number) {
    int mixed = (number ^ number >>> 16) * 0x85EBCA6B;
    mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
    return (mixed ^ mixed >>> 16) >>> 12;
  }

  private static void countUntilKilled(Call call, String path) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
      MappedByteBuffer returned = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
      long next = System.nanoTime();
      for (int i = 0;; i++) {
        call.log(i);
        returned.putInt(0, i + 1);
        next += PACE_NS;
        while (System.nanoTime() < next) Thread.onSpinWait();
      }
    }
  }

  private Flood() {}
}
