package io.github.steno.bench;

import java.util.Arrays;
import java.util.Locale;
import org.apache.logging.log4j.LogManager;
import org.slf4j.LoggerFactory;

/**
 * Times calls of SLF4J or of Log4j's API with three arguments, whatever is behind it: in bursts that a queue has room for, and
 * one at a time. Prints JSON.
 */
final class Calls {
  private static final int BURST = 2000;
  private static final int WARM_BURSTS = 600;
  private static final int BURSTS = 200;
  private static final long PAUSE_MS = 5;
  private static final int PACED = 200_000;
  private static final long PACE_NS = 10_000;

  private static final String NAME = "io.github.steno.bench.Calls";

  /** A call with a number that is another each time. */
  private interface Call {
    void log(int number);
  }

  /** Loggers in constants, as programs have them. */
  private static final class BySlf4j {
    private static final org.slf4j.Logger LOGGER = LoggerFactory.getLogger(NAME);

    static void log(int number) {
      LOGGER.info("filled {} of {} for {}", number, 4096L, "acme");
    }
  }

  private static final class ByLog4j {
    private static final org.apache.logging.log4j.Logger LOGGER = LogManager.getLogger(NAME);

    static void log(int number) {
      LOGGER.info("filled {} of {} for {}", number, 4096L, "acme");
    }
  }

  private static long sink;

  /** slf4j or log4j; and once: one call, and nothing is timed. */
  public static void main(String[] arguments) throws InterruptedException {
    Call call = arguments[0].equals("slf4j") ? BySlf4j::log : ByLog4j::log;
    if (arguments.length > 1) {
      call.log(1);
    } else {
      time(call);
    }
  }

  private static void time(Call call) throws InterruptedException {
    double[] bursts = new double[WARM_BURSTS + BURSTS];
    double[] clocks = new double[bursts.length];
    for (int i = 0; i < bursts.length; i++) {
      bursts[i] = burst(call) / (double) BURST;
      clocks[i] = clock() / (double) BURST;
      Thread.sleep(PAUSE_MS);
    }
    long[] paced = paced(call);
    Arrays.sort(paced);
    System.out.printf(Locale.ROOT, "{\"burst_ns\": %.1f, \"clock_ns\": %.1f, \"p50_ns\": %d, \"p99_ns\": %d, \"p999_ns\": %d}%n",
        median(bursts), median(clocks), paced[PACED / 2], paced[PACED / 100 * 99], paced[PACED / 1000 * 999]);
  }

  private static double median(double[] bursts) {
    double[] measured = Arrays.copyOfRange(bursts, WARM_BURSTS, bursts.length);
    Arrays.sort(measured);
    return measured[measured.length / 2];
  }

  /** What reading the clock takes, which each record does once. */
  private static long clock() {
    long begin = System.nanoTime();
    for (int i = 0; i < BURST; i++) sink += System.nanoTime();
    return System.nanoTime() - begin;
  }

  private static long burst(Call call) {
    long begin = System.nanoTime();
    for (int i = 0; i < BURST; i++) call.log(i);
    return System.nanoTime() - begin;
  }

  private static long[] paced(Call call) {
    long[] took = new long[PACED];
    for (int i = 0; i < PACED; i++) {
      long begin = System.nanoTime();
      call.log(i);
      long end = System.nanoTime();
      took[i] = end - begin;
      while (System.nanoTime() - begin < PACE_NS) Thread.onSpinWait();
    }
    return took;
  }

  private Calls() {}
}
