package io.github.steno.bridges;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Programs that call other logging APIs, as the page on them says that they are to be started (docs/jvm/others.md). */
class BridgesTest extends DrainedTest {
  private static final String JBOSS = """
      INFO com.acme.JBossCaller r-1 17 of forty
      WARN com.acme.JBossCaller r-1 one and two
      ERROR com.acme.JBossCaller r-1 it failed
      """;
  private static final String SLF4J = """
      INFO com.acme.Slf4jCaller Slf4jCaller.java [] 17 of forty
      WARN com.acme.Slf4jCaller Slf4jCaller.java [r-1] one, two and {}
      ERROR com.acme.Slf4jCaller Slf4jCaller.java [r-1] it failed
      """;
  private static final String COMMONS = """
      INFO com.acme.CommonsCaller 17 of {} seats
      ERROR com.acme.CommonsCaller it failed
      """;

  @Test
  void jbossLoggingByPropertyThroughSlf4j() throws Exception {
    run("com.acme.JBossCaller", List.of("-Dorg.jboss.logging.provider=slf4j"), "steno-log4j", "log4j-api", "steno-jul", "jboss-logmanager");
    assertEquals(JBOSS, logged("{level} {logger} {arg:request} {message}"));
  }

  @Test
  void jbossLoggingThroughLog4j() throws Exception {
    run("com.acme.JBossCaller", List.of(), "steno-slf4j", "slf4j-api", "jcl-over-slf4j", "jboss-logmanager");
    assertEquals(JBOSS, logged("{level} {logger} {arg:request} {message}"));
  }

  /** Without either, it logs by java.util.logging. That is why the page names the property. */
  @Test
  void jbossLoggingDoesNotFindSlf4jByItself() throws Exception {
    run("com.acme.JBossCaller", List.of(), "steno-log4j", "log4j-api", "steno-jul", "jboss-logmanager");
    assertEquals("", logged("{message}"));
    assertTrue(drained.said().contains("17 of forty"), drained.said());
  }

  /**
   * Quarkus and WildFly install the handler like this. Formats are those of String.format and MessageFormat, and the
   * MDC is that of JBoss.
   */
  @Test
  void jbossLogmanagerWithTheHandler() throws Exception {
    Path configuration = directory.resolve("logging.properties");
    Files.writeString(configuration, """
        logger.level=INFO
        logger.handlers=STENO
        handler.STENO=io.github.steno.jul.StenoHandler
        """);
    List<String> options = List.of("-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
        "-Dlogging.configuration=" + configuration.toUri());
    run("com.acme.JBossCaller", options, "steno-slf4j", "slf4j-api", "steno-log4j", "log4j-api");
    assertEquals(JBOSS, logged("{level} {logger} {arg:request} {message}"));
    assertEquals("JBossCaller.java:13\nJBossCaller.java:14\nJBossCaller.java:15\n", logged("{basename}:{line}"));
    // Formats come with their arguments.
    assertEquals("one and two\n", drained.cat("{message}", "--where", "{0} == \"one\""));
  }

  @Test
  void slf4j17WithItsLaterApi() throws Exception {
    run("com.acme.Slf4jCaller", List.of(), "steno-log4j", "log4j-api", "steno-jul");
    assertEquals(SLF4J, logged("{level} {logger} {basename} [{arg:request}] {message}"));
  }

  /** That is why the page names the two other ways. */
  @Test
  void slf4j17ItselfFindsNoProvider() throws Exception {
    runWith(List.of(slf4j17("slf4j-api-1.7.36")), "com.acme.Slf4jCaller", "/slf4j-api", "steno-log4j", "log4j-api", "steno-jul");
    assertTrue(drained.said().contains("Failed to load class \"org.slf4j.impl.StaticLoggerBinder\""), drained.said());
    assertEquals("", logged("{message}"));
  }

  @Test
  void slf4j17ItselfThroughLog4j() throws Exception {
    runWith(List.of(slf4j17("slf4j-api-1.7.36"), slf4j17("log4j-slf4j-impl-")), "com.acme.Slf4jCaller", "steno-slf4j", "/slf4j-api",
        "jcl-over-slf4j", "steno-jul");
    assertEquals(SLF4J, logged("{level} {logger} {basename} [{arg:request}] {message}"));
  }

  private static String slf4j17(String name) throws IOException {
    try (Stream<Path> jars = Files.list(Path.of(System.getProperty("steno.slf4j17")))) {
      return jars.filter(jar -> jar.getFileName().toString().startsWith(name)).findFirst().orElseThrow().toString();
    }
  }

  @Test
  void commonsLoggingThroughSlf4j() throws Exception {
    run("com.acme.CommonsCaller", List.of(), "steno-log4j", "log4j-api", "jcl-over-slf4j", "steno-jul");
    assertEquals(COMMONS, logged("{level} {logger} {message}"));
  }

  @Test
  void commonsLoggingThroughLog4j() throws Exception {
    run("com.acme.CommonsCaller", List.of(), "steno-slf4j", "slf4j-api", "jcl-over-slf4j", "steno-jul");
    assertEquals(COMMONS, logged("{level} {logger} {message}"));
  }

  @Test
  void commonsLoggingReplacedByTheBridge() throws Exception {
    run("com.acme.CommonsCaller", List.of(), "steno-log4j", "log4j-api", "/commons-logging", "steno-jul");
    assertEquals(COMMONS, logged("{level} {logger} {message}"));
  }

  /** @param without names of jars that are not on the class path */
  private void run(String main, List<String> options, String... without) throws Exception {
    run(main, options, List.of(), without);
  }

  private void runWith(List<String> more, String main, String... without) throws Exception {
    run(main, List.of(), more, without);
  }

  private void run(String main, List<String> options, List<String> more, String... without) throws Exception {
    List<String> classPath = new ArrayList<>(more);
    Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> Arrays.stream(without).noneMatch(entry::contains)).forEach(classPath::add);
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of("-cp", String.join(File.pathSeparator, classPath)));
    drained.run(main, all);
    drained.waitUntilStagingIsGone();
  }

  /** Returns the log without stack traces; empty if there is no log. */
  private String logged(String pattern) throws Exception {
    if (!drained.log.toFile().exists()) return "";
    String text = drained.cat(pattern);
    return text.lines().filter(line -> !line.startsWith("\tat ") && !line.startsWith("java.lang.")).map(line -> line + "\n")
        .collect(Collectors.joining());
  }
}
