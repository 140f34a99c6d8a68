package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.steno.StenoCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Logs that programs write for tests, and what the steno command says of them. */
final class Logs {
  /** Responses with numbers that look like chance, and are the same each time. */
  static Path responses(Path folder, String name, int count) throws IOException, InterruptedException {
    return written(System.getProperty("steno.responses"), folder.resolve(name), String.valueOf(count));
  }

  /** Writes the same responses, and statements whose arguments have the names of columns. */
  static Path odd(Path folder, String name, int count) throws IOException, InterruptedException {
    Path log = folder.resolve(name);
    return run(log, System.getProperty("steno.responses"), String.valueOf(count), log.toString(), "odd");
  }

  /** A statement of each kind of type. */
  static Path allTypes(Path folder) throws IOException, InterruptedException {
    return written(System.getProperty("steno.all.types"), folder.resolve("types.steno"));
  }

  private static Path written(String program, Path log, String... arguments) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(program));
    line.addAll(List.of(arguments));
    line.add(log.toString());
    return run(log, line.toArray(String[]::new));
  }

  private static Path run(Path log, String... line) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder(line).inheritIO().start().waitFor(), String.join(" ", line));
    return log;
  }

  /** The lines that the command prints. */
  static List<String> lines(String... arguments) throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run(arguments);
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().toList();
  }

  /** Returns how many records satisfy a condition. */
  static long count(Path log, String where) throws IOException, InterruptedException {
    return Long.parseLong(lines("cat", "--count", "--where", where, log.toString()).get(0));
  }

  private Logs() {}
}
