package io.github.steno.spark;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The native library that the jar packs for Linux, with those that it needs: the reader. Nothing of it may be called before
 * {@link #require()} has returned.
 */
final class Native {
  private static final String FOLDER = "/META-INF/native/";

  private static boolean tried;
  private static String problem;

  /** Loads it, once. Any thread. */
  static synchronized void require() throws StenoException {
    if (!tried) {
      problem = tryToLoad(System.getProperty("os.name"), System.getProperty("os.arch"));
      tried = true;
    }
    if (problem != null) throw new StenoException("steno cannot read logs in this process: " + problem);
  }

  private static String tryToLoad(String system, String processor) {
    String name = processor.equals("amd64") ? "x86_64" : processor;
    String platform = "linux-" + name + (isMusl(name) ? "-musl" : "");
    if (!system.equals("Linux")) return "there is no native library for " + system + " on " + processor;
    StringBuilder problems = new StringBuilder();
    for (String directory : new String[] {System.getProperty("java.io.tmpdir"), "/dev/shm"}) {
      try {
        List<String> libraries = libraries(FOLDER + platform + "/");
        if (libraries.isEmpty()) return "the jar of steno-spark was built without its native library for " + platform;
        loadFrom(Path.of(directory), FOLDER + platform + "/", libraries);
        return null;
      } catch (IOException | RuntimeException | LinkageError e) {
        problems.append(problems.length() == 0 ? "" : "; ").append(directory).append(": ").append(e.getMessage());
      }
    }
    return problems.toString();
  }

  /** The names of those that the jar has for a platform: what the last one needs, and itself. */
  private static List<String> libraries(String folder) throws IOException {
    try (InputStream packed = Native.class.getResourceAsStream(folder + "libraries")) {
      return packed == null ? List.of() : new String(packed.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  /** Returns whether this process runs with musl. */
  private static boolean isMusl(String processor) {
    if (!new File("/lib/ld-musl-" + processor + ".so.1").exists()) return false;
    try (BufferedReader maps = new BufferedReader(new FileReader("/proc/self/maps", StandardCharsets.UTF_8))) {
      return maps.lines().anyMatch(line -> line.contains("/ld-musl-") || line.contains("/libc.musl-"));
    } catch (IOException e) {
      return false;
    }
  }

  /** Loads libraries from files in a directory that only we may enter; all are removed once they are loaded. */
  private static void loadFrom(Path root, String folder, List<String> libraries) throws IOException {
    var ours = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Path directory = Files.createTempDirectory(root, "libsteno_spark-", ours);
    try {
      for (String name : libraries) {
        try (InputStream packed = Native.class.getResourceAsStream(folder + name)) {
          if (packed == null) throw new IOException("the jar has no " + name);
          Files.copy(packed, directory.resolve(name));
        }
      }
      System.load(directory.resolve(libraries.get(libraries.size() - 1)).toAbsolutePath().toString());
    } finally {
      for (String name : libraries) Files.deleteIfExists(directory.resolve(name));
      Files.deleteIfExists(directory);
    }
  }

  /** Opens all files as one log, or throws. Paths, and all texts here, are bytes of UTF-8 without a NUL. */
  static native long open(byte[][] paths) throws StenoException;

  /** Opens what sources give, as open() does. Keeps them until the reader and its streams are closed. */
  static native long openSources(byte[][] names, long[] sizes, Source[] sources) throws StenoException;

  /** Opens files of this machine, as open() does, but of each no more than so many bytes, and nothing that programs have not written yet. */
  static native long openBeginnings(byte[][] paths, long[] sizes) throws StenoException;

  /** One thread at a time may use a reader. Streams outlive it. */
  static native void close(long reader);

  /** Returns of each statement: text, file, line, stable id, letters of its types ({@link Packed}). */
  static native byte[] sites(long reader) throws StenoException;

  /** Returns of each session: path, id, records, whether it has ended (1). */
  static native byte[] sessions(long reader) throws StenoException;

  /**
   * Returns of each thing that is missing: path, a sentence. Damage that only decoding finds is there once all is read.
   *
   * @param all looks for damage in each block; else in those that may report losses: of the others it is known once they are read
   */
  static native byte[] losses(long reader, boolean all) throws StenoException;

  /**
   * Begins to read.
   *
   * @param statement its text or a part of it; empty: none, or the one of the stable id
   * @param columns their names; empty: the default ones
   * @param where a condition; empty: none
   * @param numbers stable id (0: none), since and until in ns, part, parts, fewest and most rows of a batch, profile
   */
  static native long stream(long reader, byte[] statement, byte[][] columns, byte[] where, long[] numbers) throws StenoException;

  /**
   * Says how much such a stream reads at most, of all parts. The arguments are those of {@link #stream}.
   *
   * @param bytes gets the bytes of the blocks that may have wanted rows, and those of the blocks that have to be opened for them
   */
  static native void estimate(long reader, byte[] statement, byte[][] columns, byte[] where, long[] numbers, long[] bytes) throws StenoException;

  /** Returns the format of the statement, then of each column: name, format of Arrow, name as an argument (empty: it is none). */
  static native byte[] schema(long stream) throws StenoException;

  /**
   * The next batch, which is to be released; 0: there is none.
   *
   * @param facts gets the number of rows, then of each column: number of the first value, nulls (-1: not counted), and the addresses of
   *     bits of validity (0: all are there), values or offsets, and what offsets point into
   */
  static native long next(long stream, long[] facts) throws StenoException;

  static native void release(long batch);

  /** Into {@code counts}: the blocks that there were to look at, and those that were decoded. */
  static native void progress(long stream, long[] counts);

  static native void closeStream(long stream);

  private Native() {}
}
