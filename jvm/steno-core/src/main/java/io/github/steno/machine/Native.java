package io.github.steno.machine;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileReader;
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
 * The native library that the jar packs for Linux, by processor and C library: the machine's counter, locks that a scribe in this
 * process leaves alone, and that scribe. Nothing of it may be called before {@link #load()} has returned null.
 */
public final class Native {
  private static final String FOLDER = "/META-INF/native/";
  private static final String FILE = "/libsteno_jvm.so";
  private static final int COPIED_AT_ONCE = 1 << 18;

  /** -EWOULDBLOCK. */
  public static final int HELD = -11;

  private static boolean tried;
  private static String problem;

  /** Loads it, once. Returns null, or why it cannot be. From JDK 24 on the JVM may warn of it. Any thread. */
  public static synchronized String load() {
    if (!tried) {
      problem = tryToLoad();
      tried = true;
    }
    return problem;
  }

  private static String tryToLoad() {
    String system = System.getProperty("os.name");
    String processor = System.getProperty("os.arch");
    String platform = platform(system, processor, isMusl(processor));
    if (platform == null) return "there is no native library for " + system + " on " + processor;
    String library = FOLDER + platform + FILE;
    StringBuilder problems = new StringBuilder();
    for (String directory : new String[] {System.getProperty("java.io.tmpdir"), "/dev/shm"}) {
      try {
        if (!loadFrom(Path.of(directory), library)) return "the jar was built without its native library for " + platform;
        return null;
      } catch (IOException | RuntimeException | LinkageError e) {
        problems.append(problems.length() == 0 ? "" : "; ").append(directory).append(": ").append(e.getMessage());
      }
    }
    return problems.toString();
  }

  /** The folder of a platform's library in the jar; null: there is none for it. */
  static String platform(String system, String processor, boolean isMusl) {
    String name = nameOf(processor);
    return name == null || !system.equals("Linux") ? null : "linux-" + name + (isMusl ? "-musl" : "");
  }

  /** Returns the processor's name in compilers; null if no library is built for it. */
  private static String nameOf(String processor) {
    return processor.equals("amd64") || processor.equals("x86_64") ? "x86_64" : processor.equals("aarch64") ? "aarch64" : null;
  }

  /** Returns whether this process runs with musl. Most systems lack musl's loader, which is looked for first. */
  private static boolean isMusl(String processor) {
    if (!new File("/lib/ld-musl-" + nameOf(processor) + ".so.1").exists()) return false;
    try (BufferedReader maps = new BufferedReader(new FileReader("/proc/self/maps", StandardCharsets.UTF_8))) {
      for (String line = maps.readLine(); line != null; line = maps.readLine()) {
        if (line.contains("/ld-musl-") || line.contains("/libc.musl-")) return true;
      }
    } catch (IOException e) {
      // The process most likely has another C library.
    }
    return false;
  }

  /**
   * Loads the library from a file in a directory that only we may enter; both are removed once it is loaded. Returns
   * false if there is none in the jar.
   */
  private static boolean loadFrom(Path root, String library) throws IOException {
    Path directory = root.resolve("libsteno_jvm-" + HexFormat.of().toHexDigits(Nonce.make()));
    Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path file = directory.resolve("libsteno_jvm.so");
    try {
      if (!copyTo(file.toFile(), library)) return false;
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
  private static boolean copyTo(File file, String library) throws IOException {
    CodeSource source = Native.class.getProtectionDomain().getCodeSource();
    URL url = source == null ? null : source.getLocation();
    if (url != null && url.getProtocol().equals("file") && url.getPath().endsWith(".jar") && url.getPath().indexOf('%') < 0) {
      try (ZipFile jar = new ZipFile(url.getPath())) {
        ZipEntry entry = jar.getEntry(library.substring(1));
        if (entry == null) return false;
        copy(jar.getInputStream(entry), file);
        return true;
      }
    }
    try (InputStream packed = Native.class.getResourceAsStream(library)) {
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
  public static byte[] path(Path path) {
    return path.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the kind of clock that {@link #ticks()} reads, as {@code clock_kind} in spec/ring.md §2. */
  public static native int clockKind();

  public static native long ticks();

  /**
   * A clock point of now: ticks, wall clock, the bits of a double (ns per tick), the uncertainty in ns. Takes 2 ms, unless the
   * doorbell of a root knows the rate, as it does then.
   */
  public static native void readClock(long[] point, byte[] root);

  /** A descriptor that holds the exclusive lock on a file (spec/ring.md §1.5), as soon as nobody else does; or -errno. */
  public static native int lock(byte[] path);

  /** Takes a lock, which may be shared, if nobody has a lock that excludes it; {@link #HELD}: somebody has one. */
  public static native int tryLock(byte[] path, boolean shared);

  public static native void unlock(int descriptor);

  /**
   * The first bytes of a file that has them, to be read and written. They stay mapped until this class is unloaded, so
   * that an address within them may be used by code that has let go of the buffer. Throws where they cannot be mapped;
   * its message is the reason alone.
   */
  public static native ByteBuffer map(byte[] path, long size) throws IOException;

  /** Seconds east of UTC here at that time since the epoch, in ns. */
  public static native int utcOffset(long wallNs);

  /**
   * A scribe for the session of a directory, and for those of the log whose process died; 0: there is no memory for it.
   *
   * @param console {@code stdout} or {@code stderr}, where it prints all; empty: nowhere
   * @param sinks a file that says where else it shows records; empty: none
   */
  public static native long makeScribe(byte[] log, byte[] directory, byte[] root, byte[] console, byte[] sinks);

  /** Runs the scribe until it is stopped. Returns false if it ended for a reason that it reported on stderr. */
  public static native boolean runScribe(long scribe);

  /** Any thread, at any time. */
  public static native void wakeScribe(long scribe);

  /** Any thread, at any time. */
  public static native void stopScribe(long scribe);

  private Native() {}
}
