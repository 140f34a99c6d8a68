package io.github.steno.spring;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A jar with all that an application needs, as Boot's build plugins make it: libraries are jars within it. */
final class ExecutableJar {
  private static final String LOADER = "spring-boot-loader-";

  /** @param classPath jars and folders; one of the jars is Boot's loader */
  static void write(Path target, Class<?> start, List<String> classPath) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, "org.springframework.boot.loader.launch.JarLauncher");
    attributes.putValue("Start-Class", start.getName());
    attributes.putValue("Spring-Boot-Classes", "BOOT-INF/classes/");
    attributes.putValue("Spring-Boot-Lib", "BOOT-INF/lib/");
    Set<String> names = new HashSet<>();
    try (OutputStream out = Files.newOutputStream(target); JarOutputStream jar = new JarOutputStream(out, manifest)) {
      for (String folder : List.of("BOOT-INF/", "BOOT-INF/classes/", "BOOT-INF/lib/")) add(jar, names, folder, new byte[0]);
      for (String entry : classPath) {
        Path path = Path.of(entry);
        if (Files.isDirectory(path)) {
          addFolder(jar, names, path);
        } else if (path.getFileName().toString().startsWith(LOADER)) {
          unpack(jar, names, path);
        } else if (Files.exists(path)) {  // JVMs pass over what is not there
          add(jar, names, "BOOT-INF/lib/" + path.getFileName(), Files.readAllBytes(path));
        }
      }
    }
  }

  private static void addFolder(JarOutputStream jar, Set<String> names, Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    try (var all = Files.walk(folder)) {
      all.filter(Files::isRegularFile).forEach(files::add);
    }
    for (Path file : files) add(jar, names, "BOOT-INF/classes/" + folder.relativize(file), Files.readAllBytes(file));
  }

  private static void unpack(JarOutputStream jar, Set<String> names, Path loader) throws IOException {
    try (ZipFile from = new ZipFile(loader.toFile())) {
      for (ZipEntry entry : from.stream().toList()) {
        if (entry.getName().endsWith(".class")) add(jar, names, entry.getName(), from.getInputStream(entry).readAllBytes());
      }
    }
  }

  /** Stored, as the loader wants jars within the jar. */
  private static void add(JarOutputStream jar, Set<String> names, String name, byte[] bytes) throws IOException {
    if (!names.add(name)) return;
    JarEntry entry = new JarEntry(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.length);
    CRC32 sum = new CRC32();
    sum.update(bytes);
    entry.setCrc(sum.getValue());
    jar.putNextEntry(entry);
    jar.write(bytes);
    jar.closeEntry();
  }

  private ExecutableJar() {}
}
