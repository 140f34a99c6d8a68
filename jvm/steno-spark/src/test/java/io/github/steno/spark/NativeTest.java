package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The native library: where it is missing, and when it is closed while it is used. */
class NativeTest {
  @TempDir static Path folder;

  /** Opens a file in a process whose class path has no native library. */
  static final class Program {
    public static void main(String[] arguments) {
      try {
        Log.open(List.of(new LogFile("app.steno", 1, 0, true)), new Configuration(false)).close();
      } catch (StenoException e) {
        System.out.println("told: " + e.getMessage());
      }
    }

    private Program() {}
  }

  @Test
  void aMissingLibraryIsTold() throws Exception {
    Path classes = Path.of(Log.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path bare = folder.resolve("io/github/steno/spark");
    Files.createDirectories(bare);
    try (Stream<Path> all = Files.list(classes.resolve("io/github/steno/spark"))) {
      for (Path one : (Iterable<Path>) all::iterator) Files.copy(one, bare.resolve(one.getFileName()));
    }
    String others = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(one -> !one.equals(classes.toString()) && !one.equals(classes + "/")).collect(Collectors.joining(File.pathSeparator));
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
        folder + File.pathSeparator + others, Program.class.getName()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    String wanted = "told: steno cannot read logs in this process: the jar of steno-spark was built without its native library";
    assertTrue(said.contains(wanted), said);
  }

  /** Spark does this when another thread reads rows, for a function in Python. That thread's columns stay readable. */
  @Test
  void closingInAnotherThread() throws Exception {
    Path log = Logs.responses(folder, "app.steno", 5000);
    Log opened = Log.open(List.of(new LogFile(log.toString(), Files.size(log), 0, true)), new Configuration(false));
    Batches batches = opened.read(new Question("response", 0, List.of("us"), List.of(), Long.MIN_VALUE, Long.MAX_VALUE));
    NativeColumn[] columns = NativeColumn.of(batches);
    assertTrue(batches.next());
    NativeColumn.show(batches, columns);
    long sum = sum(columns[0], batches.rows());
    Thread other = new Thread(() -> {
      batches.close();
      opened.close();
    });
    other.start();
    other.join();
    System.gc();
    assertEquals(sum, sum(columns[0], batches.rows()));
    assertFalse(batches.next());
    batches.close();
    opened.close();
  }

  private static long sum(NativeColumn column, int rows) {
    long sum = 0;
    for (int row = 0; row < rows; ++row) sum += column.getLong(row);
    return sum;
  }
}
