package io.github.steno.agent;

import java.io.IOException;
import java.io.InputStream;

/** Has classes of an application for itself, as servers do. */
final class ApplicationLoader extends ClassLoader {
  private final String application;

  ApplicationLoader(Class<?> application) {
    super(application.getClassLoader());
    this.application = application.getName();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(application)) return super.loadClass(name, resolve);
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
