package io.github.steno.programs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat that deploys a web application and undeploys it, again and again. It prints what is left. */
final class TomcatProgram {
  /** The number of deployments after which everything exists that Tomcat and the JDK keep. */
  private static final int FIRST = 3;

  /** @param arguments the server's folder, the application's, and how often it is deployed */
  public static void main(String[] arguments) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(arguments[0]);
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.start();
    int deployments = Integer.parseInt(arguments[2]);
    long descriptors = 0;
    int threads = 0;
    for (int i = 0; i < deployments; i++) {
      if (i == FIRST) {
        descriptors = descriptors();
        threads = threads();
      }
      Context application = tomcat.addWebapp("/shop", arguments[1]);
      URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/shop/log?" + i).toURL().openStream().close();
      tomcat.getHost().removeChild(application);
    }
    for (int i = 0; i < 50 && (mappings() > 0 || descriptors() > descriptors); i++) {
      System.gc();
      Thread.sleep(20);
    }
    System.out.println("descriptors " + Math.max(0, descriptors() - descriptors));
    System.out.println("threads " + Math.max(0, threads() - threads));
    System.out.println("mappings " + mappings());
    tomcat.stop();
    tomcat.destroy();
  }

  private static int threads() {
    return (int) Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("steno-")).count();
  }

  private static long descriptors() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  private static long mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("/steno-") && !line.contains(".jar") || line.contains("libsteno_jvm")).count();
  }

  private TomcatProgram() {}
}
