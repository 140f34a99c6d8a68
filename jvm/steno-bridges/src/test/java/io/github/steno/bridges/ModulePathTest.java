package io.github.steno.bridges;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.DrainedLog;
import io.github.steno.DrainedTest;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A program that is a module, with steno on the module path, and linked into an image. */
class ModulePathTest extends DrainedTest {
  private static final String MODULE = """
      module com.acme.app {
        requires org.slf4j;
        requires org.apache.logging.log4j;
        requires java.logging;
        requires io.github.steno.jul;
      }
      """;
  private static final String MAIN = """
      package com.acme.app;

      public final class Main {
        public static void main(String[] arguments) {
          org.slf4j.LoggerFactory.getLogger(Main.class).info("{} by SLF4J", 1);
          org.apache.logging.log4j.LogManager.getLogger(Main.class).info("{} by Log4j", 2);
          System.getLogger(Main.class.getName()).log(System.Logger.Level.INFO, "{0} by System.Logger", 3);
          io.github.steno.jul.StenoHandler.install();
          java.util.logging.Logger.getLogger(Main.class.getName()).info("4 by java.util.logging");
        }
      }
      """;
  private static final String LOGGED = """
      INFO com.acme.app.Main Main.java:5 1 by SLF4J
      INFO com.acme.app.Main Main.java:6 2 by Log4j
      INFO com.acme.app.Main Main.java:7 3 by System.Logger
      INFO com.acme.app.Main Main.java:9 4 by java.util.logging
      """;

  private String modulePath;

  @BeforeEach
  void compile() throws Exception {
    Path source = Files.createDirectories(directory.resolve("source"));
    Files.writeString(source.resolve("module-info.java"), MODULE);
    Files.writeString(Files.createDirectories(source.resolve("com/acme/app")).resolve("Main.java"), MAIN);
    String jars = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.matches(".*/(steno-(core|slf4j|log4j|jul)-[^/]*(?<!tests)|slf4j-api[^/]*|log4j-api[^/]*)\\.jar"))
        .collect(Collectors.joining(File.pathSeparator));
    Path classes = directory.resolve("classes");
    tool("javac", "--release", "17", "-d", classes.toString(), "--module-path", jars,
        source.resolve("module-info.java").toString(), source.resolve("com/acme/app/Main.java").toString());
    modulePath = classes + File.pathSeparator + jars;
  }

  private static void tool(String name, String... arguments) {
    ToolProvider tool = ToolProvider.findFirst(name).orElse(null);
    assumeTrue(tool != null, "no " + name + " here");
    assertEquals(0, tool.run(System.out, System.err, arguments), name);
  }

  private void run(Path java, List<String> options) throws Exception {
    drained.run(java, "-m", options, "com.acme.app/com.acme.app.Main");
    drained.waitUntilStagingIsGone();
    assertEquals(LOGGED, drained.cat("{level} {logger} {basename}:{line} {message}"));
    assertFalse(drained.said().contains("steno:"), drained.said());
  }

  private List<String> onModulePath() {
    return List.of("-cp", directory.resolve("nothing").toString(), "--module-path", modulePath, "-Dsteno.scribe=thread",
        "--enable-native-access=io.github.steno.core");
  }

  @Test
  void modulesFindTheFrontEnds() throws Exception {
    run(null, onModulePath());
  }

  /** The option names the one module that loads native code, and there is no warning of it. */
  @Test
  void nativeAccessIsTheCoresAlone() throws Exception {
    Path java = DrainedLog.javaOf(24);
    assumeTrue(java != null, "no JDK of 24 or later is to be used");
    run(java, onModulePath());
    assertFalse(drained.said().contains("WARNING"), drained.said());
  }

  @Test
  void anImageHasThem() throws Exception {
    Path image = directory.resolve("image");
    assumeTrue(Files.isDirectory(Path.of(System.getProperty("java.home"), "jmods")), "this JDK has no modules to link");
    tool("jlink", "--module-path", modulePath, "--add-modules", "com.acme.app,io.github.steno.slf4j,io.github.steno.log4j",
        "--output", image.toString());
    run(image.resolve("bin/java"), List.of("-cp", directory.resolve("nothing").toString(), "-Dsteno.scribe=thread"));
    assertTrue(Files.exists(image));
  }
}
