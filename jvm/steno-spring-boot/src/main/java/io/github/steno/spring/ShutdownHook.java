package io.github.steno.spring;

import io.github.steno.Session;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Keeps the log open while Spring's shutdown hook closes contexts, whose beans log. */
final class ShutdownHook implements BooleanSupplier {
  private static final AtomicBoolean WATCHED = new AtomicBoolean();
  /** The JVM starts all hooks at once. */
  private static final long STARTS_WITHIN_NS = 200_000_000;
  private static final int MOST_THREADS = 1 << 16;

  private long begin;
  private Thread hook;

  /** Watches from now on, once for the process. */
  static void watch() {
    if (WATCHED.compareAndSet(false, true)) Session.closeAfter(new ShutdownHook());
  }

  /** Asked by one thread, from when the JVM shuts down on. */
  @Override
  public boolean getAsBoolean() {
    if (begin == 0) begin = System.nanoTime();
    if (hook == null) hook = find();
    return hook != null ? hook.isAlive() : System.nanoTime() - begin < STARTS_WITHIN_NS;
  }

  /** There is no other way to know of the hook than the name of its thread. */
  private static Thread find() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) group = group.getParent();
    Thread[] threads = new Thread[Math.min(MOST_THREADS, group.activeCount() + 100)];
    int count = group.enumerate(threads);
    for (int i = 0; i < count; i++) {
      String name = threads[i].getName();
      if (name.equals("SpringApplicationShutdownHook") || name.equals("SpringContextShutdownHook")) return threads[i];
    }
    return null;
  }
}
