package io.github.steno;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts {@code steno scribe} for a session that nobody drains. It ends by itself when no session is left, which may be after
 * this process: so it survives that, in a session of its own, and writes what was left behind. One thread at a time.
 */
final class ScribeProcess {
  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final String IDLE_SECONDS = "2";
  /** Between two attempts. */
  private static final long GAP_NS = 5_000_000_000L;

  private final List<String> line = new ArrayList<>();
  private boolean started;
  private long startedAt;

  ScribeProcess(String command, Path root, String log) {
    if (Files.isExecutable(SETSID)) line.add(SETSID.toString());
    line.addAll(List.of(command, "scribe", log, "--until-idle", IDLE_SECONDS, "--root", root.toString()));
  }

  /** Unless one was started a moment ago. What cannot be started is told. */
  void start() {
    long now = System.nanoTime();
    if (started && now - startedAt < GAP_NS) return;
    started = true;
    startedAt = now;
    Redirect nowhere = Redirect.to(new File("/dev/null"));
    try {
      new ProcessBuilder(line).redirectInput(new File("/dev/null")).redirectOutput(nowhere).redirectError(nowhere).start();
    } catch (IOException e) {
      Notices.say("steno.scribe: " + e.getMessage());
    }
  }
}
