package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class LevelRulesTest {
  @Test
  void theLongestNameThatLeadsToTheLoggerDecides() {
    LevelRules rules = LevelRules.NONE.with("warn, com.acme = debug,com.acme.net=off", Assertions::fail);
    assertEquals(Levels.WARN, rules.levelOf("org.other"));
    assertEquals(Levels.WARN, rules.levelOf("com.acmes"));
    assertEquals(Levels.DEBUG, rules.levelOf("com.acme"));
    assertEquals(Levels.DEBUG, rules.levelOf("com.acme.db.Pool"));
    assertEquals(Levels.OFF, rules.levelOf("com.acme.net.http"));
    assertEquals(Levels.WARN, rules.levelOf(""));
  }

  @Test
  void rulesAreForgottenAndProblemsTold() {
    LevelRules rules = LevelRules.NONE.with("warn,a=0,a.b=Fatal,c=off", Assertions::fail);
    assertEquals(Levels.CRITICAL, rules.levelOf("a.b.c"));
    LevelRules without = rules.with("a.b=inherit", Assertions::fail);
    assertEquals(Levels.TRACE, without.levelOf("a.b.c"));
    assertEquals(Levels.OFF, without.levelOf("c"));
    LevelRules reset = without.with("reset,d=debug", Assertions::fail);
    assertEquals(Levels.WARN, reset.levelOf("a.b.c"));
    assertEquals(Levels.DEBUG, reset.levelOf("d"));
    List<String> problems = new ArrayList<>();
    LevelRules some = rules.with("loud,storage.cc:120=debug,\"link lost\"=off,retry*=trace,a/b.cc=off,e=,f=debug", problems::add);
    assertEquals(6, problems.size(), problems.toString());
    assertEquals(Levels.DEBUG, some.levelOf("f"));
    assertEquals(Levels.WARN, some.levelOf("g"));
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

  /** Frameworks set levels of loggers whose names no rule as text could have. */
  @Test
  void anyNameCanBeSetAndReset() {
    Channels channels = new Channels(LevelRules.NONE.with("warn,a=debug", Assertions::fail));
    String tomcats = "org.ContainerBase.[Tomcat].[localhost].[/]";
    channels.setRule(tomcats, Levels.TRACE);
    channels.setRule("", Levels.ERROR);
    channels.setRule("a", Levels.OFF);
    assertEquals(Levels.TRACE, channels.rules().levelOf(tomcats + ".[servlet]"));
    assertEquals(Levels.TRACE, channels.rules().rule(tomcats));
    assertEquals(LoggerLevels.NO_RULE, channels.rules().rule(tomcats + ".[servlet]"));
    assertEquals(Levels.ERROR, channels.rules().rule(LoggerLevels.DEFAULT));
    assertEquals(Levels.OFF, channels.rules().levelOf("a.b"));
    for (String logger : List.of(tomcats, "", "a")) channels.resetRule(logger);
    assertEquals(Levels.WARN, channels.rules().levelOf(tomcats));
    assertEquals(Levels.WARN, channels.rules().levelOf("a.b"));
    for (int i = 0; i < 5000; i++) channels.setRule("l" + i, Levels.DEBUG);
    assertEquals(Levels.DEBUG, channels.rules().levelOf("l4095"));
    assertEquals(Levels.WARN, channels.rules().levelOf("l4096"));
    channels.setRule("l1", Levels.OFF);
    assertEquals(Levels.OFF, channels.rules().levelOf("l1"));
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
