package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications that come and go, where steno is the server's. */
class ClassLoaderTest {
  private static final int DEPLOYMENTS = 100;

  @TempDir static Path staging;

  @BeforeAll
  static void nameStaging() {
    System.setProperty("steno.staging", staging.toString());
  }

  /** Has classes of the application for itself, as servers do. */
  private static final class Loader extends ClassLoader {
    Loader() {
      super(ClassLoaderTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(RedeployedApplication.class.getName())) return super.loadClass(name, resolve);
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known != null ? known : define(name);
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream code = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = code.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void applicationsAreUnloaded() throws Exception {
    ReferenceQueue<ClassLoader> gone = new ReferenceQueue<>();
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    for (int i = 0; i < DEPLOYMENTS; i++) loaders.add(new WeakReference<>(deploy(), gone));
    for (int waited = 0; waited < 1000 && loaders.stream().anyMatch(loader -> loader.get() != null); waited++) {
      System.gc();
      Thread.sleep(10);
    }
    for (WeakReference<ClassLoader> loader : loaders) assertNull(loader.get());
  }

  /** Logs by a thread of its own, and by this one, which lives on. */
  private static ClassLoader deploy() throws Exception {
    Loader loader = new Loader();
    Runnable application = (Runnable) loader.loadClass(RedeployedApplication.class.getName()).getConstructor().newInstance();
    Thread thread = new Thread(application);
    thread.start();
    thread.join();
    application.run();
    return loader;
  }
}
