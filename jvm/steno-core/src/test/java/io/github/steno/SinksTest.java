package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Consoles and files that are shown records beside the log, in programs of their own. */
class SinksTest {
  private static final int CALLS = 1000;
  private static final int PATIENCE_S = 120;

  @TempDir Path directory;

  /** Logs numbers, every hundredth of them as a warning. */
  static final class Program {
    public static void main(String[] arguments) {
      Channel channel = Session.ofProcess().channel("com.acme.Main", Slf4jSyntax.INSTANCE);
      for (int i = 0; i < CALLS; i++) {
        Object[] values = {i};
        channel.log(i % 100 == 0 ? Levels.WARN : Levels.INFO, Program.class.getName(), "number {}", values, 1, null);
      }
    }
  }

  private record Ran(List<String> out, String err) {}

  private Ran run(String... options) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), "-Dsteno.staging=" + directory,
        "-Dsteno.path=" + log()));
    if (Runtime.version().feature() >= 22) line.add("--enable-native-access=ALL-UNNAMED");
    line.addAll(List.of(options));
    line.add(Program.class.getName());
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder builder = new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().remove("JAVA_TOOL_OPTIONS");  // which the JVM tells on stderr
    Process process = builder.start();
    assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), Files.readString(err));
    return new Ran(Files.readAllLines(out), Files.readString(err));
  }

  private Path log() {
    return directory.resolve("app.steno");
  }

  private List<String> cat(String... options) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("cat"));
    line.addAll(List.of(options));
    line.add(log().toString());
    StenoCommand.Ran ran = StenoCommand.run(line.toArray(new String[0]));
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().toList();
  }

  @BeforeEach
  void needsTheNativeLibrary() {
    assumeTrue(Files.isDirectory(Path.of(System.getProperty("steno.native", ""), "META-INF")), "no native library was built");
  }

  @Test
  void theConsoleHasTheLinesOfTheLog() throws Exception {
    Ran ran = run("-Dsteno.console=stdout");
    assertEquals(CALLS, ran.out.size());
    assertEquals(cat(), ran.out);
    assertEquals("", ran.err);
  }

  @Test
  void itIsStderrUnlessStdoutIsNamed() throws Exception {
    Ran ran = run("-Dsteno.console=true");
    assertEquals(List.of(), ran.out);
    assertEquals(cat(), ran.err.lines().toList());
  }

  @Test
  void aFileNamesFurtherSinks() throws Exception {
    Path text = directory.resolve("warnings.log");
    Path sinks = directory.resolve("sinks.toml");
    Files.writeString(sinks, "[[sinks]]\npath = \"" + text + "\"\nlevel = \"warn\"\npattern = \"{level} {message}\"\n");
    assertEquals("", run("-Dsteno.sinks=" + sinks).err);
    assertEquals(CALLS / 100, Files.readAllLines(text).size());
    assertEquals(cat("--pattern", "{level} {message}", "--level", "warn"), Files.readAllLines(text).stream().map(String::strip).toList());
  }

  @Test
  void aWrongFileIsToldAndTheLogWritten() throws Exception {
    Path sinks = directory.resolve("sinks.toml");
    Files.writeString(sinks, "[[sinks]]\npth = \"app.log\"\n");
    Ran ran = run("-Dsteno.sinks=" + sinks);
    assertTrue(ran.err.contains(sinks + ":2:7: ") && ran.err.endsWith("steno: the log is written without sinks\n"), ran.err);
    assertEquals(CALLS, cat().size());
  }

  @Test
  void aScribeOutsideHasItsOwn() throws Exception {
    Ran ran = run("-Dsteno.scribe=external", "-Dsteno.console=true", "-Dsteno.sinks=sinks.toml");
    assertTrue(ran.err.contains("steno.console: ") && ran.err.contains("--config sinks.toml"), ran.err);
    assertFalse(ran.err.contains("number"), ran.err);
  }
}
