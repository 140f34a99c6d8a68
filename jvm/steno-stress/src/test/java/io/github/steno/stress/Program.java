package io.github.steno.stress;

import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Threads that log a few messages each and end, some at a time: those that come take over the rings of those that went. */
final class Program {
  private static final Logger LOGGER = LoggerFactory.getLogger(Program.class);
  private static final int AT_A_TIME = 24;

  /**
   * The arguments are the number of threads and of messages for each; every second thread is virtual, where there are
   * such.
   */
  public static void main(String[] arguments) throws Exception {
    int threads = Integer.parseInt(arguments[0]);
    int messages = Integer.parseInt(arguments[1]);
    Method startVirtual = startVirtual();
    Semaphore room = new Semaphore(AT_A_TIME);
    CountDownLatch ended = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      int number = i;
      Runnable task = () -> {
        Thread.currentThread().setName("t-" + number);
        log(number, messages);
        ended.countDown();
        room.release();  // and the next one begins while this ends
      };
      room.acquire();
      if (startVirtual != null && i % 2 == 1) {
        startVirtual.invoke(null, task);
      } else {
        new Thread(task).start();
      }
    }
    ended.await();
  }

  /** Returns null before JDK 21, which has no virtual threads. */
  private static Method startVirtual() {
    try {
      return Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** Every third thread has a context, and leaves it behind. */
  private static void log(int number, int messages) {
    if (number % 3 == 0) MDC.put("who", "w-" + number);
    for (int i = 0; i < messages; i++) {
      if (i % 2 == 0) {
        LOGGER.info("{} of {}", i, number);
      } else {
        LOGGER.info("{} of {} {}", i, number, new StringBuilder("text"));
      }
    }
  }

  private Program() {}
}
