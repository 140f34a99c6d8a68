package io.github.steno;

import io.github.steno.machine.Notices;
import io.github.steno.ring.Ring;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * The user's options: system properties ({@code steno.path}), else the environment ({@code STENO_PATH}), else a file
 * ({@link ConfigFile}), else defaults. A value that cannot be read is reported on stderr, and the default is used.
 * Immutable, except for the file.
 */
final class Config {
  /** A thread of this process drains. */
  static final String THREAD = "thread";
  /** The value for which no scribe is started. */
  static final String EXTERNAL = "external";
  /** The machine's counter if the native library is loaded anyway, else the wall clock. */
  static final String BEST = "best";
  static final String WALL = "wall";
  /** The machine's counter, for which the native library is loaded. */
  static final String COUNTER = "counter";
  private static final String STDOUT = "stdout";
  private static final String STDERR = "stderr";
  private static final long MIB = 1 << 20;
  private static final String PREFIX = "steno.";
  private static final String LEVEL = "steno.level";
  private static final Set<String> NAMES = Set.of("path", "staging", "scribe", "clock", "level", "ring_bytes", "staging_limit",
      "most_rings", "when_full", "block_at_most", "console", "sinks");

  /** The file of options; null if there is none. */
  final ConfigFile file;
  private final Source source;
  /** The path of the log; empty: whoever drains names it. */
  final String path;
  /** The directory for staging; empty: the first of the usual places. */
  final String staging;
  /** The consumer if nobody else drains: {@link #THREAD}, {@link #EXTERNAL}, or a command that is started. */
  final String scribe;
  /** The clock that records take their time from: {@link #BEST}, {@link #WALL} or {@link #COUNTER}. */
  final String clock;
  final LevelRules levels;
  /** The most that a thread's ring grows to. */
  final int ringBytes;
  /** The most that all rings together grow to. */
  final long stagingLimit;
  /** Threads beyond these share one ring. */
  final int mostRings;
  /** True if records that find no room are dropped, and callers do not wait. */
  final boolean drops;
  /** The stream on which the scribe prints all records besides: {@code stdout}, {@code stderr}; empty: none. */
  final String console;
  /** A file that says where the scribe shows records besides; empty: none. */
  final String sinks;
  /**
   * The time that calls wait for room, in ms, while no scribe drains; after it, records that find none are dropped.
   * Less than 0: for ever.
   */
  final long blockAtMost;

  private Config(Source source, ConfigFile file) {
    this.source = source;
    this.file = file;
    path = source.text("path", "");
    staging = source.text("staging", "");
    scribe = scribe(source.text("scribe", ""));
    clock = source.choice("clock", BEST, WALL, COUNTER);
    levels = source.levels();
    ringBytes = (int) Long.highestOneBit(source.bytes("ring_bytes", 8 * MIB, Ring.FIRST_BYTES, 1 << 30));
    stagingLimit = source.bytes("staging_limit", 256 * MIB, MIB, 1L << 40);
    mostRings = (int) source.bytes("most_rings", 1024, 1, 1 << 16);
    drops = source.choice("when_full", "block", "drop").equals("drop");
    blockAtMost = source.bytes("block_at_most", 1000, -1, Long.MAX_VALUE / 1_000_000);
    console = console(source.choice("console", "false", "true", "0", "1", STDOUT, STDERR));
    sinks = source.text("sinks", "");
  }

  private static String console(String asked) {
    if (asked.equals(STDOUT) || asked.equals(STDERR)) return asked;
    return asked.equals("true") || asked.equals("1") ? STDERR : "";
  }

  private String scribe(String asked) {
    if (asked.equals(EXTERNAL)) return EXTERNAL;
    if (!path.isEmpty()) return asked.isEmpty() ? THREAD : asked;
    if (!asked.isEmpty()) Notices.say("steno.scribe: no scribe is started, because no log is named (steno.path)");
    return EXTERNAL;
  }

