package io.github.steno.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntToDoubleFunction;

/**
 * Measures as Log4j 2's page on asynchronous loggers does, with any backend behind the calls. Prints JSON by the number
 * of threads: either the messages that all threads together log in a second, where 256 Ki calls are shared among them
 * and a message counts when its call has returned; or how long a call takes if each thread waits for 10 µs times the
 * number of threads between two calls.
 */
final class Scenarios {
  private static final int[] THREADS = {1, 2, 4, 8, 16, 32, 64};
  private static final int WARM_ROUNDS = 2;
  private static final int ROUNDS = 3;
  /** A pause for the queues and the JVM's compilers. */
  private static final long PAUSE_MS = 200;
  private static final int MESSAGES = 256 * 1024;
  private static final int PACED = 50_000;
  private static final long PACE_NS = 10_000;
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  /** The interface that is called. */
  private static Call call;

  /** The arguments are the interface, and {@code rates} or {@code p999}. */
  public static void main(String[] arguments) {
    call = Call.of(arguments[0]);
    IntToDoubleFunction figure = arguments[1].equals("rates") ? Scenarios::rate : Scenarios::p999;
    System.out.println(table(THREADS, threads -> rounds(threads, figure)));
  }

  private static String table(int[] columns, IntToDoubleFunction figure) {
    StringJoiner values = new StringJoiner(", ", "{", "}");
    for (int column : columns) values.add(String.format(Locale.ROOT, "\"%d\": %.3f", column, figure.applyAsDouble(column)));
    return values.toString();
  }

  /** The median of those after some to warm up. */
  private static double rounds(int parameter, IntToDoubleFunction figure) {
    double[] measured = new double[ROUNDS];
    for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
      double value = figure.applyAsDouble(parameter);
      if (round >= 0) measured[round] = value;
      sleep();
    }
    Arrays.sort(measured);
    return measured[ROUNDS / 2];
  }

  private static void sleep() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Has threads run, each with its number, from one moment on. Returns how long they took, in ns. */
  private static long run(int threads, IntConsumer task) {
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch go = new CountDownLatch(1);
    Thread[] all = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int number = t;
      all[t] = new Thread(() -> {
        call.log(number);
        ready.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          return;
        }
        task.accept(number);
      });
      all[t].start();
    }
    try {
      ready.await();
      long begin = System.nanoTime();
      go.countDown();
      for (Thread thread : all) thread.join();
      return System.nanoTime() - begin;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Million messages a second. */
  private static double rate(int threads) {
    int calls = MESSAGES / threads;
    long took = run(threads, number -> {
      for (int i = 0; i < calls; i++) call.log(i);
    });
    return 1e3 * calls * threads / took;
  }

  /** The time of a call, in ns, which one of 1,000 exceeds. */
  private static double p999(int threads) {
    int calls = PACED / threads;
    long[] took = new long[calls * threads];
    run(threads, number -> {
      for (int i = 0; i < calls; i++) {
        long begin = System.nanoTime();
        call.log(i);
        long end = System.nanoTime();
        took[number * calls + i] = end - begin;
        waitUntil(end + PACE_NS * threads, threads);
      }
    });
    Arrays.sort(took);
    return took[took.length - 1 - took.length / 1000];
  }

  /** Parks if there are no fewer threads than processors, so that waiting takes no time from others. */
  private static void waitUntil(long end, int threads) {
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      if (threads < PROCESSORS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(left);
      }
    }
  }

  private Scenarios() {}
}
