package io.github.steno.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.acme.Shop;
import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A web application of Spring Boot as it comes, with Tomcat, to which this artifact was added. */
class SpringBootTest extends DrainedTest {
  private static final String PATTERN = "{level}|{logger}|{message};;";
  private static final Pattern RECORD = Pattern.compile("^[A-Z]+\\|(?s:.*)", Pattern.MULTILINE);
  private static final int CLIENTS = 3;
  private static final int ORDERS = 200;

  /** The logging libraries on the class path. */
  enum ClassPath {
    /** Boot's starters bring it: Logback with steno's appender. */
    LOGBACK,
    /** Logback excluded, steno's provider there. */
    PROVIDER,
    /** Both providers, of which SLF4J takes the first. */
    BOTH;

    List<String> entries() {
      return switch (this) {
        case LOGBACK -> RunningShop.classPathWithout(entry -> entry.contains("steno-slf4j"));
        case PROVIDER -> RunningShop.classPathWithout(entry -> entry.contains("/logback-"));
        case BOTH -> Stream.concat(RunningShop.classPathWithout(entry -> !entry.contains("steno-slf4j")).stream(),
            LOGBACK.entries().stream()).toList();
      };
    }
  }

  @ParameterizedTest
  @EnumSource(ClassPath.class)
  void everyApiIsLoggedFromStartToEnd(ClassPath classPath) throws Exception {
    String springs = "-Dspring.application.json={\"steno.sinks\":\"sinks.toml\",\"logging.file.name\":\""
        + directory.resolve("shop.log") + "\"}";
    try (RunningShop shop = new RunningShop(drained, classPath.entries(), springs)) {
      shop.get("/all");
      assertEquals(500, shop.get("/broken").statusCode());
      shop.end();
      assertEquals(143, shop.process.exitValue());
    }
    String log = drained.cat("{level} {logger} {message}");
    for (String api : List.of("SLF4J", "commons-logging", "Log4j", "java.util.logging", "System.Logger")) {
      assertEquals(1, count(log, "WARN com.acme.Shop by " + api + "\n"), log);
    }
    assertEquals(1, count(log, "DEBUG com.acme.stock fine by java.util.logging\n"), log);
    assertTrue(log.contains("ERROR org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/].[dispatcherServlet] "), log);
    assertTrue(log.contains("java.lang.IllegalStateException: out of stock"), log);
    assertEquals(1, count(log, "Started Shop in "), log);
    for (int i = 0; i < 10; i++) assertEquals(1, count(log, "closing, step " + i + "\n"), log);
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete"), verify.out() + verify.err());
    // With the provider, the session begins before Spring has properties.
    boolean provides = classPath != ClassPath.LOGBACK;
    assertEquals(provides, drained.said().contains("steno: logging.file.name has no effect"), drained.said());
    assertEquals(provides, drained.said().contains("steno: steno.sinks is read before Spring's properties"), drained.said());
    assertEquals(!provides, drained.said().contains("steno: steno.sinks: the scribe is external"), drained.said());
  }

  /** Boot's own console is the oracle. */
  @Test
  void recordsAreThoseOfLogback() throws Exception {
    Map<String, Integer> printed = new TreeMap<>();
    try (RunningShop shop = new RunningShop(drained, ClassPath.LOGBACK.entries())) {
      request(shop);
      shop.end();
    }
    List<String> console = parts(drained.said());
    assertEquals(String.join("\n", console.stream().sorted().toList()),
        String.join("\n", parts(drained.cat(PATTERN)).stream().sorted().toList()));
    assertTrue(console.size() > 50, drained.said());
    for (String record : console) printed.merge(kind(record), 1, Integer::sum);
    stopScribe();
    Files.delete(drained.log);
    startScribe();
    Map<String, Integer> provided = new TreeMap<>();
    try (RunningShop shop = new RunningShop(drained, ClassPath.PROVIDER.entries())) {
      request(shop);
      shop.end();
    }
    for (String record : parts(drained.cat(PATTERN))) provided.merge(kind(record), 1, Integer::sum);
    assertEquals(printed, provided);
  }

  private static void request(RunningShop shop) throws Exception {
    for (int i = 0; i < 20; i++) shop.get("/order/" + i);
    shop.get("/all");
    shop.get("/broken");
  }

  private static List<String> parts(String text) {
    return Stream.of(text.split(";;")).map(RECORD::matcher).filter(Matcher::find).map(record -> record.group().strip()).toList();
  }

  /** Level and logger, and the message if it says the same each time. */
  private static String kind(String record) {
    int message = record.indexOf('|', record.indexOf('|') + 1);
    boolean varies = !record.substring(0, message).contains("com.acme") || record.startsWith("Start", message + 1);
    return varies ? record.substring(0, message) : record;
  }

  /** Libraries are jars within a jar here, and a thread of the process writes the log. */
  @ParameterizedTest
  @EnumSource(names = {"LOGBACK", "PROVIDER"})
  void anExecutableJarLogs(ClassPath classPath) throws Exception {
    Path jar = directory.resolve("shop.jar");
    ExecutableJar.write(jar, Shop.class, classPath.entries());
    try (RunningShop shop = RunningShop.ofJar(drained, jar, "-Dsteno.scribe=thread")) {
      shop.get("/all");
      shop.get("/broken");
      shop.end();
    }
    String log = drained.cat("{level} {logger} {message}");
    for (String api : List.of("SLF4J", "commons-logging", "Log4j", "java.util.logging", "System.Logger")) {
      assertEquals(1, count(log, "WARN com.acme.Shop by " + api + "\n"), log);
    }
    assertTrue(log.contains("ERROR org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/].[dispatcherServlet] "), log);
    assertEquals(1, count(log, "closing, step 9\n"), log);
    assertFalse(drained.said().contains("steno:"), drained.said());
  }

