package io.github.steno;

import java.util.Map;
import java.util.Properties;

/**
 * What the user asked for: system properties ({@code steno.path}), else the environment ({@code STENO_PATH}), else
 * defaults. What cannot be read is told on stderr, and the default is taken. Immutable.
 */
final class Config {
  private static final long MIB = 1 << 20;

  /** The log; empty: whoever drains names it. */
  final String path;
  /** Where staging is to be; empty: the first of the usual places. */
  final String staging;
  /** The command that drains if nobody does; empty: none. */
  final String scribe;
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
    levels = source.levels();
    ringBytes = (int) Long.highestOneBit(source.bytes("ring_bytes", 8 * MIB, Ring.FIRST_BYTES, 1 << 30));
    stagingLimit = source.bytes("staging_limit", 256 * MIB, MIB, 1L << 40);
    mostRings = (int) source.bytes("most_rings", 1024, 1, 1 << 16);
    drops = source.choice("when_full", "block", "drop");
    blockAtMost = source.bytes("block_at_most", 1000, -1, Long.MAX_VALUE / 2);
  }

  private String scribe(String command) {
    if (command.isEmpty() || !path.isEmpty()) return command;
    Notices.say("steno.scribe: a log has to be named (steno.path); none is started");
    return "";
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

    /** Whether it is the second of two. */
    boolean choice(String name, String first, String second) {
      String text = text(name, first);
      if (!text.equals(first) && !text.equals(second)) {
        Notices.say("steno." + name + ": '" + text + "' is neither '" + first + "' nor '" + second + "'; it is '"
            + first + "'");
      }
      return text.equals(second);
    }

    /** STENO_LEVEL, then the property steno.level, then those of loggers. */
    LevelRules levels() {
      LevelRules rules = LevelRules.NONE
          .with(environment.getOrDefault("STENO_LEVEL", ""), problem -> Notices.say("STENO_LEVEL: " + problem))
          .with(properties.getProperty("steno.level", ""), problem -> Notices.say("steno.level: " + problem));
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
