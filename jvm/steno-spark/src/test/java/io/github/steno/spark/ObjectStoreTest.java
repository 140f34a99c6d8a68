package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Files that no handle finds again: they are looked at before each read. */
class ObjectStoreTest extends SparkTest {
  private static final int COUNT = 300_000;
  private static byte[] whole;

  @BeforeAll
  static void write() throws Exception {
    whole = Files.readAllBytes(Logs.responses(folder, "whole.steno", COUNT));
  }

  private static Path begun(String name) throws IOException {
    return Files.write(folder.resolve(name), Arrays.copyOf(whole, whole.length / 2));
  }

  private static Map<String, String> settings(Path log, boolean hasTags) {
    return Map.of("path", "objects://" + log, "statement", "response", "partitionBytes", "400000", "fs.objects.impl",
        ObjectStore.class.getName(), "fs.objects.impl.disable.cache", "true", "fs.objects.tags", String.valueOf(hasTags));
  }

  private static JavaRDD<Row> planned(Path log, boolean hasTags) {
    JavaRDD<Row> rows = spark.read().format("steno").options(settings(log, hasTags)).load().select("id").javaRDD();
    assertTrue(rows.getNumPartitions() > 2);
    return rows;
  }

  private static void assertFails(JavaRDD<Row> rows) {
    Exception e = assertThrows(Exception.class, rows::count);
    assertTrue(e.toString().contains("has changed since the query was planned"), e.toString());
  }

  @Test
  void aFileThatGrowsIsReadAsItWas() throws Exception {
    Path log = begun("grows.steno");
    long before = planned(log, false).count();
    assertTrue(before > 0 && before < COUNT);
    JavaRDD<Row> rows = planned(log, false);
    Files.write(log, whole);
    assertEquals(before, rows.count());
    Files.write(log, Arrays.copyOf(whole, whole.length / 3));
    assertFails(rows);
  }

  @Test
  void anotherVersionIsRefusedIfItIsLongerToo() throws Exception {
    Path log = begun("versions.steno");
    JavaRDD<Row> rows = planned(log, true);
    assertTrue(rows.count() > 0);
    Files.write(log, whole);
    assertFails(rows);
  }

  private static int looksOf(Callable<Log> opening) throws Exception {
    int before = ObjectStore.LOOKS.get();
    opening.call().close();
    return ObjectStore.LOOKS.get() - before;
  }

  /** A task asks for files that are open already, all at the same time, and not for those that it has opened itself. */
  @Test
  void filesAreAskedForTogether() throws Exception {
    Path logs = Files.createDirectory(folder.resolve("together"));
    for (int i = 0; i < 4; ++i) Logs.responses(logs, i + ".steno", 10);
    Request request = new Request(settings(logs, true));
    int alone = looksOf(() -> Log.openAlone(request.files, request.hadoop));
    request.hadoop.set("fs.another", "setting");
    assertEquals(alone, looksOf(() -> Log.openLater(request.files, request.hadoop)));
    ObjectStore.together = new CyclicBarrier(4);
    try {
      assertEquals(4, looksOf(() -> Log.openLater(request.files, request.hadoop)));
    } finally {
      ObjectStore.together = null;
    }
    Files.setLastModifiedTime(logs.resolve("2.steno"), FileTime.fromMillis(1_000_000));
    StenoException e = assertThrows(StenoException.class, () -> Log.openLater(request.files, request.hadoop));
    assertTrue(e.getMessage().contains("2.steno: has changed since the query was planned"), e.getMessage());
  }

  @Test
  void anObjectIsReplacedBetweenTwoReads() throws Exception {
    Path log = begun("replaced.steno");
    for (boolean hasTags : new boolean[] {false, true}) {
      Request request = new Request(settings(log, hasTags));
      FileSource source = new FileSource(request.files.get(0), request.hadoop);
      long to = Platform.allocateMemory(64);
      try {
        long[] ranges = {0, 64, to};
        source.read(ranges);
        assertEquals(whole[17], Platform.getByte(null, to + 17));
        Files.setLastModifiedTime(log, FileTime.fromMillis(hasTags ? 1_000_000 : 2_000_000));
        assertThrows(IOException.class, () -> source.read(ranges));
      } finally {
        Platform.freeMemory(to);
      }
    }
  }
}
