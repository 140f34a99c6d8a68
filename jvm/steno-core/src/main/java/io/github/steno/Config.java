package io.github.steno;

import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * What the user asked for: system properties ({@code steno.path}), else the environment ({@code STENO_PATH}), else
 * defaults. What cannot be read is told on stderr, and the default is taken. Immutable.
 */
final class Config {
  /** A thread of this process drains. */
  static final String THREAD = "thread";
  /** Nobody is started. */
  static final String EXTERNAL = "external";
  /** The machine's counter if the native library is loaded anyway, else the wall clock. */
  static final String BEST = "best";
  static final String WALL = "wall";
  /** The machine's counter, for which the native library is loaded. */
  static final String COUNTER = "counter";
  private static final long MIB = 1 << 20;

  /** The log; empty: whoever drains names it. */
  final String path;
  /** Where staging is to be; empty: the first of the usual places. */
  final String staging;
  /** Who drains if nobody does: {@link #THREAD}, {@link #EXTERNAL}, or a command that is started. */
  final String scribe;
  /** What records take their time from: {@link #BEST}, {@link #WALL} or {@link #COUNTER}. */
  final String clock;
  final LevelRules levels;
  /** The most that a thread's ring grows to. */
  final int ringBytes;
  /** The most that all rings together grow to. */
  final long stagingLimit;
  /** Threads beyond these share one ring. */
  final int mostRings;
  /** What finds no room is dropped, instead of waiting. */
  final boolean drops;
  /** How long calls wait for room, in ms, while no scribe drains; then what finds none is dropped. Less than 0: for ever. */
  final long blockAtMost;

  private Config(Source source) {
    path = source.text("path", "");
    staging = source.text("staging", "");
    scribe = scribe(source.text("scribe", ""));
    clock = source.choice("clock", BEST, WALL, COUNTER);
    levels = source.levels();
    ringBytes = (int) Long.highestOneBit(source.bytes("ring_bytes", 8 * MIB, Ring.FIRST_BYTES, 1 << 30));
    stagingLimit = source.bytes("staging_limit", 256 * MIB, MIB, 1L << 40);
    mostRings = (int) source.bytes("most_rings", 1024, 1, 1 << 16);
    drops = source.choice("when_full", "block", "drop").equals("drop");
    blockAtMost = source.bytes("block_at_most", 1000, -1, Long.MAX_VALUE / 2);
  }

  private String scribe(String asked) {
    if (asked.equals(EXTERNAL)) return EXTERNAL;
    if (!path.isEmpty()) return asked.isEmpty() ? THREAD : asked;
    if (!asked.isEmpty()) Notices.say("steno.scribe: a log has to be named (steno.path); none is started");
    return EXTERNAL;
  }

  static Config load() {
    return new Config(new Source(System.getProperties(), System.getenv()));
  }

  static Config of(Properties properties) {
    return new Config(new Source(properties, Map.of()));
  }

  private record Source(Properties properties, Map<String, String> environment) {
    String text(String name, String otherwise) {
      String value = properties.getProperty("steno." + name);
      if (value == null) value = environment.get("STENO_" + name.toUpperCase(java.util.Locale.ROOT));
      return value == null ? otherwise : value.trim();
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
      Notices.say("steno." + name + ": '" + text + "' is not a number from " + least + " to " + most + "; it is "
          + otherwise);
      return otherwise;
    }

    /** One of some words, the first of which is the default. */
    String choice(String name, String... words) {
      String text = text(name, words[0]);
      if (List.of(words).contains(text)) return text;
      Notices.say("steno." + name + ": '" + text + "' is none of " + String.join(", ", words) + "; it is " + words[0]);
      return words[0];
    }

    /** STENO_LEVEL, then the property steno.level, then those of loggers. */
    LevelRules levels() {
      LevelRules rules = LevelRules.NONE;
      String general = environment.getOrDefault("STENO_LEVEL", "");
      if (!general.isEmpty()) rules = rules.with(general, problem -> Notices.say("STENO_LEVEL: " + problem));
      general = properties.getProperty("steno.level", "");
      if (!general.isEmpty()) rules = rules.with(general, problem -> Notices.say("steno.level: " + problem));
      String prefix = "steno.level.";
      for (String name : properties.stringPropertyNames()) {
        if (!name.startsWith(prefix)) continue;
        rules = rules.with(name.substring(prefix.length()), properties.getProperty(name).trim(),
            problem -> Notices.say(name + ": " + problem));
      }
      return rules;
    }
  }
}
