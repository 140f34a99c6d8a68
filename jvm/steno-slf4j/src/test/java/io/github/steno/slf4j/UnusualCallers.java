package io.github.steno.slf4j;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program that tests run in a JVM of its own. It logs from places where programs seldom do. */
final class UnusualCallers {
  private static final int PATIENCE_S = 100;
  private static final int CALLS = 1000;
  private static final int SIGNALS = 10;
  private static final int HOOKS = 3;

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "initialisers" -> initialisers();
      case "signals" -> signals();
      case "memory" -> exhaustedMemory();
      case "hooks" -> shutdownHooks();
      case "once" -> {
        LoggerFactory.getLogger("once").info("hello {}", 1);
        Called.load();
      }
      case "never" -> Called.load();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Is loaded after the call. */
  static final class Called {
    static void load() {}
  }

  /** A point that both threads reach before one of them goes on. */
  private static final class Meeting {
    static final CyclicBarrier BARRIER = new CyclicBarrier(2);

    static void await() {
      try {
        BARRIER.await(PATIENCE_S, TimeUnit.SECONDS);
      } catch (Exception e) {
        throw new IllegalStateException("the other thread does not come", e);
      }
    }

    /** Is made text of when the other thread's is, so that both are within a call. */
    @Override
    public String toString() {
      await();
      return "met";
    }
  }

  private static final class First {
    static {
      logTogether("first");
    }

    static void begin() {}
  }

  private static final class Second {
    static {
      logTogether("second");
    }

    static void begin() {}
  }

  /** The first calls of the process. */
  private static void logTogether(String name) {
    Meeting.await();
    Logger logger = LoggerFactory.getLogger(name);
    logger.info("{} in an initialiser", new Meeting());
    logger.info("after {}", new Meeting());
  }

  private static void initialisers() throws InterruptedException {
    // Calls that are made while SLF4J looks for its provider are SLF4J's to keep.
    LoggerFactory.getILoggerFactory();
    Thread other = new Thread(Second::begin);
    other.start();
    First.begin();
    other.join();
  }

  /** The JDK's signals, by reflection: the compiler warns of {@code sun.misc} whatever it is told. */
  private static final class Signals {
    private final Class<?> type = Class.forName("sun.misc.Signal");
    private final Class<?> handler = Class.forName("sun.misc.SignalHandler");
    private final Object signal = type.getConstructor(String.class).newInstance("USR2");

    Signals() throws ReflectiveOperationException {}

    void handle(Runnable task) throws ReflectiveOperationException {
      Object runs = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
        task.run();
        return null;
      });
      type.getMethod("handle", type, handler).invoke(null, signal, runs);
    }

    void raise() throws ReflectiveOperationException {
      type.getMethod("raise", type).invoke(null, signal);
    }
  }

  /** Each is handled while the thread that raises it is within a call. */
  private static void signals() throws ReflectiveOperationException {
    Logger logger = LoggerFactory.getLogger("signals");
    Signals signals = new Signals();
    for (int i = 0; i < SIGNALS; i++) {
      int number = i;
      CountDownLatch handled = new CountDownLatch(1);
      signals.handle(() -> {
        logger.warn("handled {}", number);
        handled.countDown();
      });
      logger.info("raised {}", new Object() {
        @Override
        public String toString() {
          try {
            signals.raise();
            return handled.await(PATIENCE_S, TimeUnit.SECONDS) ? String.valueOf(number) : "not handled";
          } catch (ReflectiveOperationException | InterruptedException e) {
            throw new IllegalStateException(e);
          }
        }
      });
    }
  }

  /** Logs while nothing can be allocated. */
  private static void exhaustedMemory() {
    Logger logger = LoggerFactory.getLogger("memory");
    Throwable thrown = new IllegalStateException("made before");
    String[] formats = {"known", "new {}"};
    for (int i = 0; i < CALLS; i++) logger.info("before {} {}", i, "text");
    // Once before, for the JVM itself allocates when code is first run.
    logAll(logger, formats[0], thrown, 1);
    Object[] hoard = hoard();
    logAll(logger, formats[0], thrown, CALLS);
    logAll(logger, formats[1], thrown, 1);
    // Kept until here.
    int length = hoard.length;
    hoard = null;
    for (int i = 0; i < CALLS; i++) logger.info("after {} {}", i, "text");
    System.out.println("kept: " + length);
  }

  /** Makes calls that need no memory if the format is known, and one that does. */
  private static void logAll(Logger logger, String format, Throwable thrown, int calls) {
    for (int i = 0; i < calls; i++) logger.info(format);
    logger.error(format, thrown);
  }

  /** Allocates all memory that there is, as a chain. */
  private static Object[] hoard() {
    Object[] chain = new Object[1];
    for (int size = 1 << 16; size != 0; size /= 4) {
      try {
        for (;;) {
          Object[] more = new Object[size];
          more[0] = chain;
          chain = more;
        }
      } catch (OutOfMemoryError e) {
        // Smaller ones may be had still.
      }
    }
    return chain;
  }

  private static void shutdownHooks() {
    Logger logger = LoggerFactory.getLogger("hooks");
    List<Thread> hooks = new ArrayList<>();
    for (int h = 0; h < HOOKS; h++) {
      int hook = h;
      hooks.add(new Thread(() -> {
        for (int i = 0; i < CALLS; i++) logger.info("hook {} call {}", hook, i);
        LoggerFactory.getLogger("hook." + hook).warn("new logger of hook {}", hook);
      }));
    }
    hooks.forEach(Runtime.getRuntime()::addShutdownHook);
    for (int i = 0; i < CALLS; i++) logger.info("main call {}", i);
    System.exit(3);
  }

  private UnusualCallers() {}
}
