package io.github.steno.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedLog;
import io.github.steno.StenoCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program of generated calls logs the same with the agent as without it, but that each call has its place. */
class WovenProgramTest {
  private static final int CALLS = 600;
  private static final String ALL = "{level}|{logger}|{thread}|{arg:marker}|{arg:request}|{message}" + DrainedLog.END.charAt(0);

  @TempDir static Path directory;
  private static RandomProgram program;

  @BeforeAll
  static void compile() throws Exception {
    program = RandomProgram.compile(directory, CALLS);
  }

  /** Runs a program and returns its log, printed by a pattern. */
  private static String log(String name, Path java, List<String> options, String pattern) throws Exception {
    Path own = Files.createDirectory(directory.resolve(name));
    try (DrainedLog drained = new DrainedLog(own)) {
      List<String> all = new ArrayList<>(options);
      all.addAll(List.of("-Dsteno.level=debug", "-cp", directory + ":" + System.getProperty("java.class.path")));
      drained.run(java, "Generated", all);
      drained.waitUntilStagingIsGone();
      assertFalse(drained.said().lines().anyMatch(line -> line.startsWith("steno: ")), drained.said());
      StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
      assertTrue(verify.code() == 0 && verify.out().startsWith("complete: "), verify.out() + verify.err());
      return drained.cat(pattern).replaceAll("@[0-9a-f]+", "@hash");
    }
  }

  /** Returns some records before one, and after it. */
  private static String around(String[] records, int at) {
    return String.join("; ", List.of(records).subList(Math.max(0, at - 4), Math.min(records.length, at + 5)));
  }

  private static void expectTheSame(String unwoven, String woven) {
    String[] wanted = unwoven.split(DrainedLog.END);
    String[] got = woven.split(DrainedLog.END);
    assertTrue(wanted.length > CALLS, wanted.length + " records");
    for (int i = 0; i < Math.min(wanted.length, got.length); i++) {
      int at = i;
      assertEquals(wanted[i], got[i], () -> "record " + at + ", expected " + around(wanted, at) + ", got " + around(got, at));
    }
    assertEquals(wanted.length, got.length);
  }

  @Test
  void logsTheSameWithTheAgent() throws Exception {
    String lines = log("woven", null, AgentJar.options(), "{function}:{line}|" + ALL);
    List<String> places = new ArrayList<>();
    StringBuilder rest = new StringBuilder();
    for (String record : lines.split(DrainedLog.END)) {
      int end = record.indexOf('|');
      if (!record.startsWith("Generated$Logs")) places.add(record.substring(0, end));
      rest.append(record.substring(end + 1)).append(DrainedLog.END);
    }
    expectTheSame(log("unwoven", null, List.of(), ALL), rest.toString());
    assertEquals(program.places(), places);
  }

  @Test
  void logsTheSameOnALaterJdk() throws Exception {
    Path java = DrainedLog.javaOf(21);
    assumeTrue(java != null, "no JDK of 21 or later under /usr/lib/jvm");
    expectTheSame(log("later-unwoven", java, List.of(), ALL), log("later", java, AgentJar.options(), ALL));
  }
}
