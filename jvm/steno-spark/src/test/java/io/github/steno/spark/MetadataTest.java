package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Metadata columns, tables of a catalog, and errors and warnings for mistakes and damage. */
class MetadataTest extends SparkTest {
  private static Path day;
  private static Path log;

  @BeforeAll
  static void write() throws Exception {
    day = Files.createDirectory(folder.resolve("metadata"));
    log = Logs.responses(day, "one.steno", 20_000);
    Logs.responses(day, "two.steno", 10_000);
  }

  @Test
  void columnsThatAQueryNames() throws Exception {
    Dataset<Row> responses = load(day, "statement", "response");
    assertFalse(Arrays.asList(responses.columns()).contains("_path"));
    List<Row> rows = responses.groupBy("_path", "host", "_losses", "level").count().orderBy("_path").collectAsList();
    String host = Logs.lines("cat", "-n", "1", "--pattern", "{host}", log.toString()).get(0);
    assertEquals(List.of(List.of(day + "/one.steno", host, 0L, "INFO", 20_000L), List.of(day + "/two.steno", host, 0L, "INFO", 10_000L)),
        rows.stream().map(row -> List.of(row.get(0), row.get(1), row.get(2), row.get(3), row.get(4))).toList());
  }

  @Test
  void aTableOfTheCatalog() {
    spark.sql("create table responses using steno options (statement 'response', path '" + day + "')");
    try {
      assertEquals(30_000, spark.sql("select us from responses").count());
      assertEquals(150, spark.sql("select count(*) from responses where status = 503").first().getLong(0), 60);
      assertTrue(spark.sql("describe responses").collectAsList().toString().contains("[tenant,string,null]"));
    } finally {
      spark.sql("drop table responses");
    }
  }

  @Test
  void damageIsReadAroundOrFails() throws Exception {
    Path whole = Logs.responses(folder, "whole.steno", 1_000_000);
    byte[] bytes = Files.readAllBytes(whole);
    Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 64, (byte) 0);
    Path damaged = folder.resolve("damaged.steno");
    Files.write(damaged, bytes);
    long left = load(damaged, "statement", "response").count();
    assertTrue(left > 0 && left < 1_000_000, String.valueOf(left));
    assertEquals(left, load(damaged, "statement", "response", "losses", "warn").count());
    assertTrue(load(damaged, "statement", "response").selectExpr("max(_losses)").first().getLong(0) > 0);
    assertFails("losses=allow reads what is there", damaged, "statement", "response", "losses", "fail");
    assertEquals(1000, load(whole, "statement", "no backend", "losses", "fail").count());
  }

  @Test
  void mistakesAreTold() {
    assertFails("no statement has the text 'nothing'", log, "statement", "nothing");
    assertFails("no option 'statment'", log, "statment", "response");
    assertFails("since is a time of UTC", log, "since", "10m ago");
    assertFails("losses is 'allow', 'warn' or 'fail'", log, "losses", "maybe");
    assertFails("partitionBytes is a number", log, "partitionBytes", "0");
    assertFails("none.steno: no such file", folder.resolve("none.steno"));
    assertFails("no such log", folder + "/*.none");
    Exception e = assertThrows(Exception.class,
        () -> spark.read().format("steno").schema("us int").option("statement", "response").load(log.toString()).collectAsList());
    assertTrue(e.toString().contains("'us' is BIGINT, not INT"), e.toString());
  }

  private static void assertFails(String text, Object path, String... options) {
    Throwable e = assertThrows(Exception.class, () -> load(path, options).count());
    String all = "";
    for (; e != null; e = e.getCause()) all += e + "\n";
    assertTrue(all.contains(text), all);
  }
}
