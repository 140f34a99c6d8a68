package io.github.steno;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.CodeSource;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The native library that the jar packs for Linux on x86-64: the machine's counter, locks that a scribe in this process leaves
 * alone, and that scribe. Nothing of it may be called before {@link #load()} has returned null.
 */
final class Native {
  private static final String LIBRARY = "/META-INF/native/linux-x86_64/libsteno_jvm.so";

  private static final int COPIED_AT_ONCE = 1 << 18;

  /** -EWOULDBLOCK. */
  static final int HELD = -11;

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
      try {
        if (!loadFrom(Path.of(directory))) return "the jar was built without its native library";
        return null;
      } catch (IOException | RuntimeException | LinkageError e) {
        problems.append(problems.length() == 0 ? "" : "; ").append(directory).append(": ").append(e.getMessage());
      }
    }
    return problems.toString();
  }

  /** From a file in a directory that only we may enter, both of which are gone once it is loaded. False: there is none in the jar. */
  private static boolean loadFrom(Path root) throws IOException {
    Path directory = root.resolve("libsteno_jvm-" + HexFormat.of().toHexDigits(StagingDirectory.random()));
    Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path file = directory.resolve("libsteno_jvm.so");
    try {
      if (!copyTo(file.toFile())) return false;
      System.load(file.toAbsolutePath().toString());
      return true;
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(directory);
    }
  }

  /**
   * Straight from the jar where that is a file: the JVM has it open, and shares what it has read of it. To look for a resource goes by
   * way of all modules of the JDK.
   */
  private static boolean copyTo(File file) throws IOException {
    CodeSource source = Native.class.getProtectionDomain().getCodeSource();
    URL url = source == null ? null : source.getLocation();
    if (url != null && url.getProtocol().equals("file") && url.getPath().endsWith(".jar") && url.getPath().indexOf('%') < 0) {
      try (ZipFile jar = new ZipFile(url.getPath())) {
        ZipEntry entry = jar.getEntry(LIBRARY.substring(1));
        if (entry == null) return false;
        copy(jar.getInputStream(entry), file);
        return true;
      }
    }
    try (InputStream packed = Native.class.getResourceAsStream(LIBRARY)) {
      if (packed == null) return false;
      copy(packed, file);
      return true;
    }
  }

  private static void copy(InputStream from, File to) throws IOException {
    try (FileOutputStream out = new FileOutputStream(to)) {
      byte[] bytes = new byte[COPIED_AT_ONCE];
      for (int size = from.read(bytes); size >= 0; size = from.read(bytes)) out.write(bytes, 0, size);
    }
  }

  /** A path as native code takes it. */
  static byte[] path(Path path) {
    return path.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
  }

  /** What {@link #ticks()} counts, as {@code clock_kind} in spec/ring.md §2. */
  static native int clockKind();

  static native long ticks();

  /**
   * A clock point of now: ticks, wall clock, the bits of a double (ns per tick), the uncertainty in ns. Takes 2 ms, unless the
   * doorbell of a root knows the rate, as it does then.
   */
  static native void readClock(long[] point, byte[] root);

  /** A descriptor that holds the exclusive lock on a file (spec/ring.md §1.5), as soon as nobody else does; or -errno. */
  static native int lock(byte[] path);

  /** The same if nobody has a lock that excludes it, which may be a shared one; {@link #HELD}: somebody has. */
  static native int tryLock(byte[] path, boolean shared);

  static native void unlock(int descriptor);

  /**
   * The first bytes of a file that has them, to be read and written. They stay mapped until this class is unloaded, so that an address
   * within them may be used by who has let go of the buffer. Throws where they cannot be mapped; its message is the reason alone.
   */
  static native ByteBuffer map(byte[] path, long size) throws IOException;

  /** Seconds east of UTC here at that time since the epoch, in ns. */
  static native int utcOffset(long wallNs);

  /**
   * A scribe for the session of a directory, and for those of the log whose process died; 0: there is no memory for it.
   *
   * @param console {@code stdout} or {@code stderr}, where it prints all; empty: nowhere
   * @param sinks a file that says where else it shows records; empty: none
   */
  static native long makeScribe(byte[] log, byte[] directory, byte[] root, byte[] console, byte[] sinks);

  /** Until it is stopped. False: it ended for a reason that it told on stderr. */
  static native boolean runScribe(long scribe);

  /** Any thread, at any time. */
  static native void wakeScribe(long scribe);

  /** Any thread, at any time. */
  static native void stopScribe(long scribe);

  private Native() {}
}
