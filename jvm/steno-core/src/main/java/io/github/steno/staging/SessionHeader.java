package io.github.steno.staging;

import static io.github.steno.staging.Layout.INT;
import static io.github.steno.staging.Layout.LONG;

import io.github.steno.machine.Native;
import io.github.steno.machine.Nonce;
import io.github.steno.machine.WallClock;
import io.github.steno.machine.Xxh3;
import io.github.steno.staging.Layout.SessionFile;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TimeZone;

/** Writes the facts that a session file states about its session at its beginning. */
public final class SessionHeader {
  private final StagingDirectory staging;
  private final ByteBuffer file;
  private final boolean counts;

  /** @param counts whether records have the time of the machine's counter, which is {@link SessionFile#CLOCK_TSC} then */
  public SessionHeader(StagingDirectory staging, boolean counts) {
    this.staging = staging;
    this.file = staging.session;
    this.counts = counts;
  }

  /**
   * Begins a session, in the order of spec/ring.md §2. Whoever comes may drain it once the consumer's lock is given up.
   *
   * @param log its absolute path; empty: whoever drains names it
   */
  public void begin(String log, int doorbell) throws IOException {
    long now = WallClock.now();
    putText(SessionFile.PROGRAM, SessionFile.PROGRAM_BYTES, programName());
    long[] point = {now, now, Double.doubleToRawLongBits(1.0), 0};
    if (counts) Native.readClock(point, Native.path(staging.root));
    file.putInt(SessionFile.CLOCK_KIND, counts ? SessionFile.CLOCK_TSC : SessionFile.CLOCK_WALL);
    file.putLong(SessionFile.NS_PER_TICK, point[2]);
    file.putLong(SessionFile.SESSION_ID, staging.nonce);
    for (int i = 0; i < point.length; i++) file.putLong(SessionFile.CLOCK_SLOTS + 8 * i, point[i]);
    LONG.setRelease(file, SessionFile.CLOCK_POINTS, 1L);
    INT.setRelease(file, SessionFile.VERSION, Layout.VERSION);

    file.putInt(SessionFile.DOORBELL, doorbell);
    INT.setRelease(file, SessionFile.EXTERNAL, 1);
    file.putLong(SessionFile.START_WALL, now);
    file.putInt(SessionFile.UTC_OFFSET, utcOffset(now));
    LONG.setRelease(file, SessionFile.SESSION_ID, sessionId());
    if (!log.isEmpty()) {
      if (log.getBytes(StandardCharsets.UTF_8).length >= SessionFile.LOG_PATH_BYTES) {
        throw new IOException("the path of the log is too long: " + log);
      }
      staging.markLog(log);
      putText(SessionFile.LOG_PATH, SessionFile.LOG_PATH_BYTES, log);
    }
    INT.setRelease(file, SessionFile.STATE, SessionFile.STATE_RUNNING);
  }

  /**
   * Returns the UTC offset of the machine's zone, which the C library knows. If {@code user.timezone} names a zone, by
   * an option or because the program has asked for its zone, and without the native library, it is that of the JVM's
   * default zone. Reading the JDK's rules takes 7 ms. A zone that the program set otherwise is not heeded.
   */
  private int utcOffset(long wall) {
    String zone = System.getProperty("user.timezone");
    if (staging.isNative && (zone == null || zone.isEmpty())) return Native.utcOffset(wall);
    return TimeZone.getDefault().getOffset(wall / 1_000_000) / 1000;
  }

  /** Writes the first byte last, because it says that the others are there. */
  private void putText(int at, int room, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int size = Math.min(bytes.length, room - 1);
    if (size == 0) return;
    file.put(at + 1, bytes, 1, size - 1);
    VarHandle.releaseFence();
    file.put(at, bytes[0]);
  }

  /** The main class or jar, as it was started. */
  private static String programName() {
    String command = System.getProperty("sun.java.command", "java");
    String first = command.split(" ", 2)[0];
    return first.isEmpty() ? "java" : first;
  }

  /** Random, but for the bits by which sessions that log at the same time differ (spec/ring.md §2). */
  private static long sessionId() throws IOException {
    byte[] place = new byte[128];
    try (FileInputStream boot = new FileInputStream("/proc/sys/kernel/random/boot_id")) {
      boot.readNBytes(place, 0, 64);
    }
    byte[] namespace = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().getBytes(StandardCharsets.UTF_8);
    System.arraycopy(namespace, 0, place, 64, Math.min(namespace.length, 64));
    long tag = Xxh3.hash(place) + StagingDirectory.processId();
    return Nonce.make() & ~0xFFFFL | tag & 0xFFFF;
  }
}