  static Config load() {
    Source source = new Source(System.getProperties(), System.getenv(), new Properties());
    return of(source, ConfigFile.find(source.text("config", "")));
  }

  static Config of(Properties properties) {
    return of(properties, null);
  }

  static Config of(Properties properties, ConfigFile file) {
    return of(new Source(properties, Map.of(), new Properties()), file);
  }

  private static Config of(Source source, ConfigFile file) {
    Properties values = file == null ? null : file.read();
    return new Config(values == null ? source : source.with(values, file.name), file);
  }

  /**
   * Returns the levels of the file as it is now; null if it cannot be read. Changes of other options are reported,
   * because they need a restart.
   */
  LevelRules readLevels() {
    Properties values = file.read();
    if (values == null) return null;
    Source now = source.with(values, file.name);
    Set<String> names = new TreeSet<>(now.file.stringPropertyNames());
    names.addAll(source.file.stringPropertyNames());
    names.removeIf(name -> name.startsWith(LEVEL) || now.file.getProperty(name, "").equals(source.file.getProperty(name, "")));
    if (!names.isEmpty()) {
      Notices.say(file.name + " has changed: " + String.join(", ", names) + " will take effect when the program is restarted");
    }
    return now.levels();
  }

  private record Source(Properties properties, Map<String, String> environment, Properties file) {
    String text(String name, String otherwise) {
      String value = properties.getProperty(PREFIX + name);
      if (value == null) value = environment.get("STENO_" + name.toUpperCase(Locale.ROOT));
      if (value == null) value = file.getProperty(PREFIX + name);
      return value == null ? otherwise : value.trim();
    }

    /** Adds the options of a file. Names in it that are no options are reported. */
    Source with(Properties values, String file) {
      for (String name : values.stringPropertyNames()) {
        boolean isKnown = name.startsWith(PREFIX) && (name.startsWith(LEVEL + '.') || NAMES.contains(name.substring(PREFIX.length())));
        if (!isKnown) Notices.say(file + ": there is no option '" + name + "'");
      }
      return new Source(properties, environment, values);
    }

    long bytes(String name, long otherwise, long least, long most) {
      String text = text(name, "");
      if (text.isEmpty()) return otherwise;
      try {
        long value = Long.parseLong(text);
        if (value >= least && value <= most) return value;
      } catch (NumberFormatException e) {
        // Told below.
      }
      Notices.say("steno." + name + ": '" + text + "' is not a number from " + least + " to " + most + "; using "
          + otherwise);
      return otherwise;
    }

    /** One of some words, the first of which is the default. */
    String choice(String name, String... words) {
      String text = text(name, words[0]);
      if (List.of(words).contains(text)) return text;
      Notices.say("steno." + name + ": '" + text + "' is none of " + String.join(", ", words) + "; using " + words[0]);
      return words[0];
    }

    /** Returns the rules of the file, then of STENO_LEVEL, then of properties. */
    LevelRules levels() {
      LevelRules rules = with(LevelRules.NONE, file);
      String general = environment.getOrDefault("STENO_LEVEL", "");
      if (!general.isEmpty()) rules = rules.with(general, problem -> Notices.say("STENO_LEVEL: " + problem));
      return with(rules, properties);
    }

    /** steno.level, then those of loggers. */
    private static LevelRules with(LevelRules before, Properties properties) {
      LevelRules rules = before;
      String general = properties.getProperty(LEVEL, "");
      if (!general.isEmpty()) rules = rules.with(general, problem -> Notices.say(LEVEL + ": " + problem));
      for (String name : properties.stringPropertyNames()) {
        if (!name.startsWith(LEVEL + '.')) continue;
        rules = rules.with(name.substring(LEVEL.length() + 1), properties.getProperty(name).trim(),
            problem -> Notices.say(name + ": " + problem));
      }
      return rules;
    }
  }
}
