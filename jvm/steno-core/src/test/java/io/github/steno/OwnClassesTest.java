package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OwnClassesTest {
  @Test
  void everyPackageIsLoaded() throws IOException, URISyntaxException {
    Path classes = Path.of(Session.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path own = classes.resolve("io/github/steno");
    Set<String> folders = new HashSet<>(Set.of(""));
    try (Stream<Path> all = Files.list(own)) {
      all.filter(Files::isDirectory).forEach(folder -> folders.add(folder.getFileName() + "/"));
    }
    assertEquals(folders, OwnClasses.FOLDERS);
  }
}
