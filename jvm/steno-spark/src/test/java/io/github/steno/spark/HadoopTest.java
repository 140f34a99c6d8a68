package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Logs in HDFS, which the reader has by calls of Hadoop. */
class HadoopTest extends SparkTest {
  private static MiniDFSCluster hdfs;
  private static Path log;
  private static String there;

  @BeforeAll
  static void begin() throws Exception {
    Configuration settings = new Configuration();
    settings.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
    hdfs = new MiniDFSCluster.Builder(settings).numDataNodes(1).build();
    hdfs.waitActive();
    log = Logs.responses(folder, "here.steno", 300_000);
    there = hdfs.getURI() + "/logs";
    FileSystem filesystem = hdfs.getFileSystem();
    filesystem.mkdirs(new org.apache.hadoop.fs.Path("/logs"));
    filesystem.copyFromLocalFile(new org.apache.hadoop.fs.Path(log.toUri()), new org.apache.hadoop.fs.Path("/logs/app.steno"));
  }

  @AfterAll
  static void end() {
    hdfs.shutdown();
  }

  @Test
  void rowsAreThoseOfTheFileHere() {
    String[] sums = {"count(*)", "sum(us)", "max(bytes)", "min(time)", "max(time)", "percentile(us, 0.99)"};
    Dataset<Row> far = load(there + "/*.steno", "statement", "response", "partitionBytes", "400000");
    assertTrue(far.javaRDD().getNumPartitions() > 2);
    assertEquals(load(log, "statement", "response").selectExpr(sums).first(), far.selectExpr(sums).first());
    assertEquals(load(log).filter("severity >= 4").count(), load(there).filter("severity >= 4").count());
    assertEquals(there + "/app.steno", load(there).select("_path").distinct().first().getString(0));
  }

  /** A file that was renamed since the plan is found by its handle, and one in its place is not taken for it. */
  @Test
  void aFileIsRenamed() throws Exception {
    FileSystem filesystem = hdfs.getFileSystem();
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/renamed/app.steno");
    filesystem.copyFromLocalFile(new org.apache.hadoop.fs.Path(log.toUri()), path);
    JavaRDD<Row> rows = load(hdfs.getURI() + "/renamed", "statement", "response", "partitionBytes", "400000").select("id").javaRDD();
    assertTrue(rows.getNumPartitions() > 2);
    filesystem.rename(path, new org.apache.hadoop.fs.Path("/elsewhere.steno"));
    filesystem.copyFromLocalFile(new org.apache.hadoop.fs.Path(Logs.responses(folder, "new.steno", 1000).toUri()), path);
    assertEquals(300_000, rows.count());
  }

  /** A file that has gone, or has become shorter, since it was found: the query fails, and the process lives. */
  @Test
  void failuresOfTheFilesystemAreTold() throws Exception {
    Configuration settings = hdfs.getConfiguration(0);
    LogFile gone = new LogFile(there + "/gone.steno", 1 << 20, 0, false);
    String text = assertThrows(StenoException.class, () -> Log.open(List.of(gone), settings)).getMessage();
    assertTrue(text.contains("FileNotFoundException") && text.contains("/logs/gone.steno"), text);
    LogFile longer = new LogFile(there + "/app.steno", Files.size(log) + 1, 0, false);
    text = assertThrows(StenoException.class, () -> Log.open(List.of(longer), settings)).getMessage();
    assertTrue(text.contains("app.steno"), text);
  }
}
