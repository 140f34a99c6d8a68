package io.github.steno.bridges;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Programs that call other logging APIs, as the page on them says that they are to be started (docs/jvm/others.md). */
class BridgesTest extends DrainedTest {
  private static final String JBOSS = """
      INFO com.acme.JBossCaller r-1 17 of forty
      WARN com.acme.JBossCaller r-1 one and two
      ERROR com.acme.JBossCaller r-1 it failed
      """;
  private static final String COMMONS = """
      INFO com.acme.CommonsCaller 17 of {} seats
      ERROR com.acme.CommonsCaller it failed
      """;

  @Test
  void jbossLoggingByPropertyThroughSlf4j() throws Exception {
    run("com.acme.JBossCaller", List.of("-Dorg.jboss.logging.provider=slf4j"), "steno-log4j", "log4j-api", "steno-jul");
    assertEquals(JBOSS, logged("{level} {logger} {arg:request} {message}"));
  }

  @Test
  void jbossLoggingThroughLog4j() throws Exception {
    run("com.acme.JBossCaller", List.of(), "steno-slf4j", "slf4j-api", "jcl-over-slf4j");
    assertEquals(JBOSS, logged("{level} {logger} {arg:request} {message}"));
  }

  /** Without either, it logs by java.util.logging, which is why the page names the property. */
  @Test
  void jbossLoggingDoesNotFindSlf4jByItself() throws Exception {
    run("com.acme.JBossCaller", List.of(), "steno-log4j", "log4j-api", "steno-jul");
    assertEquals("", logged("{message}"));
    assertTrue(drained.said().contains("17 of forty"), drained.said());
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
    String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> Arrays.stream(without).noneMatch(entry::contains)).collect(Collectors.joining(File.pathSeparator));
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of("-cp", classPath));
    drained.run(main, all);
    drained.waitUntilStagingIsGone();
  }

  /** Without stack traces; nothing: there is no log. */
  private String logged(String pattern) throws Exception {
    if (!drained.log.toFile().exists()) return "";
    String text = drained.cat(pattern);
    return text.lines().filter(line -> !line.startsWith("\tat ") && !line.startsWith("java.lang.")).map(line -> line + "\n")
        .collect(Collectors.joining());
  }
}
