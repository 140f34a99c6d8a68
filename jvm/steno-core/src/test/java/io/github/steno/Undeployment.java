package io.github.steno;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server that deploys web applications, each with steno of its own. It prints what is left of them. */
final class Undeployment {
  private static final int FIRST = 3;
  private static final int DEPLOYMENTS = 12;

  /** @param arguments {@code undeploy}: applications that come and go; {@code stop}: one whose loader is stopped, and no more */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("undeploy")) {
      comeAndGo();
    } else {
      WebApplicationLoader loader = new WebApplicationLoader();
      loader.run();
      loader.waitForHousekeeping();
      loader.stop();
    }
  }

  private static void comeAndGo() throws Exception {
    for (int i = 0; i < FIRST; i++) deploy();  // there is what the JVM and the C library keep
    collect();
    mappings();  // with which the JDK has a descriptor of its own
    long descriptors = descriptors();
    int threads = Thread.activeCount();
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    for (int i = 0; i < DEPLOYMENTS; i++) loaders.add(deploy());
    for (int round = 0; round < 100 && (loaders.stream().anyMatch(loader -> loader.get() != null) || mappings() > 0); round++) collect();
    // The JVM opens a file of its own now and then, to read how much memory the container has.
    for (int round = 0; round < 100 && descriptors() > descriptors; round++) collect();
    long more = descriptors() - descriptors;
    System.out.println("descriptors " + more);
    if (more > 0) list(Path.of("/proc/self/fd"));
    System.out.println("threads " + (Thread.activeCount() - threads));
    System.out.println("loaders " + loaders.stream().filter(loader -> loader.get() != null).count());
    System.out.println("mappings " + mappings());
  }

  /** Deploys in a thread that lives on, as servers have them. */
  private static WeakReference<ClassLoader> deploy() throws IOException, ReflectiveOperationException {
    WebApplicationLoader loader = new WebApplicationLoader();
    loader.run();
    loader.undeploy();
    loader.stop();
    return new WeakReference<>(loader);
  }

  private static void collect() throws InterruptedException {
    System.gc();
    Thread.sleep(20);
  }

  private static void list(Path links) throws IOException {
    try (var all = Files.newDirectoryStream(links)) {
      for (Path link : all) {
        if (Files.exists(link)) System.out.println(link + " " + Files.readSymbolicLink(link));
      }
    }
  }

  private static long descriptors() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  /** Counts the mappings of staging and of the native library. */
  private static long mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("/steno-") || line.contains("libsteno_jvm")).count();
  }

  private Undeployment() {}
}
