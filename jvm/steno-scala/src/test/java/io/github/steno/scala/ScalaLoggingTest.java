package io.github.steno.scala;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedLog;
import java.io.File;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with {@code com.typesafe.scalalogging}, compiled and run as it is. */
class ScalaLoggingTest {
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  @TempDir static Path directory;
  private static String path;

  @BeforeAll
  static void compileProgram() throws Exception {
    path = compile("classes", CLASS_PATH, List.of(System.getProperty("scala.source")));
  }

  /** Returns the class path of a program with what is compiled. */
  private static String compile(String name, String classPath, List<String> sources) throws Exception {
    Path classes = Files.createDirectory(directory.resolve(name));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command = new ArrayList<>(List.of(java.toString(), "-cp", CLASS_PATH, System.getProperty("scala.compiler"),
        "-classpath", classPath, "-d", classes.toString()));
    command.addAll(sources);
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
    return classes + File.pathSeparator + classPath;
  }

  /** Returns the entries of the class path that belong to scala-logging, or the others. */
  private static Stream<String> entries(boolean ofScalaLogging) {
    return Stream.of(CLASS_PATH.split(File.pathSeparator))
        .filter(entry -> Path.of(entry).getFileName().toString().startsWith("scala-logging_") == ofScalaLogging);
  }

  /** The library's files, as they were published, and what its own build compiles them with. */
  private static List<String> librarySources() throws Exception {
    Path jar = Path.of(entries(true).filter(entry -> entry.endsWith("-sources.jar")).findFirst().orElseThrow());
    Path to = Files.createDirectory(directory.resolve("source"));
    List<String> sources = new ArrayList<>();
    String option = System.getProperty("scala.library.option");
    if (option != null) sources.add(option);
    try (FileSystem files = FileSystems.newFileSystem(jar); Stream<Path> all = Files.walk(files.getPath("/"))) {
      for (Path source : all.filter(file -> file.toString().endsWith(".scala")).toList()) {
        sources.add(Files.copy(source, to.resolve(source.getFileName().toString())).toString());
      }
    }
    return sources;
  }

  /** The library compiled from its own source, unchanged, in place of its jar. */
  @Test
  void theLibrarysOwnSourceLogs() throws Exception {
    String library = compile("library", String.join(File.pathSeparator, entries(false).toList()), librarySources());
    String program = compile("of-library", library, List.of(System.getProperty("scala.source")));
    run("own", program);
    run("own-woven", program, "-javaagent:" + System.getProperty("steno.agent"));
  }

  @Test
  void unchangedCodeLogs() throws Exception {
    run("plain", path);
  }

  @Test
  void unchangedCodeLogsWithTheAgent() throws Exception {
    run("woven", path, "-javaagent:" + System.getProperty("steno.agent"));
  }

  /** The agent weaves a call that a macro makes like one that a program contains. */
  @Test
  void wovenCallsAllocateNothing() throws Exception {
    assertTrue(allocated("busy") > 50);
    assertEquals(0, allocated("busy-woven", "-javaagent:" + System.getProperty("steno.agent")));
  }

  private static int allocated(String name, String... options) throws Exception {
    try (DrainedLog drained = new DrainedLog(Files.createDirectory(directory.resolve(name)))) {
      List<String> all = new ArrayList<>(List.of(options));
      all.addAll(List.of("-Dsteno.ring_bytes=65536", "-cp", path));
      drained.run("com.acme.Busy", all);
      String begin = "allocated: ";
      return drained.said().lines().filter(line -> line.startsWith(begin))
          .mapToInt(line -> Integer.parseInt(line.substring(begin.length()))).findFirst().orElseThrow();
    }
  }

  private static void run(String name, String classPath, String... options) throws Exception {
    try (DrainedLog drained = new DrainedLog(Files.createDirectory(directory.resolve(name)))) {
      List<String> all = new ArrayList<>(List.of(options));
      all.addAll(List.of("-cp", classPath));
      drained.run("com.acme.Application", all);
      drained.expectExample(Files.readString(Path.of(System.getProperty("scala.source").replace(".scala", ".expected"))));
    }
  }
}
