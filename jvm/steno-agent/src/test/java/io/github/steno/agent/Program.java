package io.github.steno.agent;

import com.sun.management.ThreadMXBean;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The program that tests run in a JVM of its own, with the agent. */
final class Program {
  private static final int WARM_CALLS = 30_000;
  private static final int CALLS = 20_000;
  private static final int DEPLOYMENTS = 100;
  private static final int THREADS = 20;

  public static void main(String[] arguments) throws Throwable {
    switch (arguments[0]) {
      case "allocations" -> allocations();
      case "virtual-allocations" -> virtualAllocations();
      case "turns" -> turns(Integer.parseInt(arguments[1]), Boolean.parseBoolean(arguments[2]));
      case "loggers" -> loggers();
      case "hidden" -> hidden();
      case "redeploy" -> redeploy();
      case "transformed" -> transformed();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Arguments that other classes load, too. */
  private static void calls(Logger logger, org.apache.logging.log4j.Logger other, int i, String text) {
    logger.info("none");
    logger.info("one {}", i);
    logger.info("two {} {}", text, i + 1L);
    logger.info("three {} {} {}", i, 4096L, text);
    logger.info("seven {} {} {} {} {} {} {}", i, i / 2.0, i % 2 == 0, 'c', (short) i, (byte) i, 0.5f);
    logger.debug("not enabled {} {} {}", i, i, i);
    other.info("one {}", i);
    other.warn("four {} {} {} {}", i, i > 0 ? text : "none", (long) i, i / 4.0);
  }

  /** Prints how many bytes eight calls take. */
  private static void allocations() {
    Logger logger = LoggerFactory.getLogger("slf4j");
    org.apache.logging.log4j.Logger other = LogManager.getLogger("log4j");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    for (int i = 0; i < WARM_CALLS; i++) calls(logger, other, i, "text");
    long before = threads.getThreadAllocatedBytes(id);
    for (int i = 0; i < CALLS; i++) calls(logger, other, i, "text");
    System.out.println("allocated: " + (threads.getThreadAllocatedBytes(id) - before) / CALLS);
  }

  /**
   * Prints the same for a virtual thread, after another has warmed up. It counts the bytes that all carrier threads
   * allocate meanwhile.
   */
  private static void virtualAllocations() throws Exception {
    Logger logger = LoggerFactory.getLogger("slf4j");
    org.apache.logging.log4j.Logger other = LogManager.getLogger("log4j");
    long[] took = new long[1];
    run(true, () -> {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      for (int i = 0; i < WARM_CALLS; i++) calls(logger, other, i, "text");
      long before = allocatedByCarriers(threads);
      for (int i = 0; i < CALLS; i++) calls(logger, other, i, "text");
      took[0] = allocatedByCarriers(threads) - before;
    }).join();
    System.out.println("allocated: " + took[0] / CALLS);
  }

  private static long allocatedByCarriers(ThreadMXBean threads) {
    long all = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread == null || !thread.getThreadName().startsWith("ForkJoinPool-")) continue;
      all += threads.getThreadAllocatedBytes(thread.getThreadId());
    }
    return all;
  }

  /** Runs a task in a thread. Older JDKs have no virtual threads, so they are started by reflection. */
  private static Thread run(boolean isVirtual, Runnable task) throws Exception {
    if (isVirtual) return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    Thread made = new Thread(task);
    made.start();
    return made;
  }

  /** Threads that share a ring, each with a name and a context, and some with arguments that log themselves. */
  private static void turns(int messages, boolean isVirtual) throws Exception {
    Logger logger = LoggerFactory.getLogger("turns");
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int number = t;
      threads.add(run(isVirtual, () -> {
        Thread.currentThread().setName("turn-" + number);
        if (number % 2 == 0) MDC.put("request", "r-" + number);
        for (int i = 0; i < messages; i++) {
          Object object = i % 8 == 0 ? new Object() {
            @Override
            public String toString() {
              logger.warn("within {}", number);
              return "text";
            }
          } : "text";
          logger.info("message {} of {}: {}", i, number, object);
          if (i % 4 == 0) Thread.yield();
        }
      }));
    }
    for (Thread thread : threads) thread.join();
  }

  /** One call, and loggers of several kinds. */
  private static void loggers() {
    List<String> seen = new ArrayList<>();
    Logger[] all = new Logger[8];
    for (int i = 0; i < all.length; i++) {
      all[i] = i % 2 == 0 ? LoggerFactory.getLogger("steno " + i) : foreign(seen, i);
    }
    for (Logger logger : all) call(logger, 1, null);
    call(LoggerFactory.getLogger("again"), 2, "text");
    try {
      call(null, 3, null);
    } catch (NullPointerException e) {
      seen.add("null");
    }
    for (org.apache.logging.log4j.Logger logger : List.of(LogManager.getLogger("braces"), LogManager.getFormatterLogger("percent"))) {
      logger.info("formatted {} %s", "text");
    }
    System.out.println(seen);
  }

  private static void call(Logger logger, int number, Object object) {
    logger.info("called {} {} {}", number, object, 2.5);
  }

  private interface OtherLogger extends Logger {}

  /** Makes a logger of a class of its own for each number. */
  private static Logger foreign(List<String> seen, int number) {
    Class<?>[] types = number % 4 == 1 ? new Class<?>[] {Logger.class} : new Class<?>[] {OtherLogger.class};
    return (Logger) Proxy.newProxyInstance(Program.class.getClassLoader(), types, (proxy, method, arguments) -> {
      seen.add(number + " " + method.getName() + ' ' + Arrays.deepToString(arguments));
      return null;
    });
  }

  /** A class that agents are not shown. */
  private static void hidden() throws Exception {
    byte[] code;
    try (InputStream in = Program.class.getResourceAsStream("Program$Hidden.class")) {
      code = in.readAllBytes();
    }
    MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(code, true);
    ((Runnable) hidden.lookupClass().getDeclaredConstructor().newInstance()).run();
    new Hidden().run();
  }

  static final class Hidden implements Runnable {
    @Override
    public void run() {
      LoggerFactory.getLogger("hidden").info("of a class {} {} {}", 1, 2, 3);
    }
  }

  /** Applications that come and go, where SLF4J and steno are the server's. */
  private static void redeploy() throws Exception {
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    for (int i = 0; i < DEPLOYMENTS; i++) loaders.add(new WeakReference<>(deploy()));
    for (int waited = 0; waited < 1000 && loaders.stream().anyMatch(loader -> loader.get() != null); waited++) {
      System.gc();
      Thread.sleep(10);
    }
    System.out.println("stay: " + loaders.stream().filter(loader -> loader.get() != null).count());
  }

  private static ClassLoader deploy() throws Exception {
    ClassLoader loader = new ApplicationLoader(Application.class);
    Class<?> type = loader.loadClass(Application.class.getName());
    Runnable application = (Runnable) type.getDeclaredConstructor().newInstance();
    Thread thread = new Thread(application);
    thread.start();
    thread.join();
    application.run();
    return loader;
  }

  /** A class whose code another agent changes, before us or after us, and once more when it has run. */
  private static void transformed() throws Exception {
    new Application().run();
    OtherAgent.again(Application.class);
    new Application().run();
  }

  private Program() {}
}
