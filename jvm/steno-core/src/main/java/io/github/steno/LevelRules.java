package io.github.steno;

import java.util.HashMap;
import java.util.Map;

/** Which level a logger has: that of the rule for its name, else for the name up to a dot, else the default. Immutable. */
final class LevelRules {
  private final int fallback;
  private final Map<String, Integer> ofLoggers;

  private LevelRules(int fallback, Map<String, Integer> ofLoggers) {
    this.fallback = fallback;
    this.ofLoggers = ofLoggers;
  }

  static final class Builder {
    private int fallback = Levels.INFO;
    private final Map<String, Integer> ofLoggers = new HashMap<>();

    /** {@code info,com.acme=debug}: later rules win. What is no rule is told and left out. */
    Builder add(String rules, String where) {
      for (String rule : rules.split(",")) {
        if (rule.isBlank()) continue;
        int equals = rule.indexOf('=');
        add(equals < 0 ? "" : rule.substring(0, equals).trim(), rule.substring(equals + 1), where);
      }
      return this;
    }

    /** @param logger empty: the default */
    Builder add(String logger, String level, String where) {
      int parsed = Levels.parse(level);
      if (parsed < 0) {
        Notices.say(where + ": '" + level.trim()
            + "' is no level; there are trace, debug, info, notice, warn, error, critical and off");
      } else if (logger.isEmpty()) {
        fallback = parsed;
      } else {
        ofLoggers.put(logger, parsed);
      }
      return this;
    }

    LevelRules build() {
      return new LevelRules(fallback, Map.copyOf(ofLoggers));
    }
  }

  int levelOf(String logger) {
    for (String name = logger; !name.isEmpty(); name = name.substring(0, Math.max(0, name.lastIndexOf('.')))) {
      Integer level = ofLoggers.get(name);
      if (level != null) return level;
    }
    return fallback;
  }
}
