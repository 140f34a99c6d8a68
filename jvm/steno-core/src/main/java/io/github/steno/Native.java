package io.github.steno;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;

/**
 * The native library that the jar packs for Linux on x86-64: the machine's counter, locks that a scribe in this process leaves
 * alone, and that scribe. Nothing of it may be called before {@link #load()} has returned null.
 */
final class Native {
  private static final String LIBRARY = "/META-INF/native/linux-x86_64/libsteno_jvm.so";

  private static boolean tried;
  private static String problem;

  /** Loads it, once. Returns null, or why it cannot be. From JDK 24 on the JVM may warn of it. Any thread. */
  static synchronized String load() {
    if (!tried) {
      problem = tryToLoad();
      tried = true;
    }
    return problem;
  }

  private static String tryToLoad() {
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!system.equals("Linux on amd64")) return "there is no native library for " + system;
    StringBuilder problems = new StringBuilder();
    for (String directory : new String[] {System.getProperty("java.io.tmpdir"), "/dev/shm"}) {
      try (InputStream packed = Native.class.getResourceAsStream(LIBRARY)) {
        if (packed == null) return "the jar was built without its native library";
        loadFrom(Path.of(directory), packed);
        return null;
      } catch (IOException | RuntimeException | LinkageError e) {
        problems.append(problems.length() == 0 ? "" : "; ").append(directory).append(": ").append(e.getMessage());
      }
    }
    return problems.toString();
  }

  /** From a file that only we may touch, and that is gone once it is loaded. */
  private static void loadFrom(Path directory, InputStream packed) throws IOException {
    Path file = directory.resolve("libsteno_jvm-" + HexFormat.of().toHexDigits(StagingDirectory.random()) + ".so");
    Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      try (OutputStream out = Files.newOutputStream(file)) {
        packed.transferTo(out);
      }
      System.load(file.toAbsolutePath().toString());
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** A path as native code takes it. */
  static byte[] path(Path path) {
    return path.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
  }

  /** What {@link #ticks()} counts, as {@code clock_kind} in spec/ring.md §2. */
  static native int clockKind();

  static native long ticks();

  /** A clock point of now: ticks, wall clock, the bits of a double (ns per tick), the uncertainty in ns. Takes 2 ms. */
  static native void readClock(long[] point);

  /** A descriptor that holds the exclusive lock on a file (spec/ring.md §1.5), as soon as nobody else does; or -errno. */
  static native int lock(byte[] path);

  static native void unlock(int descriptor);

  /** A scribe for the session of a directory, and for those of the log whose process died; 0: there is no memory for it. */
  static native long makeScribe(byte[] log, byte[] directory, byte[] root);

  /** Until it is stopped. False: it ended for a reason that it told on stderr. */
  static native boolean runScribe(long scribe);

  /** Any thread, at any time. */
  static native void wakeScribe(long scribe);

  /** Any thread, at any time. */
  static native void stopScribe(long scribe);

  private Native() {}
}
