package io.github.steno.scribe;

import io.github.steno.machine.Native;
import io.github.steno.machine.Threads;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A scribe in this process: a thread that is in the native library all the while. Requires that it is loaded. */
public final class ScribeThread implements Scribe {
  private static final long PATIENCE_MS = 10_000;

  private final long scribe;
  private Thread thread;
  private volatile boolean hasFailed;

  /**
   * @param console {@code stdout} or {@code stderr}; empty: neither
   * @param sinks a file; empty: none
   */
  public ScribeThread(Path root, Path directory, String log, String console, String sinks) {
    scribe = Native.makeScribe(utf8(log), Native.path(directory), Native.path(root), utf8(console), utf8(sinks));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void start() {
    if (thread != null) return;
    thread = Threads.make(new Runnable() {
      @Override
      public void run() {
        hasFailed = scribe == 0 || !Native.runScribe(scribe);
      }
    }, "steno-scribe");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean hasFailed() {
    return hasFailed;
  }

  @Override
  public void wake() {
    if (scribe != 0) Native.wakeScribe(scribe);
  }

  /** The JVM must not go on with its own end while native code runs. */
  @Override
  public void end() {
    if (thread == null || scribe == 0) return;
    Native.stopScribe(scribe);
    boolean interrupted = Thread.interrupted();
    try {
      thread.join(PATIENCE_MS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) Thread.currentThread().interrupt();
  }
}
