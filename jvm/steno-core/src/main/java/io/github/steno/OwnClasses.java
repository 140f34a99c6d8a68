package io.github.steno;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.security.CodeSource;
import java.util.Enumeration;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads all classes of this package, and of those within it, where a loader other than the system's has it, as servers have for
 * each application: such a loader may be stopped before the log is closed, and then loads no class any more. Takes some ten
 * milliseconds, once.
 */
final class OwnClasses {
  private static final String ENDING = ".class";

  /** The folders of these classes, below this package's folder. */
  static final Set<String> FOLDERS = Set.of("", "machine/", "ring/", "scribe/", "staging/");

  /** Returns whether a class loader of an application has loaded these classes. */
  static boolean isInApplication() {
    ClassLoader loader = OwnClasses.class.getClassLoader();
    return loader != null && loader != ClassLoader.getSystemClassLoader();
  }

  static void loadIfNeeded() {
    if (!isInApplication()) return;
    ClassLoader loader = OwnClasses.class.getClassLoader();
    CodeSource source = OwnClasses.class.getProtectionDomain().getCodeSource();
    URL url = source == null ? null : source.getLocation();
    if (url == null || !url.getProtocol().equals("file")) return;
    String path = OwnClasses.class.getPackageName().replace('.', '/') + '/';
    try {
      File place = new File(url.toURI());
      if (place.isDirectory()) {
        for (String folder : FOLDERS) {
          String[] names = new File(place, path + folder).list();
          for (int i = 0; names != null && i < names.length; i++) load(path + folder + names[i], path, loader);
        }
      } else {
        try (ZipFile jar = new ZipFile(place)) {
          for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
            load(all.nextElement().getName(), path, loader);
          }
        }
      }
    } catch (IOException | URISyntaxException | IllegalArgumentException e) {
      // Missing classes are loaded when they are needed, or not.
    }
  }

  private static void load(String file, String path, ClassLoader loader) {
    boolean isOwn = file.startsWith(path) && file.endsWith(ENDING);
    if (!isOwn || !FOLDERS.contains(file.substring(path.length(), file.lastIndexOf('/') + 1))) return;
    try {
      Class.forName(file.substring(0, file.length() - ENDING.length()).replace('/', '.'), true, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      // One for what is not there, a logging API or a server's.
    }
  }

  private OwnClasses() {}
}
