package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Properties;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private long age = 1_000_000_000_000L;

  private Path write(String... lines) throws IOException {
    Path file = directory.resolve("steno.properties");
    Path written = Files.writeString(directory.resolve("written"), String.join("\n", lines));
    // Written within the same moment it is another all the same.
    Files.setLastModifiedTime(written, FileTime.fromMillis(age += 1000));
    return Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Runs a task and records what is printed on stderr. */
  private <T> T listen(Supplier<T> task) {
    PrintStream before = System.err;
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      return task.get();
    } finally {
      System.setErr(before);
    }
  }

  private Config load(Properties properties) {
    return listen(() -> Config.of(properties, ConfigFile.find(directory.resolve("steno.properties").toString())));
  }

  private static Properties properties(String... pairs) {
    Properties properties = new Properties();
    for (int i = 0; i < pairs.length; i += 2) properties.setProperty(pairs[i], pairs[i + 1]);
    return properties;
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8).replace(directory.toString(), "DIR");
  }

  @Test
  void whatItSaysCountsWherePropertiesSayNothing() throws Exception {
    write("# ours", "steno.path = /var/log/ä.steno", "steno.ring_bytes=131072", "steno.most_rings=7", "steno.level=warn",
        "steno.level.com.acme=debug", "steno.level.com.other=error");
    Config config = load(properties("steno.most_rings", "9", "steno.level.com.other", "trace"));
    assertEquals("/var/log/ä.steno", config.path);
    assertEquals(131072, config.ringBytes);
    assertEquals(9, config.mostRings);
    assertEquals(Levels.WARN, config.levels.levelOf("org"));
    assertEquals(Levels.DEBUG, config.levels.levelOf("com.acme.Main"));
    assertEquals(Levels.TRACE, config.levels.levelOf("com.other"));
    assertEquals("", said());
  }

  @Test
  void mistakesAreTold() throws Exception {
    write("steno.ring_bytes = plenty", "steno.levl = debug", "level = debug", "steno.level = shrill", "steno.when_full=drop",
        "steno.clock = sundial");
    Config config = load(properties());
    assertTrue(config.drops);
    assertEquals(8 << 20, config.ringBytes);
    assertTrue(said().contains("steno: DIR/steno.properties: there is no option 'steno.levl'\n"), said());
    assertTrue(said().contains("steno: DIR/steno.properties: there is no option 'level'\n"), said());
    assertTrue(said().contains("steno: steno.ring_bytes: 'plenty' is not a number from 65536 to 1073741824; using 8388608\n"), said());
    assertTrue(said().contains("steno: steno.clock: 'sundial' is none of best, wall, counter; using best\n"), said());
    assertTrue(said().contains("steno: steno.level: 'shrill' is no level"), said());
  }

  /** The time must still be a number in nanoseconds. */
  @Test
  void theLongestTimeToWaitIsOneThatCanBeMeasured() {
    long most = Long.MAX_VALUE / 1_000_000;
    assertEquals(most, load(properties("steno.block_at_most", "" + most)).blockAtMost);
    assertEquals(1000, load(properties("steno.block_at_most", "" + (most + 1))).blockAtMost);
    assertTrue(said().contains("steno: steno.block_at_most: '" + (most + 1) + "' is not a number from -1 to " + most), said());
  }

  @Test
  void oneThatCannotBeReadIsTold() throws Exception {
    assertEquals("", load(properties()).path);
    assertTrue(said().contains("steno: DIR/steno.properties: cannot be read and is ignored"), said());
    write("steno.path = \\u12");
    assertEquals("", load(properties()).path);
    assertNull(listen(() -> ConfigFile.find("/etc/steno.toml")));
    assertTrue(said().contains("steno: steno.config: /etc/steno.toml is not read: on the JVM it must be a file of properties"), said());
  }

  @Test
  void itsLevelsChangeWithIt() throws Exception {
    write("steno.level = warn", "steno.level.com.acme = debug", "steno.level.gone = error", "steno.path = a");
    Config config = load(properties("steno.level.mine", "trace"));
    Channels channels = new Channels(config.levels);
    channels.addRules("com.acme.Deep=error,elsewhere=off", problem -> {});
    follow(channels, config);
    assertEquals("com.acme DEBUG, com.acme.Deep ERROR, elsewhere OFF, gone ERROR, mine TRACE, WARN", levels(channels));
    write("steno.level = info", "steno.level.com.acme = trace", "steno.level.mine = off", "steno.path = b", "steno.level.new = debug");
    follow(channels, config);
    assertEquals("com.acme TRACE, com.acme.Deep ERROR, elsewhere OFF, gone INFO, mine TRACE, INFO", levels(channels));
    assertEquals(Levels.DEBUG, channels.rules().levelOf("new"));
    assertTrue(said().contains("DIR/steno.properties has changed: steno.path will take effect when the program is restarted\n"), said());
    Files.delete(directory.resolve("steno.properties"));
    follow(channels, config);
    assertEquals(Levels.DEBUG, channels.rules().levelOf("new"));
  }

  private void follow(Channels channels, Config config) {
    listen(() -> {
      for (int look = 0; look < 3; look++) channels.follow(config);
      return null;
    });
  }

  private static String levels(Channels channels) {
    StringBuilder text = new StringBuilder();
    for (String logger : new String[] {"com.acme", "com.acme.Deep", "elsewhere", "gone", "mine"}) {
      text.append(logger).append(' ').append(Levels.name(channels.rules().levelOf(logger))).append(", ");
    }
    return text + Levels.name(channels.rules().fallback());
  }

  @Test
  void aFileThatIsBeingWrittenIsNotReadYet() throws Exception {
    write("steno.level = warn");
    ConfigFile file = ConfigFile.find(directory.resolve("steno.properties").toString());
    assertFalse(file.hasChanged());
    for (int i = 0; i < 3; i++) {
      write("steno.level = info");
      assertFalse(file.hasChanged());
    }
    assertTrue(file.hasChanged());
    assertFalse(file.hasChanged());
  }
}
