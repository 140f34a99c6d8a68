package io.github.steno;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Maps loggers to levels: the rule for a logger's name counts, else that for the name up to a dot, else the default.
 * Immutable.
 */
final class LevelRules {
  static final LevelRules NONE = new LevelRules(Levels.INFO, Map.of());
  /** The rules of a session that logs nothing. */
  static final LevelRules NOTHING = new LevelRules(Levels.OFF, Map.of());
  private static final int MOST = 4096;
  /**
   * The characters that occur in rules for files, lines and formats, which apply to statements of C++
   * (steno/session.h).
   */
  private static final String OF_STATEMENTS = "\"*:/";

  private final int fallback;
  private final Map<String, Integer> ofLoggers;

  private LevelRules(int fallback, Map<String, Integer> ofLoggers) {
    this.fallback = fallback;
    this.ofLoggers = ofLoggers;
  }

  /**
   * Returns these rules and more, of which later ones win: {@code info,com.acme=debug}; {@code com.acme=inherit}
   * forgets the rule for a logger, {@code reset} those for all.
   *
   * @param problems receives a message for each part that is not a rule; such parts are skipped
   */
  LevelRules with(String rules, Consumer<String> problems) {
    LevelRules all = this;
    for (String rule : rules.split(",")) {
      if (rule.isBlank()) continue;
      int equals = rule.lastIndexOf('=');
      if (rule.trim().equalsIgnoreCase("reset")) {
        all = new LevelRules(all.fallback, Map.of());
      } else {
        all = all.with(equals < 0 ? "" : rule.substring(0, equals).trim(), rule.substring(equals + 1).trim(), problems);
      }
    }
    return all;
  }

  /** @param logger empty: the default */
  LevelRules with(String logger, String level, Consumer<String> problems) {
    int parsed = Levels.parse(level);
    boolean forgets = !logger.isEmpty() && level.equalsIgnoreCase("inherit");
    if (isOfStatements(logger)) {
      problems.accept("'" + logger + "' is no logger: on the JVM there are no rules for files, lines and formats");
    } else if (parsed < 0 && !forgets) {
      problems.accept("'" + level + "' is no level; there are trace, debug, info, notice, warn, error, critical and off");
    } else if (forgets) {
      return without(logger);
    } else if (hasRoomFor(logger)) {
      return with(logger, parsed);
    } else {
      problems.accept("'" + logger + "' is one too many: there are rules for " + MOST + " loggers");
    }
    return this;
  }

  /** Returns whether one more rule may be added, or this logger has one already. */
  boolean hasRoomFor(String logger) {
    return logger.isEmpty() || ofLoggers.size() < MOST || ofLoggers.containsKey(logger);
  }

  /** @param logger any name; empty: the default */
  LevelRules with(String logger, int level) {
    if (logger.isEmpty()) return new LevelRules(level, ofLoggers);
    Map<String, Integer> changed = new HashMap<>(ofLoggers);
    changed.put(logger, level);
    return new LevelRules(fallback, Map.copyOf(changed));
  }

  LevelRules without(String logger) {
    Map<String, Integer> changed = new HashMap<>(ofLoggers);
    changed.remove(logger);
    return new LevelRules(fallback, Map.copyOf(changed));
  }

  /** The loggers that have rules. */
  Set<String> loggers() {
    return ofLoggers.keySet();
  }

  /** The level of the rule for this very logger; {@link LoggerLevels#NO_RULE}: it has none. */
  int rule(String logger) {
    return logger.isEmpty() ? fallback : ofLoggers.getOrDefault(logger, LoggerLevels.NO_RULE);
  }

  /**
   * Returns these rules with the changes from some rules to others. A rule that is equal in both stays as it is here.
   */
  LevelRules changed(LevelRules from, LevelRules to) {
    Map<String, Integer> changed = new HashMap<>(ofLoggers);
    from.ofLoggers.keySet().stream().filter(logger -> !to.ofLoggers.containsKey(logger)).forEach(changed::remove);
    to.ofLoggers.forEach((logger, level) -> {
      if (!level.equals(from.ofLoggers.get(logger))) changed.put(logger, level);
    });
    return new LevelRules(from.fallback == to.fallback ? fallback : to.fallback, Map.copyOf(changed));
  }

  private static boolean isOfStatements(String rule) {
    for (int i = 0; i < rule.length(); i++) {
      if (OF_STATEMENTS.indexOf(rule.charAt(i)) >= 0) return true;
    }
    return false;
  }

  /** Returns the level of loggers that have no rule. */
  int fallback() {
    return fallback;
  }

  int levelOf(String logger) {
    for (String name = logger; !name.isEmpty(); name = name.substring(0, Math.max(0, name.lastIndexOf('.')))) {
      Integer level = ofLoggers.get(name);
      if (level != null) return level;
    }
    return fallback;
  }
}
