package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A log that {@code steno scribe} writes in a directory, for programs in JVMs of their own. */
public final class DrainedLog implements AutoCloseable {
  private static final int PATIENCE_S = 120;

  public final Path directory;
  public final Path log;
  private final Process scribe;

  public DrainedLog(Path directory) throws IOException {
    this.directory = directory;
    log = directory.resolve("app.steno");
    scribe = StenoCommand.command("scribe", "--root", directory.toString(), "--flush", "0.1", log.toString())
        .redirectErrorStream(true).redirectOutput(directory.resolve("scribe.out").toFile()).start();
  }

  public void stopScribe() throws InterruptedException {
    scribe.destroy();
    if (!scribe.waitFor(PATIENCE_S, TimeUnit.SECONDS)) scribe.destroyForcibly();
  }

  @Override
  public void close() {
    try {
      stopScribe();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The {@code java} of a JDK of a version or later, where Linux distributions have them; null: there is none, or none is to be
   * used besides this one (scripts/check_jvm).
   */
  public static Path javaOf(int version) throws IOException {
    if ("".equals(System.getenv("STENO_JDK22"))) return null;
    Path jdks = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(jdks)) return null;
    try (var found = Files.newDirectoryStream(jdks)) {
      for (Path jdk : found) {
        if (Files.isExecutable(jdk.resolve("bin/java")) && versionOf(jdk) >= version) return jdk.resolve("bin/java");
      }
    }
    return null;
  }

  private static int versionOf(Path jdk) throws IOException {
    Path release = jdk.resolve("release");
    if (!Files.exists(release)) return 0;
    Matcher version = Pattern.compile("JAVA_VERSION=\"(\\d+)").matcher(Files.readString(release));
    return version.find() ? Integer.parseInt(version.group(1)) : 0;
  }

  /** A program that logs here, begun, with the class path of the test. */
  public Process begin(Class<?> main, List<String> options, String... arguments) throws IOException {
    return begin(ownJava(), main, options, arguments);
  }

  /** Begins a program whose class is not on the test's class path. The options name its class path. */
  public Process begin(String main, List<String> options) throws IOException {
    return begin(ownJava(), main, options);
  }

  public Process begin(Path java, Class<?> main, List<String> options, String... arguments) throws IOException {
    return begin(java, main.getName(), options, arguments);
  }

  private static Path ownJava() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  private Process begin(Path java, String main, List<String> options, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(java.toString(),
        "-ea", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", System.getProperty("java.class.path"),
        "-Dsteno.staging=" + directory, "-Dsteno.path=" + log, "-Dsteno.scribe=external", "-Dsteno.block_at_most=-1"));
    line.addAll(options);
    line.add(main);
    line.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(line).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("program.out").toFile())).start();
  }

  /** One that ends as it should. */
  public void run(Class<?> main, List<String> options, String... arguments) throws IOException, InterruptedException {
    runToEnd(begin(main, options, arguments));
  }

  /** Runs a program whose class is not on the test's class path. The options name its class path. */
  public void run(String main, List<String> options) throws IOException, InterruptedException {
    run(null, main, options);
  }

  /** @param java null: that of the test */
  public void run(Path java, String main, List<String> options, String... arguments) throws IOException, InterruptedException {
    runToEnd(begin(java == null ? ownJava() : java, main, options, arguments));
  }

  private void runToEnd(Process process) throws IOException, InterruptedException {
    assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), "it ends");
    assertEquals(0, process.exitValue(), said());
  }

  /** Returns what the programs printed on stdout and stderr. */
  public String said() throws IOException {
    return Files.readString(directory.resolve("program.out"));
  }

  /** All is on file then: staging is removed by its owner, or by the scribe of one that died. */
  public void waitUntilStagingIsGone() throws IOException, InterruptedException {
    for (int waited = 0; waited < PATIENCE_S * 100; waited++) {
      if (staging() == 0) return;
      Thread.sleep(10);
    }
    throw new AssertionError("staging stays: " + Files.readString(directory.resolve("scribe.out")));
  }

  /** Returns the number of sessions. */
  public int staging() throws IOException {
    return sessions().size();
  }

  private List<Path> sessions() throws IOException {
    List<Path> found = new ArrayList<>();
    try (var users = Files.newDirectoryStream(directory, "steno-*")) {
      for (Path user : users) {
        try (var sessions = Files.newDirectoryStream(user, "*-????????????????")) {
          for (Path session : sessions) {
            if (Files.exists(session)) found.add(session);
          }
        }
      }
    }
    return found;
  }

  /** Returns the number of rings that all sessions have at this moment. */
  public int rings() throws IOException {
    int found = 0;
    for (Path session : sessions()) {
      String[] names = session.toFile().list((parent, name) -> name.startsWith("ring-"));
      found += names == null ? 0 : names.length;
    }
    return found;
  }

  public String cat(String pattern, String... options) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("cat", "--raw", "--pattern", pattern));
    line.addAll(List.of(options));
    line.add(log.toString());
    StenoCommand.Ran ran = StenoCommand.run(line.toArray(new String[0]));
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  /**
   * Checks that the log has these lines, as the pages about frameworks print them (docs/jvm/), without frames of
   * traces.
   */
  public void expectExample(String expected) throws IOException, InterruptedException {
    waitUntilStagingIsGone();
    String lines = cat("{level} {logger} {basename}:{line} {message}").lines().filter(line -> !line.startsWith("\tat "))
        .map(line -> line + "\n").collect(Collectors.joining());
    assertEquals(expected, lines);
  }

  /** Checks the same with the lines of a resource on a test's class path. */
  public void expectExample(Class<?> test) throws IOException, InterruptedException {
    try (InputStream in = test.getResourceAsStream("/example.expected")) {
      expectExample(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** Checks that the log has these messages, each with {@code END} after it, and nothing else. */
  public void expectMessages(Path expected) throws IOException, InterruptedException {
    waitUntilStagingIsGone();
    String[] wanted = Files.readString(expected).split(END);
    // Throwables have no part in these, and nothing else prints after a message.
    String[] got = cat("{message}\u0001").split(END);
    for (int i = 0; i < Math.min(wanted.length, got.length); i++) assertEquals(wanted[i], got[i], "message " + i);
    assertEquals(wanted.length, got.length);
    StenoCommand.Ran verify = StenoCommand.run("verify", log.toString());
    assertEquals(0, verify.code(), verify.out() + verify.err());
    assertTrue(verify.out().startsWith(String.format("complete: %,d records", wanted.length)), verify.out());
  }

  public static final String END = "\u0001\n";
}
