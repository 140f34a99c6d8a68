package io.github.steno.scribe;

import io.github.steno.machine.Notices;
import io.github.steno.machine.Threads;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts {@code steno scribe} for a session that nobody drains. It ends by itself when no session is left, which may be after
 * this process: so it survives that, in a session of its own, and writes what was left behind. One thread at a time.
 */
public final class ScribeProcess implements Scribe {
  public static final String COMMAND = "steno";
  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final String IDLE_SECONDS = "2";
  /** Between two attempts. */
  private static final long GAP_NS = 5_000_000_000L;

  /** The prefix of the command's messages. */
  private static final String PREFIX = "steno: ";

  private final String command;
  private final List<String> line = new ArrayList<>();
  private boolean started;
  private long startedAt;
  private volatile boolean hasFailed;

  /** @param sinks a file of them; empty: none */
  public ScribeProcess(String command, Path root, String log, String sinks) {
    this.command = command;
    if (Files.isExecutable(SETSID)) line.add(SETSID.toString());
    line.addAll(List.of(command, "scribe", log, "--until-idle", IDLE_SECONDS, "--root", root.toString()));
    if (!sinks.isEmpty()) line.addAll(List.of("--config", sinks));
  }

  /** Returns whether the command is in a directory of PATH. */
  public static boolean isInstalled() {
    for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
      if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, COMMAND))) return true;
    }
    return false;
  }

  @Override
  public void start() {
    long now = System.nanoTime();
    if (started && now - startedAt < GAP_NS) return;
    started = true;
    startedAt = now;
    hasFailed = false;
    Redirect nowhere = Redirect.to(new File("/dev/null"));
    try {
      // Its complaints come through a pipe: it may outlive us, and must not keep those waiting who read our stderr to its end.
      Process process = new ProcessBuilder(line).redirectInput(new File("/dev/null")).redirectOutput(nowhere).start();
      Thread listener = Threads.make(() -> listen(process), "steno-scribe-errors");
      listener.setDaemon(true);
      listener.start();
    } catch (IOException e) {
      Notices.say("steno.scribe: " + e.getMessage());
    }
  }

  private void listen(Process process) {
    try (BufferedReader errors =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String text = errors.readLine(); text != null; text = errors.readLine()) {
        Notices.say("steno.scribe: " + (text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text));
      }
      int status = process.waitFor();
      if (status == 0) return;
      Notices.say("steno.scribe: " + command + " ended with status " + status);
      hasFailed = true;
    } catch (IOException | InterruptedException e) {
      // Nobody interrupts this thread, and there is nothing more to read.
    }
  }

  /** Returns whether the last process failed. */
  @Override
  public boolean hasFailed() {
    return hasFailed;
  }
}
