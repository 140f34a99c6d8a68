package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class LevelRulesTest {
  @Test
  void theLongestNameThatLeadsToTheLoggerDecides() {
    LevelRules rules = new LevelRules.Builder().add("warn, com.acme = debug,com.acme.net=off", "test").build();
    assertEquals(Levels.WARN, rules.levelOf("org.other"));
    assertEquals(Levels.WARN, rules.levelOf("com.acmes"));
    assertEquals(Levels.DEBUG, rules.levelOf("com.acme"));
    assertEquals(Levels.DEBUG, rules.levelOf("com.acme.db.Pool"));
    assertEquals(Levels.OFF, rules.levelOf("com.acme.net.http"));
    assertEquals(Levels.WARN, rules.levelOf(""));
  }

  @Test
  void propertiesNameLoggers() {
    Properties properties = new Properties();
    properties.setProperty("steno.level", "error");
    properties.setProperty("steno.level.com.acme", "TRACE");
    Config config = Config.of(properties);
    assertEquals(Levels.ERROR, config.levels.levelOf("org.other"));
    assertEquals(Levels.TRACE, config.levels.levelOf("com.acme.Main"));
  }

  @Test
  void whatIsNoLevelOrNumberLeavesTheDefault() {
    Properties properties = new Properties();
    properties.setProperty("steno.level", "loud");
    properties.setProperty("steno.ring_bytes", "many");
    properties.setProperty("steno.when_full", "explode");
    Config config = Config.of(properties);
    assertEquals(Levels.INFO, config.levels.levelOf("a"));
    assertEquals(8 << 20, config.ringBytes);
    assertTrue(!config.drops);
  }
}
