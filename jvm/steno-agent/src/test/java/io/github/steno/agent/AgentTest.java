package io.github.steno.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedLog;
import io.github.steno.DrainedTest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Programs with the agent, in JVMs of their own. */
class AgentTest extends DrainedTest {
  private static final String APPLICATION = """
      INFO deployed 1 Argument[number=2]
      WARN deployed 0 text 2.5
      io.github.steno.agent.Application$Failure
      WARN deployed 1 text 2.5
      io.github.steno.agent.Application$Failure
      """;

  private String run(List<String> options, String arguments) throws Exception {
    drained.run(Program.class, options, arguments);
    drained.waitUntilStagingIsGone();
    return drained.said();
  }

  /** A ring that does not grow, for that would be an allocation. */
  @Test
  void callsAllocateNothing() throws Exception {
    List<String> options = new ArrayList<>(List.of("-Dsteno.ring_bytes=65536"));
    String unwoven = run(options, "allocations");
    assertTrue(number(unwoven, "allocated: ") > 100, unwoven);
    Files.delete(directory.resolve("program.out"));
    options.addAll(AgentJar.options());
    String woven = run(options, "allocations");
    assertEquals(0, number(woven, "allocated: "), woven);
  }

  /** Threads take turns at a ring here, as virtual ones always do. */
  @Test
  void callsOfThreadsThatShareARingAllocateNothing() throws Exception {
    List<String> options = new ArrayList<>(List.of("-Dsteno.ring_bytes=65536", "-Dsteno.most_rings=1"));
    options.addAll(AgentJar.options());
    String woven = run(options, "allocations");
    assertEquals(0, number(woven, "allocated: "), woven);
  }

  /** The ring has room for all records, because a virtual thread that waits allocates. */
  @Test
  void callsOfVirtualThreadsAllocateNothing() throws Exception {
    Path java = DrainedLog.javaOf(21);
    assumeTrue(java != null, "no JDK of 21 or later under /usr/lib/jvm");
    List<String> options = new ArrayList<>(List.of("-Dsteno.ring_bytes=" + (1 << 26)));
    options.addAll(AgentJar.options());
    drained.run(java, Program.class.getName(), options, "virtual-allocations");
    drained.waitUntilStagingIsGone();
    assertEquals(0, number(drained.said(), "allocated: "), drained.said());
  }

  private void expectTurns() throws Exception {
    drained.waitUntilStagingIsGone();
    List<String> lines = drained.cat("{thread}|{arg:request}|{message}").lines().toList();
    for (int t = 0; t < 20; t++) {
      List<String> expected = new ArrayList<>();
      String start = "turn-" + t + '|' + (t % 2 == 0 ? "r-" + t : "") + '|';
      for (int i = 0; i < 500; i++) {
        if (i % 8 == 0) expected.add(start + "within " + t);
        expected.add(start + "message " + i + " of " + t + ": text");
      }
      String thread = "turn-" + t + '|';
      assertEquals(expected, lines.stream().filter(line -> line.startsWith(thread)).toList(), drained.said());
    }
  }

  @Test
  void threadsThatShareARingLogInOrder() throws Exception {
    List<String> options = new ArrayList<>(List.of("-Dsteno.most_rings=1"));
    options.addAll(AgentJar.options());
    drained.run(Program.class, options, "turns", "500", "false");
    expectTurns();
  }

  @Test
  void virtualThreadsLogInOrder() throws Exception {
    Path java = DrainedLog.javaOf(21);
    assumeTrue(java != null, "no JDK of 21 or later under /usr/lib/jvm");
    drained.run(java, Program.class.getName(), AgentJar.options(), "turns", "500", "true");
    expectTurns();
  }

  private static int number(String said, String behind) {
    String line = said.lines().filter(any -> any.startsWith(behind)).findFirst().orElseThrow(() -> new AssertionError(said));
    return Integer.parseInt(line.substring(behind.length()));
  }

