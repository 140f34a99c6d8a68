package io.github.steno.slf4j;

import io.github.steno.DrainedLog;
import io.github.steno.RandomMessages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;
import org.slf4j.event.Level;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.SubstituteLogger;
import org.slf4j.spi.CallerBoundaryAware;
import org.slf4j.spi.LocationAwareLogger;
import org.slf4j.spi.LoggingEventBuilder;

/** The program that tests run in a JVM of its own. It logs like any program. */
final class Program {
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "messages" -> messages(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "count" -> count(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "crash" -> crash(Path.of(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
      case "calls" -> calls();
      case "unusual" -> unusual();
      case "suppliers" -> suppliers();
      case "replayed" -> replayed();
      case "levels" -> levels(Path.of(arguments[1]));
      case "end" -> end(arguments[1], Integer.parseInt(arguments[2]));
      case "parts" -> parts(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "until" -> until(Path.of(arguments[1]));
      case "together" -> together(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      case "unnamed" -> unnamedThreads(Integer.parseInt(arguments[1]));
      case "virtual" -> virtualThreads(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Random ones, and into a file what they are by SLF4J's own formatter. */
  private static void messages(Path expected, int count) throws IOException {
    RandomMessages random = new RandomMessages(11);
    try (Writer out = Files.newBufferedWriter(expected)) {
      for (int i = 0; i < count; i++) {
        Logger logger = LoggerFactory.getLogger("logger-" + i % 50);
        String format = random.format();
        Object[] arguments = random.arguments();
        String message = MessageFormatter.arrayFormat(format, arguments).getMessage();
        out.write(new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8) + DrainedLog.END);
        switch (arguments.length) {
          case 1 -> logger.info(format, arguments[0]);
          case 2 -> logger.info(format, arguments[0], arguments[1]);
          default -> logger.info(format, arguments);
        }
      }
    }
  }

  /** Replays events as SLF4J does with those that are logged before it has its provider. */
  private static void replayed() {
    LinkedBlockingQueue<SubstituteLoggingEvent> events = new LinkedBlockingQueue<>();
    SubstituteLogger early = new SubstituteLogger("com.acme.Early", events, false);
    early.info("before {} of {}", 1, 2);
    early.warn("thrown", new IllegalStateException("early"));
    early.setDelegate(LoggerFactory.getLogger("com.acme.Early"));
    for (SubstituteLoggingEvent event : events) event.getLogger().log(event);
  }

  /** Logs as fast as it can. A file has the number of calls of each thread that have returned. */
  private static MappedByteBuffer count(Path returned, int threads) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(returned.toFile(), "rw")) {
      MappedByteBuffer counts = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4096);
      // The logger is made before the threads: SLF4J keeps calls that are made while it looks for its provider.
      Logger logger = LoggerFactory.getLogger("counter");
      for (int t = 0; t < threads; t++) {
        int thread = t;
        new Thread(() -> {
          for (int i = 0;; i++) {
            if (i % 64 != 0) {
              logger.info("thread {} call {} {}", thread, i, "text");
            } else {
              logger.info("thread {} call {} {}", thread, i, "thrown", new IllegalStateException("message " + i));
            }
            counts.putInt(64 * thread, i + 1);
          }
        }).start();
      }
      return counts;
    }
  }

  /** Does the same. When each thread has made so many calls, the JVM dies of SIGSEGV while they log on. */
  private static void crash(Path returned, int threads, int calls) throws Exception {
    MappedByteBuffer counts = count(returned, threads);
    for (int t = 0; t < threads; t++) {
      while (counts.getInt(64 * t) < calls) Thread.sleep(1);
    }
    // Reflection avoids a warning of the compiler.
    Class<?> unsafe = Class.forName("sun.misc.Unsafe");
    Field instance = unsafe.getDeclaredField("theUnsafe");
    instance.setAccessible(true);
    unsafe.getMethod("getInt", long.class).invoke(instance.get(null), 0L);
  }

  /** Each logs some messages, and lets others run between them. By reflection, for older JDKs have none. */
  private static void virtualThreads(int threads, int messages) throws Exception {
    Logger logger = LoggerFactory.getLogger("virtual");
    ExecutorService pool = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    for (int t = 0; t < threads; t++) {
      int thread = t;
      pool.submit(() -> {
        Thread.currentThread().setName("virtual-" + thread);
        for (int i = 0; i < messages; i++) {
          logger.info("message {} of {}", i, thread);
          Thread.yield();
        }
      });
    }
    pool.shutdown();
    if (!pool.awaitTermination(100, TimeUnit.SECONDS)) throw new IllegalStateException("they do not end");
  }

  /** None ends before all have logged. */
  private static void together(int count, int messages) throws InterruptedException {
    Logger logger = LoggerFactory.getLogger("together");
    CyclicBarrier barrier = new CyclicBarrier(count);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      int number = t;
      Thread thread = new Thread(() -> {
        try {
          barrier.await();
          for (int i = 0; i < messages; i++) logger.info("message {} of {}", i, number);
          logger.info("end of {}", number);  // a statement that comes when rings are made
          barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
          throw new IllegalStateException(e);
        }
      });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) thread.join();
  }

  /** Virtual ones say what number they have, before and after they have let others run, and with a context of their own. */
  private static void unnamedThreads(int threads) throws Exception {
    Logger logger = LoggerFactory.getLogger("unnamed");
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    List<Thread> started = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      started.add((Thread) start.invoke(null, (Runnable) () -> {
        long id = Thread.currentThread().getId();
        MDC.put("id", "not this");
        MDC.put("id", String.valueOf(id));
        logger.info("I am {}", id);
        Thread.yield();
        logger.info("{} it is", id);
        MDC.clear();
        logger.info("no context of {}", id);
      }));
    }
    for (Thread thread : started) thread.join();
  }

  /** Logs, and ends at once. */
  private static void end(String how, int calls) {
    Logger logger = LoggerFactory.getLogger("com.acme.End");
    for (int i = 0; i < calls; i++) logger.info("last words {}", i);
    if (how.equals("halt")) Runtime.getRuntime().halt(3);
    System.exit(3);
  }

  /** Logs, is halted when a file is there, and has logged once more by then. */
  private static void parts(Path file, int calls) throws Exception {
    Logger logger = LoggerFactory.getLogger("com.acme.Parts");
    for (int i = 0; i < calls; i++) logger.info("first part {}", i);
    Files.createFile(file.resolveSibling("begun"));
    await(file);
    for (int i = 0; i < calls; i++) logger.info("second part {}", i);
    Runtime.getRuntime().halt(3);
  }

  /** Logs a record and waits until there is a file. */
  private static void until(Path file) throws Exception {
    LoggerFactory.getLogger("com.acme.Until").info("begun");
    await(file);
  }

  private static void await(Path file) throws InterruptedException {
    for (int waited = 0; !Files.exists(file); waited++) {
      if (waited == 20_000) throw new IllegalStateException("there is no " + file);
      Thread.sleep(5);
    }
  }

  /** Logs until it is told from outside to trace. */
  private static void levels(Path begun) throws Exception {
    Logger logger = LoggerFactory.getLogger("com.acme.Levels");
    logger.trace("not enabled");
    logger.info("begun");
    Files.createFile(begun);
    for (int waited = 0; !logger.isTraceEnabled(); waited++) {
      if (waited == 20_000) throw new IllegalStateException("nobody says that it is to trace");
      Thread.sleep(5);
    }
    logger.trace("enabled from outside");
    await(begun.resolveSibling("acknowledged"));  // not before: a session that has ended acknowledges nothing
  }

  /** Calls like bridges and other interfaces over SLF4J. */
  private static final class Wrapper {
    static void warn(Logger logger, String format, Object argument) {
      if (!(logger instanceof LocationAwareLogger aware)) throw new AssertionError("it cannot be told");
      aware.log(null, Wrapper.class.getName(), LocationAwareLogger.WARN_INT, format, new Object[] {argument}, null);
      aware.log(null, Wrapper.class.getName(), LocationAwareLogger.TRACE_INT, "not enabled", null, null);
    }

    static void log(LoggingEventBuilder builder, Supplier<String> supplier) {
      builder.log(supplier);
    }
  }

  /** A call of each kind. */
  private static void calls() throws InterruptedException {
    Logger logger = LoggerFactory.getLogger("com.acme.Calls");
    logger.trace("not enabled");
    logger.debug("debug {}", 1);
    logger.info("info");
    logger.warn("warn {} {}", "a", 2L);
    logger.error("error {} {} {}", 1, 2, 3);
    logger.error("thrown", new IllegalStateException("first"));
    logger.error("thrown {}", "too", new IllegalStateException("second"));
    logger.info(null);
    logger.info("none {}", (Object[]) null);
    logger.info(MarkerFactory.getMarker("M"), "marked {}", 7);
    logger.info("not marked");
    MDC.put("request", "r-1");
    logger.info(MarkerFactory.getMarker("AUDIT"), "marked with context");
    logger.info("with context");
    Wrapper.warn(logger, "wrapped {}", 1);
    Thread other = new Thread(() -> logger.info("of another thread {}", MDC.get("request")));
    other.start();
    other.join();
    MDC.remove("request");
    logger.info("without context");
    logger.atInfo().addMarker(MarkerFactory.getMarker("AUDIT")).addKeyValue("user", "eve").addKeyValue("n", 5)
        .log("fluent {}", true);
    logger.atLevel(Level.WARN).setMessage("supplied {}").addArgument(() -> 9).setCause(new RuntimeException("third")).log();
    LoggerFactory.getLogger("com.quiet.Class").info("not enabled");
    LoggerFactory.getLogger("com.quiet.Class").warn("loud");
  }

  /** Keys and values that clash with others. */
  private static void unusual() {
    Logger logger = LoggerFactory.getLogger("com.acme.Unusual");
    MDC.put("marker", "of the MDC");
    MDC.put("", "empty");
    logger.info(MarkerFactory.getMarker("AUDIT"), "marked");
    logger.info("not marked");
    MDC.clear();
    logger.atError().addKeyValue("first", 1).addKeyValue("why", new IllegalStateException("a value")).log("no exception");
    logger.atError().addKeyValue("why", new IllegalStateException("a value")).log("an exception {}", 1, new IllegalStateException("the exception"));
    logger.info(new FailingMarker(), "failing marker {}", 1);
    logger.atInfo().addMarker(new FailingMarker()).log("failing fluent marker");
  }

  /** The suppliers throw, where SLF4J's own builder would ask them. */
  private static void suppliers() {
    Logger logger = LoggerFactory.getLogger("com.acme.Suppliers");
    Supplier<Object> fails = () -> {
      throw new NoClassDefFoundError("com/acme/Gone");
    };
    Supplier<String> failsToSay = () -> {
      throw new IllegalStateException("no text");
    };
    logger.atInfo().addArgument(fails).addArgument(() -> 2).log("{} of {}");
    logger.atInfo().log(failsToSay);
    logger.atInfo().log((Supplier<String>) null);
    logger.atInfo().setMessage(failsToSay).log();
    logger.atInfo().addKeyValue("user", fails).addKeyValue("seat", () -> 18).log("booked {}", 3);
    logger.atInfo().addArgument((Supplier<?>) null).log("no supplier {}");
    logger.atInfo().log(() -> "supplied");
    LoggingEventBuilder wrapped = logger.atInfo();
    ((CallerBoundaryAware) wrapped).setCallerBoundary(Wrapper.class.getName());
    Wrapper.log(wrapped, failsToSay);
  }

  /** A marker of the program's own class. */
  @SuppressWarnings("deprecation")  // SLF4J 2.0.20 deprecates most of them
  private static final class FailingMarker implements Marker {
    private static final long serialVersionUID = 1;

    @Override
    public String getName() {
      throw new LinkageError("no name");
    }

    @Override
    public String toString() {
      throw new LinkageError("no text");
    }

    @Override
    public void add(Marker other) {}

    @Override
    public boolean remove(Marker other) {
      return false;
    }

    @Override
    public boolean hasChildren() {
      return false;
    }

    @Override
    public boolean hasReferences() {
      return false;
    }

    @Override
    public Iterator<Marker> iterator() {
      return Collections.emptyIterator();
    }

    @Override
    public boolean contains(Marker other) {
      return false;
    }

    @Override
    public boolean contains(String name) {
      return false;
    }
  }

  private Program() {}
}
