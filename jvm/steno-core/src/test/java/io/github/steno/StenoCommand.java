package io.github.steno;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The steno command that tests hold what was written against; tests that need it are skipped where there is none. */
public final class StenoCommand {
  /** The output and the exit code of a command. */
  public record Ran(int code, String out, String err) {}

  public static String path() {
    String command = System.getProperty("steno.command", "");
    assumeFalse(command.isEmpty(), "no steno command: give -Dsteno.command=PATH");
    return command;
  }

  public static Ran run(String... arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile("steno", ".out");
    Path err = Files.createTempFile("steno", ".err");
    try {
      Process process = command(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      int code = process.waitFor();
      return new Ran(code, Files.readString(out, StandardCharsets.UTF_8), Files.readString(err, StandardCharsets.UTF_8));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  public static ProcessBuilder command(String... arguments) {
    List<String> line = new ArrayList<>(List.of(path()));
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line);
  }

  private StenoCommand() {}
}
