package io.github.steno.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each program runs twice, with Logback and with steno on the class path in its place: the records are the same ones. */
class ProgramsTest extends DrainedTest {
  private static final Pattern RECORD = Pattern.compile("^[A-Z]+\\|(?s:.*)", Pattern.MULTILINE);
  /** The levels of logback-original.xml. */
  private static final String LEVELS = "info,org.hibernate.SQL=debug,org.eclipse.jetty.server.Response=debug,"
      + "org.eclipse.jetty.server.handler=debug,org.apache.kafka.clients.producer=debug,"
      + "org.apache.kafka.clients.producer.internals=off,org.apache.kafka.clients.NetworkClient=off";
  private static final int LEAST = 5;

  @Test
  void recordsAreThoseOfLogback() throws Exception {
    compare(HibernateProgram.class);
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(classes = {JettyProgram.class, KafkaProgram.class})
  void recordsOfOthersAreThoseOfLogback(Class<?> program) throws Exception {
    compare(program);
  }

  /** Uses the API that Kafka was compiled with, and the bridge that docs/jvm/others.md names for it. */
  @Tag("nightly")
  @Test
  void recordsOfSlf4j17AreThoseOfLogback() throws Exception {
    String old = Path.of(System.getProperty("steno.slf4j17")).resolve("*").toString();
    compare(KafkaProgram.class, old + File.pathSeparator + without("/logback-", "steno-slf4j", "/slf4j-api-2"));
  }

  private void compare(Class<?> program) throws Exception {
    compare(program, without("/logback-", "steno-log4j"));
  }

  private void compare(Class<?> program, String classPath) throws Exception {
    drained.run(program, List.of("-cp", without("steno-slf4j", "steno-log4j"), "-Dlogback.configurationFile=logback-original.xml",
        "-Dorg.jboss.logging.provider=slf4j"));
    String original = records(drained.said());
    drained.run(program, List.of("-cp", classPath, "-Dorg.jboss.logging.provider=slf4j",
        "-Dsteno.level=" + LEVELS));
    drained.waitUntilStagingIsGone();
    assertEquals(original, records(drained.cat("{level}|{logger}|{message};;")));
    assertTrue(original.lines().count() >= LEAST, original);
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete"), verify.out() + verify.err());
  }

  private static String without(String... jars) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> Arrays.stream(jars).noneMatch(entry::contains)).collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * Returns the records in order of their texts, without the parts that differ from run to run, and without frames,
   * which Logback prints in its own way.
   */
  private static String records(String text) {
    return Stream.of(text.split(";;")).map(RECORD::matcher).filter(Matcher::find).map(record -> record.group().strip())
        .map(record -> record.lines().filter(line -> !line.startsWith("\t")).collect(Collectors.joining("\n")))
        .map(record -> record.replaceAll("@[0-9a-f]+", "@#").replaceAll("[0-9]+(\\.[0-9]+)?", "#")).sorted()
        .collect(Collectors.joining("\n"));
  }
}
