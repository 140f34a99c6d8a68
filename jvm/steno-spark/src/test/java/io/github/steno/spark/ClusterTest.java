package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs tasks in executors that are processes of their own. */
class ClusterTest {
  private static final int COUNT = 300_000;

  @TempDir static Path folder;
  private static Cluster cluster;
  private static SparkSession spark;
  private static Path log;

  @BeforeAll
  static void start() throws Exception {
    cluster = Cluster.start(folder);
    spark = cluster.session(2);
    log = Logs.responses(folder, "app.steno", COUNT);
  }

  @AfterAll
  static void stop() {
    if (spark != null) spark.stop();
    if (cluster != null) cluster.close();
  }

  /** Executors load the native library from the jar; when one is killed, another does its work, and the sums are the same. */
  @Test
  void anExecutorIsKilled() throws Exception {
    Dataset<Row> responses =
        spark.read().format("steno").option("statement", "response").option("partitionBytes", "20000").load(log.toString());
    String[] sums = {"count(id)", "sum(us)", "sum(id)"};
    assertTrue(responses.javaRDD().getNumPartitions() > 20);
    AtomicBoolean killed = new AtomicBoolean();
    AtomicInteger removed = new AtomicInteger();
    spark.sparkContext().addSparkListener(new SparkListener() {
      @Override
      public void onTaskEnd(SparkListenerTaskEnd end) {
        if (killed.compareAndSet(false, true)) killAnExecutor();
      }

      @Override
      public void onExecutorRemoved(SparkListenerExecutorRemoved one) {
        removed.incrementAndGet();
      }
    });
    Row found = responses.selectExpr(sums).first();
    Dataset<Row> again = responses.selectExpr(sums);
    for (int i = 0; i < 100 && removed.get() == 0; ++i) again.first();
    assertTrue(removed.get() > 0);
    assertEquals(found, again.first());
    assertEquals(COUNT, found.getLong(0));
    assertEquals((COUNT - 1L) * COUNT / 2, found.getLong(2));
    assertEquals(us(), found.getLong(1));
  }

  private static void killAnExecutor() {
    cluster.descendants().filter(one -> one.info().commandLine().orElse("").contains("ExecutorBackend"))
        .findFirst().orElseThrow().destroyForcibly();
  }

  private static long us() throws Exception {
    return Logs.lines("cat", "--where", "{id} >= 0", "--pattern", "{us}", log.toString()).stream().mapToLong(Long::parseLong).sum();
  }
}
