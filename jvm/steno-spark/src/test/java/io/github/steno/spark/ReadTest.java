package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Counts and sums of Spark are those of the steno command. */
class ReadTest extends SparkTest {
  private static final int COUNT = 200_000;
  private static Path day;
  private static Path log;

  @BeforeAll
  static void write() throws Exception {
    day = Files.createDirectory(folder.resolve("day"));
    log = Logs.responses(day, "many.steno", COUNT);
    Files.copy(log, day.resolve("same.steno"));
  }

  /** Files are read in several shares, and each record once, however many files have it. */
  @Test
  void countsAndSumsAreThoseOfTheCommand() throws Exception {
    Dataset<Row> responses = load(day, "statement", "response", "partitionBytes", "300000");
    assertTrue(responses.javaRDD().getNumPartitions() > 3);
    Map<String, List<Long>> found = new HashMap<>();
    responses.createOrReplaceTempView("responses");
    for (Row row : spark.sql("select tenant, count(*), sum(us), max(bytes) from responses group by tenant").collectAsList()) {
      found.put(row.getString(0), List.of(row.getLong(1), row.getLong(2), row.getLong(3)));
    }
    Map<String, List<Long>> wanted = new HashMap<>();
    for (String line : Logs.lines("cat", "--where", "{id} >= 0", "--pattern", "{tenant} {us} {bytes}", log.toString())) {
      String[] values = line.split(" ");
      List<Long> known = wanted.getOrDefault(values[0], List.of(0L, 0L, 0L));
      wanted.put(values[0], List.of(known.get(0) + 1, known.get(1) + Long.parseLong(values[1]),
          Math.max(known.get(2), Long.parseLong(values[2]))));
    }
    assertEquals(wanted, found);
    assertEquals(COUNT, responses.count());
  }

  @Test
  void percentilesAndTimesAreThoseOfTheCommand() throws Exception {
    String[] wanted = {"percentile_disc(0.99) within group (order by us)", "min(time_ns)", "max(time_ns)"};
    Row found = load(log, "statement", "response").selectExpr(wanted).first();
    List<String> lines = Logs.lines("cat", "--where", "{id} >= 0", "--pattern", "{us}", log.toString());
    List<Long> us = lines.stream().map(Long::parseLong).sorted().toList();
    assertEquals(us.get((int) Math.ceil(0.99 * us.size()) - 1).doubleValue(), ((Number) found.get(0)).doubleValue());
    String shown = "cat --where id>=0 --time-format ns --pattern {time} " + log;
    List<String> times = Logs.lines(shown.split(" ")).stream().sorted().toList();
    assertEquals(ns(times.get(0)), found.getLong(1));
    assertEquals(ns(times.get(times.size() - 1)), found.getLong(2));
  }

  private static long ns(String time) {
    Instant instant = Instant.parse(time.replace(' ', 'T'));
    return instant.getEpochSecond() * 1_000_000_000 + instant.getNano();
  }

  @Test
  void theWholeLogHasEachMessage() throws Exception {
    List<Row> rows = load(log).select("time", "level", "message").orderBy("time").collectAsList();
    List<String> lines = Logs.lines("cat", "--time-format", "us", "--pattern", "{time}|{level}|{message}", log.toString());
    assertEquals(lines.size(), rows.size());
    List<String> shown = rows.stream().map(row -> row.getString(1) + "|" + row.getString(2)).sorted().toList();
    assertEquals(lines.stream().map(line -> line.substring(line.indexOf('|') + 1)).sorted().toList(), shown);
    String first = rows.get(0).getTimestamp(0).toInstant().toString();
    assertEquals(lines.get(0).substring(0, 26).replace(' ', 'T'), first.substring(0, 26));
  }

  /** The benchmark runs, and both sides of it have the same answers. */
  @Test
  void theBenchmarkRuns() throws Exception {
    String figures = Benchmark.measure(spark, log, Files.createDirectory(folder.resolve("bench")), 1);
    assertTrue(figures.contains("\"group_parquet\": "), figures);
  }
}
