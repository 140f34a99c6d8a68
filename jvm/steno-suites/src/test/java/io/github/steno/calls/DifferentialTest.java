package io.github.steno.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedLog;
import io.github.steno.StenoCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random calls of each front end, whose records are what the original backend makes of them: level, marker, context, message, stack trace. How
 * many, and of which seed, is STENO_DIFFERENTIAL_CALLS and STENO_DIFFERENTIAL_SEED in the environment.
 */
class DifferentialTest {
  @TempDir Path directory;

  private static String ofEnvironment(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  @ParameterizedTest
  @ValueSource(classes = {
      Slf4jCalls.class, LogbackCalls.class, Log4jCalls.class, Log4jCoreCalls.class, JulCalls.class, SystemLoggerCalls.class,
      ChannelCalls.class})
  void recordsAreWhatTheOriginalBackendPrints(Class<?> calls) throws Exception {
    try (DrainedLog drained = new DrainedLog(directory)) {
      Path expected = directory.resolve("expected");
      drained.run(calls, List.of("-Dlog4j2.StatusLogger.level=OFF", "-Dslf4j.internal.verbosity=ERROR", "-Duser.language=en",
              "-Dslf4j.provider=io.github.steno.slf4j.StenoServiceProvider", "-Dsteno.level=trace"), expected.toString(),
          ofEnvironment("STENO_DIFFERENTIAL_SEED", "20261128"), ofEnvironment("STENO_DIFFERENTIAL_CALLS", "100000"));
      drained.waitUntilStagingIsGone();
      boolean hasContext = calls != JulCalls.class && calls != SystemLoggerCalls.class;
      String pattern = hasContext ? Comparison.PATTERN : Comparison.PATTERN_WITHOUT_CONTEXT;
      String[] wanted = Files.readString(expected).split(DrainedLog.END, -1);
      String[] got = drained.cat(pattern + "\u0001", "--where", "logger =~ \"^com.acme.\"").split(DrainedLog.END, -1);
      List<String> differences = new ArrayList<>();
      for (int i = 0; i < Math.min(wanted.length, got.length) && differences.size() < 10; i++) {
        if (!isAsWanted(wanted[i], got[i])) differences.add(i + ": <" + wanted[i] + ">\n  but <" + got[i] + ">");
      }
      assertEquals(List.of(), differences);
      assertEquals(wanted.length, got.length);
      StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
      assertEquals(0, verify.code(), verify.out() + verify.err());
      assertTrue(got.length > 1000, "there were calls");
    }
  }

  private static boolean isAsWanted(String wanted, String got) {
    int any = wanted.indexOf(Comparison.ANY);
    if (any >= 0) return got.startsWith(wanted.substring(0, any));
    int failure = wanted.indexOf(Comparison.FAILURE);
    if (failure < 0) return wanted.equals(got);
    return got.startsWith(wanted.substring(0, failure)) && (got.contains("FAILED") || got.contains("[!!!"));
  }
}
