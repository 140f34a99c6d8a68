package io.github.steno;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/**
 * Loads a web application like a server: it has classes of its own, steno's among them, and loads none once it is
 * stopped.
 */
final class WebApplicationLoader extends URLClassLoader {
  private volatile boolean isStopped;

  WebApplicationLoader() {
    super(new URL[] {codeOf(Session.class), codeOf(RedeployedApplication.class), codeOf(org.slf4j.Logger.class)},
        ClassLoader.getPlatformClassLoader());
  }

  private static URL codeOf(Class<?> loaded) {
    try {
      return Path.of(loaded.getProtectionDomain().getCodeSource().getLocation().toURI()).toUri().toURL();
    } catch (MalformedURLException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Begins the application, which logs. */
  void run() throws ReflectiveOperationException {
    ((Runnable) loadClass(RedeployedApplication.class.getName()).getConstructor().newInstance()).run();
  }

  /** Does what the server's listener does. */
  void undeploy() throws ReflectiveOperationException {
    loadClass(Session.class.getName()).getMethod("closeOfProcess").invoke(null);
  }

  /** Waits until housekeeping has loaded all classes. */
  void waitForHousekeeping() throws InterruptedException, ReflectiveOperationException {
    while (findLoadedClass(OwnClasses.class.getName()) == null) Thread.sleep(10);
    Method load = loadClass(OwnClasses.class.getName()).getDeclaredMethod("loadIfNeeded");
    load.setAccessible(true);
    load.invoke(null);
  }

  void stop() throws IOException {
    isStopped = true;
    close();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (isStopped) throw new IllegalStateException("stopped, and asked for " + name);
    return super.loadClass(name, resolve);
  }
}
