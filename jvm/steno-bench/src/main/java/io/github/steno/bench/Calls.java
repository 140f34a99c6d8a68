package io.github.steno.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Times calls with three arguments, whatever is behind them: in bursts that a queue has room for, one at a time, and as many as one thread, or 64,
 * can make. Prints JSON.
 */
final class Calls {
  private static final int BURST = 2000;
  private static final int WARM_BURSTS = 400;
  private static final int BURSTS = 150;
  private static final long PAUSE_MS = 3;
  private static final int PACED = 100_000;
  private static final long PACE_NS = 10_000;
  private static final int MANY = 64;
  private static final long FLAT_OUT_NS = 1_200_000_000;
  /** Calls between two looks at the time. */
  private static final int CALLS = 100;

  private static long sink;

  /** The interface; and once: one call, and nothing is timed. */
  public static void main(String[] arguments) throws InterruptedException {
    Call call = Call.of(arguments[0]);
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
    double one = flatOut(call, 1);
    double many = flatOut(call, MANY);
    System.out.printf(Locale.ROOT, "{\"burst_ns\": %.1f, \"clock_ns\": %.1f, \"p50_ns\": %d, \"p99_ns\": %d, \"p999_ns\": %d, "
            + "\"one_thread_mps\": %.2f, \"threads_64_mps\": %.2f}%n",
        median(bursts), median(clocks), paced[PACED / 2], paced[PACED / 100 * 99], paced[PACED / 1000 * 999], one, many);
  }

  private static double median(double[] bursts) {
    double[] measured = Arrays.copyOfRange(bursts, WARM_BURSTS, bursts.length);
    Arrays.sort(measured);
    return measured[measured.length / 2];
  }

  /** Measures the time of reading the clock, which each record does once. */
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

  /** Million calls a second of all threads together, as far as they have returned. What a queue still holds counts. */
  private static double flatOut(Call call, int threads) throws InterruptedException {
    LongAdder calls = new LongAdder();
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch go = new CountDownLatch(1);
    AtomicLong end = new AtomicLong();
    Thread[] all = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      all[t] = new Thread(() -> {
        call.log(0);
        ready.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          return;
        }
        int made = 0;
        while (System.nanoTime() < end.get()) {
          for (int i = 0; i < CALLS; i++) call.log(made++);
        }
        calls.add(made);
      });
      all[t].start();
    }
    ready.await();
    long begin = System.nanoTime();
    end.set(begin + FLAT_OUT_NS);
    go.countDown();
    for (Thread thread : all) thread.join();
    return calls.sum() * 1e3 / (System.nanoTime() - begin);
  }

  private Calls() {}
}
