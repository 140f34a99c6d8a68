package io.github.steno;

import io.github.steno.machine.Notices;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * A file of options: the one that {@code steno.config} or {@code STENO_CONFIG} names, else {@code steno.properties} on the class path.
 * Its keys are the names of the system properties. One thread at a time.
 */
final class ConfigFile {
  private static final String NAME = "steno.properties";
  private static final String ENDING = ".properties";

  /** The name in messages. */
  final String name;
  private final URL source;
  /** Null if the file is in a jar, and does not change. */
  private final File file;
  /** The state of the file when it was last looked at, and when it was last read. */
  private long seen;
  private long read;

  private ConfigFile(String name, URL source) {
    this.name = name;
    this.source = source;
    this.file = fileOf(source);
    this.read = this.seen = state();
  }

  /**
   * Returns null if there is no file. A file that cannot be read is reported when it is read.
   *
   * @param named empty: the one on the class path
   */
  static ConfigFile find(String named) {
    if (named.isEmpty()) {
      ClassLoader loader = ConfigFile.class.getClassLoader();
      URL found = loader == null ? ClassLoader.getSystemResource(NAME) : loader.getResource(NAME);
      return found == null ? null : new ConfigFile(NAME, found);
    }
    if (!named.endsWith(ENDING)) {
      Notices.say("steno.config: " + named + " is not read: on the JVM it must be a file of properties (*" + ENDING + ")");
      return null;
    }
    try {
      return new ConfigFile(named, new File(named).toURI().toURL());
    } catch (IOException e) {
      Notices.say("steno.config: " + named + ": " + e.getMessage());
      return null;
    }
  }

  private static File fileOf(URL source) {
    try {
      return source.getProtocol().equals("file") ? new File(source.toURI()) : null;
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Returns null if the file cannot be read, which has been reported. */
  Properties read() {
    Properties values = new Properties();
    try (Reader in = new InputStreamReader(open(), StandardCharsets.UTF_8)) {
      values.load(in);
      return values;
    } catch (IOException | IllegalArgumentException e) {
      Notices.say(name + ": cannot be read and is ignored: " + e.getMessage());
      return null;
    }
  }

  private InputStream open() throws IOException {
    URLConnection connection = source.openConnection();
    connection.setUseCaches(false);  // a jar would stay open
    return connection.getInputStream();
  }

  /**
   * Returns whether the file differs from the one that was last read, and has been the same for two looks: it might be
   * half written.
   */
  boolean hasChanged() {
    long now = state();
    boolean settled = now == seen;
    seen = now;
    if (!settled || now == read || now == 0) return false;
    read = now;
    return true;
  }

  /** 0: there is none. */
  private long state() {
    if (file == null) return 0;
    long time = file.lastModified();
    return time == 0 ? 0 : 31 * time + file.length();
  }
}
