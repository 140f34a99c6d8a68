package io.github.steno.spark;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/** A master and two workers of one core, as processes of their own, whose executors have the jar from the driver. */
final class Cluster implements AutoCloseable {
  private static final Pattern MASTER = Pattern.compile("spark://[0-9.]+:[0-9]+");

  private final Path folder;
  private final List<Process> processes = new ArrayList<>();
  private String master;

  /** {@code folder}: for what they write. */
  static Cluster start(Path folder) throws Exception {
    Cluster cluster = new Cluster(folder);
    try {
      cluster.start();
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  private Cluster(Path folder) {
    this.folder = folder;
  }

  private void start() throws Exception {
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
    master = find(MASTER, said);
    for (int i = 0; i < 2; ++i) {
      String work = folder.resolve("worker" + i).toString();
      daemon("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "700M",
          "--work-dir", work, master);
    }
  }

  /** A driver in this process. */
  SparkSession session(int workers) {
    SparkSession spark = SparkSession.builder().master(master).appName("steno").config("spark.ui.enabled", "false")
        .config("spark.jars", System.getProperty("steno.jar")).config("spark.driver.host", "127.0.0.1")
        .config("spark.cores.max", workers)
        .config("spark.executor.memory", "512m").config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString()).getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
    return spark;
  }

  private Path daemon(String... line) throws IOException {
    List<String> all = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx256m",
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    all.addAll(Arrays.asList(line));
    Path said = folder.resolve("daemon" + processes.size() + ".log");
    ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().put("SPARK_HOME", folder.resolve("home").toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    processes.add(builder.start());
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

  /** All that the workers have started. */
  Stream<ProcessHandle> descendants() {
    return processes.stream().flatMap(Process::descendants);
  }

  @Override
  public void close() {
    List<ProcessHandle> all = new ArrayList<>(descendants().toList());
    processes.forEach(one -> all.add(one.toHandle()));
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().join());
  }
}
