package io.github.steno.spark;

import java.nio.file.Path;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A Spark of two threads, in this process. */
abstract class SparkTest {
  @TempDir static Path folder;
  static SparkSession spark;

  @BeforeAll
  static void start() {
    spark = SparkSession.builder().master("local[2]").appName("steno").config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1").config("spark.sql.session.timeZone", "UTC")
        .config("spark.local.dir", folder.toString())
        .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString()).getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  /** {@code options}: names and values in turn. */
  static Dataset<Row> load(Object path, String... options) {
    DataFrameReader reader = spark.read().format("steno");
    for (int i = 0; i < options.length; i += 2) reader = reader.option(options[i], options[i + 1]);
    return reader.load(path.toString());
  }

  /** Returns the rows of a query as a table that Spark has in memory. */
  static Dataset<Row> held(Dataset<Row> scanned) {
    return spark.createDataFrame(scanned.collectAsList(), scanned.schema()).coalesce(1).cache();
  }

  /** The plan after all optimisation. */
  static String plan(Dataset<Row> query) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) query).queryExecution().executedPlan().toString();
  }
}
