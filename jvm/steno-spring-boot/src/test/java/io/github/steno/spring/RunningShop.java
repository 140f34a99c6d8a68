package io.github.steno.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.acme.Shop;
import io.github.steno.DrainedLog;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A {@link Shop} in a JVM of its own that serves on a loopback port. */
final class RunningShop implements AutoCloseable {
  private static final int PATIENCE_MS = 120_000;
  private static final List<String> OPTIONS = List.of("-Dserver.address=127.0.0.1", "-Dserver.port=0",
      "-Dspring.main.banner-mode=off", "-Dmanagement.endpoints.web.exposure.include=loggers",
      "-Dmanagement.endpoint.loggers.access=unrestricted", "-Dlogging.level.com.acme.stock=debug",
      "-Dlogging.group.goods=com.acme.goods,com.acme.wares", "-Dlogging.pattern.console=%level|%logger|%msg%n%ex;;%n");

  final Process process;
  private final DrainedLog drained;
  private final HttpClient client = HttpClient.newHttpClient();
  private final String address;

  /** Begun, and not waited for. */
  static Process begin(DrainedLog drained, String main, List<String> classPath, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("-cp", String.join(File.pathSeparator, classPath)));
    all.addAll(OPTIONS);
    all.add("-Dacme.port=" + port(drained));
    all.addAll(Arrays.asList(options));
    return drained.begin(main, all);
  }

  /** Runs the shop in an executable jar. */
  static RunningShop ofJar(DrainedLog drained, Path jar, String... options) throws Exception {
    return new RunningShop(drained, "org.springframework.boot.loader.launch.JarLauncher", List.of(jar.toString()), options);
  }

  private static Path port(DrainedLog drained) {
    return drained.directory.resolve("port");
  }

  RunningShop(DrainedLog drained, List<String> classPath, String... options) throws Exception {
    this(drained, Shop.class.getName(), classPath, options);
  }

  private RunningShop(DrainedLog drained, String main, List<String> classPath, String... options) throws Exception {
    this.drained = drained;
    Files.deleteIfExists(port(drained));
    process = begin(drained, main, classPath, options);
    for (int waited = 0; !Files.exists(port(drained)); waited += 20) {
      assertTrue(process.isAlive() && waited < PATIENCE_MS, drained.said());
      Thread.sleep(20);
    }
    address = "http://127.0.0.1:" + Files.readString(port(drained));
  }

  /** The test's class path without some jars. */
  static List<String> classPathWithout(Predicate<String> names) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !names.test(entry)).collect(Collectors.toList());
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(URI.create(address + path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** @return the actuator's answer about a logger or a group */
  String logger(String name) throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/actuator/loggers/" + name);
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body();
  }

  /** @param level null: the one of the logger above */
  void setLevel(String name, String level) throws IOException, InterruptedException {
    String body = "{\"configuredLevel\":" + (level == null ? "null" : '"' + level + '"') + '}';
    HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/actuator/loggers/" + name))
        .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body)).build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(204, answer.statusCode(), answer.body());
  }

  /** Ends the shop by SIGTERM, as a service manager does. */
  void end() throws Exception {
    process.destroy();
    assertTrue(process.waitFor(PATIENCE_MS, TimeUnit.MILLISECONDS), drained.said());
    drained.waitUntilStagingIsGone();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