  @ParameterizedTest
  @EnumSource(names = {"LOGBACK", "PROVIDER"})
  void nothingAnsweredIsLostWhenItIsKilled(ClassPath classPath) throws Exception {
    AtomicInteger next = new AtomicInteger();
    List<Integer> answered = new ArrayList<>();
    try (RunningShop shop = new RunningShop(drained, classPath.entries())) {
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Thread client = new Thread(() -> order(shop, next, answered));
        client.start();
        clients.add(client);
      }
      while (count(answered) < ORDERS) {
        assertTrue(shop.process.isAlive(), drained.said());
        Thread.sleep(1);
      }
      shop.process.destroyForcibly().waitFor();
      for (Thread client : clients) client.join();
    }
    drained.waitUntilStagingIsGone();
    String log = drained.cat("{level} {logger} {message} {arg:order}");
    for (int order : answered) {
      assertEquals(1, count(log, "INFO com.acme.Shop order " + order + " of eve " + order + "\n"), "order " + order);
      assertEquals(1, count(log, "DEBUG com.acme.stock looked for " + order + " " + order + "\n"), "order " + order);
    }
    assertFalse(log.contains("TRACE"));
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertEquals(0, verify.code(), verify.out() + verify.err());
  }

  private static void order(RunningShop shop, AtomicInteger next, List<Integer> answered) {
    try {
      while (true) {
        int order = next.getAndIncrement();
        if (shop.get("/order/" + order).statusCode() != 200) return;
        synchronized (answered) {
          answered.add(order);
        }
      }
    } catch (IOException | InterruptedException e) {
      // it is dead
    }
  }

  private static int count(List<Integer> answered) {
    synchronized (answered) {
      return answered.size();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LOGBACK", "PROVIDER"})
  void theActuatorSetsLevels(ClassPath classPath) throws Exception {
    try (RunningShop shop = new RunningShop(drained, classPath.entries())) {
      assertTrue(shop.logger("ROOT").contains("\"configuredLevel\":\"INFO\""), shop.logger("ROOT"));
      assertTrue(shop.logger("com.acme.stock").contains("\"configuredLevel\":\"DEBUG\""), shop.logger("com.acme.stock"));
      assertTrue(shop.logger("com.acme.Shop").contains("\"effectiveLevel\":\"INFO\""), shop.logger("com.acme.Shop"));
      assertFalse(shop.logger("com.acme.Shop").contains("\"configuredLevel\":\"INFO\""), shop.logger("com.acme.Shop"));
      shop.get("/order/1");
      shop.setLevel("com.acme.stock", "TRACE");
      assertTrue(shop.logger("com.acme.stock").contains("\"effectiveLevel\":\"TRACE\""), shop.logger("com.acme.stock"));
      shop.get("/order/2");
      shop.setLevel("com.acme.stock", null);
      assertTrue(shop.logger("com.acme.stock").contains("\"effectiveLevel\":\"INFO\""), shop.logger("com.acme.stock"));
      shop.get("/order/3");
      shop.setLevel("goods", "ERROR");
      assertTrue(shop.logger("goods").contains("\"configuredLevel\":\"ERROR\""), shop.logger("goods"));
      assertTrue(shop.logger("com.acme.wares").contains("\"effectiveLevel\":\"ERROR\""), shop.logger("com.acme.wares"));
      String all = shop.get("/actuator/loggers").body();
      assertTrue(all.contains("\"com.acme.goods\"") && all.contains("\"goods\"") && all.contains("\"ROOT\""), all);
      assertEquals(404, shop.get("/actuator/loggers/com.acme.nothing").statusCode());
      shop.setLevel("ROOT", "ERROR");
      shop.get("/order/4");
      shop.end();
    }
    String log = drained.cat("{level} {message}");
    assertEquals(1, count(log, "DEBUG looked for 1\n"), log);
    assertEquals(0, count(log, "TRACE found 1\n"), log);
    assertEquals(1, count(log, "TRACE found 2\n"), log);
    assertEquals(0, count(log, "DEBUG looked for 3\n"), log);
    assertEquals(1, count(log, "INFO order 3 of eve\n"), log);
    assertEquals(0, count(log, "INFO order 4 of eve\n"), log);
  }

  @ParameterizedTest
  @EnumSource(names = {"LOGBACK", "PROVIDER"})
  void whyItDidNotStartIsPrinted(ClassPath classPath) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Process process = RunningShop.begin(drained, Shop.class.getName(), classPath.entries(), "-Dserver.port=" + taken.getLocalPort());
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertNotEquals(0, process.exitValue());
      assertEquals(1, count(drained.said(), "APPLICATION FAILED TO START"), drained.said());
      assertTrue(drained.said().contains("Port " + taken.getLocalPort() + " was already in use"), drained.said());
    }
    drained.waitUntilStagingIsGone();
    assertEquals(1, count(drained.cat("{message}"), "APPLICATION FAILED TO START"));
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