  @Test
  void aCallMayHaveAnyLogger() throws Exception {
    String said = run(AgentJar.options(), "loggers");
    assertTrue(said.contains("[1 info [called {} {} {}, [1, null, 2.5]], 3 info [called {} {} {}, [1, null, 2.5]], "
        + "5 info [called {} {} {}, [1, null, 2.5]], 7 info [called {} {} {}, [1, null, 2.5]], null]"), said);
    assertEquals("""
        steno 0 called 1 null 2.5
        steno 2 called 1 null 2.5
        steno 4 called 1 null 2.5
        steno 6 called 1 null 2.5
        again called 2 text 2.5
        braces formatted text %s
        percent formatted {} text
        """, drained.cat("{logger} {message}"));
  }

  /** Such a class does not show in the stack, so the place of its call is that of its caller. */
  @Test
  void hiddenClassesStayAsTheyAre() throws Exception {
    run(AgentJar.options(), "hidden");
    String program = Program.class.getName();
    assertEquals(program + ".hidden of a class 1 2 3\n" + program + "$Hidden.run of a class 1 2 3\n",
        drained.cat("{function} {message}"));
  }

  @Test
  void applicationsAreUnloaded() throws Exception {
    String said = run(AgentJar.options(), "redeploy");
    assertEquals(0, number(said, "stay: "), said);
    assertEquals(600, drained.cat("{message}\u0001").split("deployed").length - 1);
  }

  @Test
  void otherAgentsMayComeBeforeAndAfter() throws Exception {
    Path other = otherAgent();
    List<String> options = new ArrayList<>(AgentJar.options());
    options.add("-javaagent:" + other);
    for (int i = 0; i < 2; i++) {
      String said = run(options, "transformed");
      assertEquals(3, number(said, "calls: "), said);
      assertEquals(APPLICATION + APPLICATION, drained.cat("{level} {message}").lines()
          .filter(line -> !line.startsWith("\tat ")).map(line -> line + '\n').collect(Collectors.joining()));
      Files.delete(drained.log);
      Files.delete(directory.resolve("program.out"));
      Collections.reverse(options);
    }
  }

  /** Its class is on the program's class path. */
  private Path otherAgent() throws IOException {
    Path jar = directory.resolve("other.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", OtherAgent.class.getName());
    manifest.getMainAttributes().putValue("Can-Retransform-Classes", "true");
    try (OutputStream out = Files.newOutputStream(jar)) {
      new JarOutputStream(out, manifest).close();
    }
    return jar;
  }

  @Test
  void modulesWithNamesAreWoven() throws Exception {
    Path sources = Files.createDirectory(directory.resolve("sources"));
    Path module = sources.resolve("module-info.java");
    Path main = sources.resolve("Main.java");
    Files.writeString(module, "module acme { requires org.slf4j; }");
    Files.writeString(main, """
        package com.acme;
        class Main {
          public static void main(String[] arguments) {
            var logger = org.slf4j.LoggerFactory.getLogger("module");
            logger.info("same {} {} {}", 1, 2L, "three"); logger.info("x");
            logger.info("same {} {} {}", 1, 2L, "three");
            System.out.println(Main.class.getModule());
          }
        }
        """);
    String slf4j = Path.of(org.slf4j.Logger.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    Path classes = directory.resolve("classes");
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "--release", "17", "-p", slf4j, "-d",
        classes.toString(), module.toString(), main.toString()));
    List<String> options = new ArrayList<>(AgentJar.options());
    options.addAll(List.of("-p", slf4j + ":" + classes, "-m"));
    drained.run("acme/com.acme.Main", options);
    drained.waitUntilStagingIsGone();
    assertTrue(drained.said().contains("module acme"), drained.said());
    assertEquals("com.acme.Main.main Main.java:5 same 1 2 three\ncom.acme.Main.main Main.java:5 x\n"
        + "com.acme.Main.main Main.java:6 same 1 2 three\n", drained.cat("{function} {basename}:{line} {message}"));
  }
}
