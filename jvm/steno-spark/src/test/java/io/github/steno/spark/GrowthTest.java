package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files that grow, are renamed or replaced after a query was planned: it has the rows that there were then. */
class GrowthTest extends SparkTest {
  private static final int COUNT = 300_000;
  private static byte[] whole;

  private Path logs;
  private Path log;

  @BeforeAll
  static void write() throws Exception {
    whole = Files.readAllBytes(Logs.responses(folder, "whole.steno", COUNT));
  }

  @BeforeEach
  void copy() throws Exception {
    logs = Files.createTempDirectory(folder, "growth");
    log = logs.resolve("app.steno");
  }

  private JavaRDD<Row> planned(String pattern) {
    JavaRDD<Row> rows = load(logs + "/" + pattern, "statement", "response", "partitionBytes", "400000").select("id").javaRDD();
    assertTrue(rows.getNumPartitions() > 2);
    return rows;
  }

  private static void assertCame(long count, JavaRDD<Row> rows) {
    List<Long> ids = rows.map(row -> row.getLong(0)).collect();
    assertEquals(count, ids.size());
    assertEquals(count, new HashSet<>(ids).size());
  }

  @Test
  void aFileGrows() throws Exception {
    Files.write(log, Arrays.copyOf(whole, whole.length / 2));
    long before = planned("*.steno").count();
    assertTrue(before > 0 && before < COUNT);
    JavaRDD<Row> rows = planned("*.steno");
    Files.write(log, whole);
    assertCame(before, rows);
    rows = planned("*.steno");
    Files.write(log, Files.readAllBytes(Logs.responses(folder, "more.steno", 1000)), StandardOpenOption.APPEND);
    assertCame(COUNT, rows);
  }

  @Test
  void aFileIsRotated() throws Exception {
    Files.write(log, whole);
    JavaRDD<Row> rows = planned("app.steno");
    Files.move(log, logs.resolve("app.1.steno"));
    Files.copy(Logs.responses(folder, "new.steno", COUNT + 1000), log);
    assertCame(COUNT, rows);
    Files.move(logs.resolve("app.1.steno"), folder.resolve("moved.steno"));
    Exception e = assertThrows(Exception.class, rows::count);
    assertTrue(e.toString().contains("is another file than the one that the query was planned for"), e.toString());
    Files.move(folder.resolve("moved.steno"), log, StandardCopyOption.REPLACE_EXISTING);
    assertCame(COUNT, rows);
  }

  /** A file that has gone between the search for it and the opening is looked for again. */
  @Test
  void aFileIsRenamedWhileItIsOpened() throws Exception {
    Files.write(log, whole);
    List<LogFile> found = new Request(Map.of("path", log.toString())).files;
    Path other = logs.resolve("app.1.steno");
    AtomicBoolean isDone = new AtomicBoolean();
    Thread renamer = new Thread(() -> {
      while (!isDone.get()) {
        log.toFile().renameTo(other.toFile());
        LockSupport.parkNanos(3_000_000);
        other.toFile().renameTo(log.toFile());
        LockSupport.parkNanos(3_000_000);
      }
    });
    renamer.start();
    try {
      for (int i = 0; i < 100; ++i) {
        try (Log one = Log.open(found, new Configuration(false))) {
          assertEquals(log.toString(), one.sessions().get(0).path());
        }
      }
    } finally {
      isDone.set(true);
      renamer.join();
    }
  }

  /** A small file in the place of another is not taken for what is left of that. */
  @Test
  void aFileBecomesShorter() throws Exception {
    Files.write(log, whole);
    JavaRDD<Row> rows = planned("app.steno");
    Files.write(log, Arrays.copyOf(whole, whole.length / 2));
    long left = rows.count();
    assertTrue(left > 0 && left < COUNT);
    byte[] small = Files.readAllBytes(Logs.responses(folder, "small.steno", 10));
    assertTrue(small.length < 4096);
    for (byte[] one : new byte[][] {small, Arrays.copyOf(whole, 60)}) {
      Files.write(log, one);
      Exception e = assertThrows(Exception.class, rows::count);
      assertTrue(e.toString().contains("is another file than the one that the query was planned for"), e.toString());
    }
  }

  /** The stream is called as by Spark, with a rotation between the plan and the reading. */
  @Test
  void aStreamFindsAFileThatWasRenamed() throws Exception {
    Files.write(log, whole);
    Request request = new Request(Map.of("path", logs.toString(), "statement", "response", "partitionBytes", "400000"));
    MicroBatchStream stream = new LogScanBuilder(request, request.schema()).build().toMicroBatchStream("");
    Offset end = stream.latestOffset();
    InputPartition[] parts = stream.planInputPartitions(stream.initialOffset(), end);
    Files.move(log, logs.resolve("app.1.steno"));
    Files.copy(Logs.responses(folder, "other.steno", 1000), log);
    assertEquals(COUNT, count(stream, parts));
    Offset later = stream.latestOffset();
    assertEquals(1000, count(stream, stream.planInputPartitions(end, later)));
  }

  private static long count(MicroBatchStream stream, InputPartition[] parts) throws Exception {
    long count = 0;
    for (InputPartition part : parts) {
      try (PartitionReader<InternalRow> reader = stream.createReaderFactory().createReader(part)) {
        while (reader.next()) ++count;
      }
    }
    return count;
  }
}
