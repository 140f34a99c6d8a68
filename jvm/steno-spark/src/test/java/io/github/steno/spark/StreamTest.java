package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;

/** A stream has each record once, while files grow, are rotated and copied, and the query is started again. */
class StreamTest extends SparkTest {
  private static final int COUNT = 400_000;

  private static Path logs;

  /** Reads what is new, and returns how many rows there are by now. */
  private static long run() throws Exception {
    Dataset<Row> stream = spark.readStream().format("steno").option("statement", "response").load(logs + "/*.steno");
    stream.select("id", "us").writeStream().format("parquet").option("compression", "none").trigger(Trigger.AvailableNow())
        .option("checkpointLocation", folder + "/checkpoint").start(folder + "/sink").awaitTermination();
    return sink().count();
  }

  private static Dataset<Row> sink() {
    return spark.read().parquet(folder + "/sink");
  }

  @Test
  void eachRecordComesOnce() throws Exception {
    logs = Files.createDirectory(folder.resolve("stream"));
    byte[] whole = Files.readAllBytes(Logs.responses(folder, "whole.steno", COUNT));
    Path log = logs.resolve("app.steno");
    TreeSet<Long> counts = new TreeSet<>();
    for (int part = 2; part < 10; part += 2) {
      Files.write(log, Arrays.copyOf(whole, whole.length / 10 * part));
      long count = run();
      assertEquals(load(log, "statement", "response").count(), count);
      counts.add(count);
    }
    assertTrue(counts.size() > 1, counts.toString());
    assertEquals(counts.last(), run());
    Files.write(log, whole);
    Files.move(log, logs.resolve("app.1.steno"));
    Files.copy(Logs.responses(folder, "other.steno", 1000), log);
    Files.copy(logs.resolve("app.1.steno"), logs.resolve("copy.steno"));
    assertEquals(COUNT + 1000, run());
    assertEquals(COUNT + 1000, run());
    Row sums = sink().selectExpr("sum(us)", "count(distinct id)").first();
    Row wanted = load(logs, "statement", "response").selectExpr("sum(us)", "count(distinct id)").first();
    assertEquals(wanted, sums);
  }
}
