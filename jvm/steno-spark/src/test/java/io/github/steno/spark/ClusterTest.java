package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

/** A master and two workers as processes of their own, whose executors have the jar from the driver. */
class ClusterTest {
  private static final int COUNT = 300_000;
  private static final Pattern MASTER = Pattern.compile("spark://[0-9.]+:[0-9]+");

  @TempDir static Path folder;
  private static final List<Process> PROCESSES = new ArrayList<>();
  private static SparkSession spark;
  private static Path log;

  @BeforeAll
  static void start() throws Exception {
    Path jars = Files.createDirectories(folder.resolve("home/jars"));
    for (String one : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path jar = Path.of(one);
      try {
        if (one.endsWith(".jar") && !one.contains("steno")) Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
      } catch (FileAlreadyExistsException e) {
        // It is there twice.
      }
    }
    Path said = daemon("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0");
    String master = find(MASTER, said);
    for (int i = 0; i < 2; ++i) {
      String work = folder.resolve("worker" + i).toString();
      daemon("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "700M",
          "--work-dir", work, master);
    }
    spark = SparkSession.builder().master(master).appName("steno").config("spark.ui.enabled", "false")
        .config("spark.jars", System.getProperty("steno.jar")).config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "512m").config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString()).getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    log = Logs.responses(folder, "app.steno", COUNT);
  }

  private static Path daemon(String... line) throws IOException {
    List<String> all = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx256m",
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    all.addAll(Arrays.asList(line));
    Path said = folder.resolve("daemon" + PROCESSES.size() + ".log");
    ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().put("SPARK_HOME", folder.resolve("home").toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    PROCESSES.add(builder.start());
    return said;
  }

  /** Waits until a process has said something. */
  private static String find(Pattern wanted, Path said) throws Exception {
    for (int i = 0; i < 600; ++i, Thread.sleep(100)) {
      try (BufferedReader lines = Files.newBufferedReader(said)) {
        Optional<String> found = lines.lines().map(wanted::matcher).filter(Matcher::find).map(Matcher::group).findFirst();
        if (found.isPresent()) return found.get();
      }
    }
    throw new IllegalStateException(Files.readString(said));
  }

  @AfterAll
  static void stop() {
    if (spark != null) spark.stop();
    List<ProcessHandle> all = new ArrayList<>(PROCESSES.stream().flatMap(Process::descendants).toList());
    PROCESSES.forEach(one -> all.add(one.toHandle()));
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().join());
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
    PROCESSES.stream().flatMap(Process::descendants).filter(one -> one.info().commandLine().orElse("").contains("ExecutorBackend"))
        .findFirst().orElseThrow().destroyForcibly();
  }

  private static long us() throws Exception {
    return Logs.lines("cat", "--where", "{id} >= 0", "--pattern", "{us}", log.toString()).stream().mapToLong(Long::parseLong).sum();
  }
}
