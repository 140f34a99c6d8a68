package io.github.steno.spark;

import static org.apache.spark.sql.functions.expr;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.RelationalGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Times queries of a log against those of the Parquet files that Spark has written of the same rows: scripts/bench_spark. */
public final class Benchmark {
  /** Looks at each row. */
  private static final Query ALL = rows -> rows.selectExpr("max(us % 1000 + bytes)").collectAsList();

  private final SparkSession spark;
  private final int rounds;
  private final Map<String, Double> seconds = new LinkedHashMap<>();

  private Benchmark(SparkSession spark, int rounds) {
    this.spark = spark;
    this.rounds = rounds;
  }

  /**
   * LOG FOLDER ROUNDS: prints an object of JSON, with the CPU seconds of the process, all threads, the least of some rounds; and seconds of
   * the clock where other processes do the work.
   */
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().master("local[2]").appName("steno").config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1").config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", arguments[1] + "/warehouse").getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    Path folder = Path.of(arguments[1]);
    int rounds = Integer.parseInt(arguments[2]);
    String figures = measure(spark, Path.of(arguments[0]), folder, rounds);
    spark.stop();
    try (Cluster cluster = Cluster.start(Files.createDirectory(folder.resolve("cluster")))) {
      figures += String.format(Locale.ROOT, ", \"one_worker\": %.3f", timeWorkers(cluster, 1, arguments[0], rounds));
      figures += String.format(Locale.ROOT, ", \"two_workers\": %.3f}", timeWorkers(cluster, 2, arguments[0], rounds));
    }
    System.out.println("figures " + figures);
  }

  /** Returns the seconds of the clock for groups that Spark makes itself, the least of some rounds. */
  private static double timeWorkers(Cluster cluster, int workers, String log, int rounds) throws Exception {
    try (SparkSession spark = cluster.session(workers)) {
      Dataset<Row> rows = spark.read().format("steno").option("statement", "response").load(log);
      double least = Double.MAX_VALUE;
      for (int i = 0; i < rounds + 1; ++i) {  // the first one is that of a JVM that has just begun
        long begin = System.nanoTime();
        rows.groupBy("tenant", "status").agg(expr("sum(us + 1)"), expr("max(bytes + 1)")).collectAsList();
        if (i > 0) least = Math.min(least, (System.nanoTime() - begin) / 1e9);
      }
      return least;
    }
  }

  static String measure(SparkSession spark, Path log, Path folder, int rounds) throws Exception {
    Benchmark bench = new Benchmark(spark, rounds);
    Dataset<Row> rows = spark.read().format("steno").option("statement", "response").load(log.toString());
    Path parquet = folder.resolve("parquet");
    rows.write().option("compression", "zstd").parquet(parquet.toString());
    long last = rows.selectExpr("max(unix_micros(time))").first().getLong(0);
    long first = rows.selectExpr("min(unix_micros(time))").first().getLong(0);
    String late = "time >= timestamp_micros(" + (last - (last - first) / 100) + ") and severity >= 2";
    bench.both("count", rows, spark.read().parquet(parquet.toString()), Dataset::count);
    bench.both("group", rows, spark.read().parquet(parquet.toString()), Benchmark::group);
    bench.both("rows", rows, spark.read().parquet(parquet.toString()), ALL);
    bench.time("pushed", () -> group(rows.filter(late)));
    StringBuilder json = new StringBuilder("{\"log_bytes\": " + Files.size(log) + ", \"parquet_bytes\": " + bytes(parquet));
    bench.seconds.forEach((name, value) -> json.append(String.format(Locale.ROOT, ", \"%s\": %.3f", name, value)));
    return json.toString();
  }

  private static Object group(Dataset<Row> rows) {
    RelationalGroupedDataset groups = rows.groupBy("tenant", "status");
    return groups.agg(expr("count(*)"), expr("sum(us)"), expr("max(bytes)")).orderBy("tenant", "status").collectAsList();
  }

  private interface Query {
    Object run(Dataset<Row> rows);
  }

  /** Takes turns, so that neither pays for what is compiled for both. The answers have to be the same. */
  private void both(String name, Dataset<Row> log, Dataset<Row> parquet, Query query) {
    for (int i = 0; i < rounds; ++i) {
      Object found = timeOnce(name + "_steno", () -> query.run(log));
      if (!found.equals(timeOnce(name + "_parquet", () -> query.run(parquet)))) throw new IllegalStateException(name + ": other answers");
    }
  }

  private void time(String name, Supplier<Object> work) {
    for (int i = 0; i < rounds; ++i) timeOnce(name, work);
  }

  private Object timeOnce(String name, Supplier<Object> work) {
    OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long begin = process.getProcessCpuTime();
    Object found = work.get();
    seconds.merge(name, (process.getProcessCpuTime() - begin) / 1e9, Math::min);
    return found;
  }

  private static long bytes(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      return files.filter(one -> one.toString().endsWith(".parquet")).mapToLong(one -> one.toFile().length()).sum();
    }
  }
}
