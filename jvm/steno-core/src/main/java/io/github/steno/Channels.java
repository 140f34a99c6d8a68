package io.github.steno;

import io.github.steno.machine.Notices;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The loggers of a session, and what levels they have. Any thread. */
final class Channels {
  private final ConcurrentHashMap<MessageSyntax, ConcurrentHashMap<String, Channel>> bySyntax = new ConcurrentHashMap<>();
  /** Written under this object's lock, together with the thresholds of all channels. */
  private volatile LevelRules rules;
  /** The rules of the configuration when it was read last. */
  private LevelRules configured;

  Channels(LevelRules configured) {
    this.configured = configured;
    this.rules = configured;
  }

  /** Returns one channel for each pair of name and syntax. */
  Channel of(String name, MessageSyntax syntax, Session session) {
    ConcurrentHashMap<String, Channel> byName = bySyntax.get(syntax);
    Channel known = byName == null ? null : byName.get(name);
    return known != null ? known : make(name, syntax, session);
  }

  private synchronized Channel make(String name, MessageSyntax syntax, Session session) {
    ConcurrentHashMap<String, Channel> byName = bySyntax.get(syntax);
    if (byName == null) bySyntax.put(syntax, byName = new ConcurrentHashMap<>());
    Channel known = byName.get(name);
    if (known != null) return known;
    Channel made = new Channel(name, rules.levelOf(name), session, syntax);
    byName.put(name, made);
    return made;
  }

  List<Channel> all() {
    List<Channel> all = new ArrayList<>();
    for (ConcurrentHashMap<String, Channel> byName : bySyntax.values()) all.addAll(byName.values());
    return all;
  }

  LevelRules rules() {
    return rules;
  }

  /** Adds rules to those there are, at once, for loggers that come later, too. */
  void addRules(String text, Consumer<String> problems) {
    change(before -> before.with(text, problems));
  }

  /** Sets the level of one logger, whatever its name. Beyond the most rules that there may be, nothing changes, which is told. */
  void setRule(String logger, int level) {
    change(before -> {
      if (before.hasRoomFor(logger)) return before.with(logger, level);
      Notices.say("the level of a logger is not set: there are rules for too many loggers");
      return before;
    });
  }

  /** Forgets the rule of one logger; for the default, has what the configuration says. */
  void resetRule(String logger) {
    change(before -> logger.isEmpty() ? before.with(logger, configured.fallback()) : before.without(logger));
  }

  /** Has the levels of the file of options, if that has changed; of what has not, those that were set since. */
  void follow(Config config) {
    if (config.file == null || !config.file.hasChanged()) return;
    LevelRules now = config.readLevels();
    if (now == null) return;
    change(before -> before.changed(configured, now));
    configured = now;
  }

  private synchronized void change(UnaryOperator<LevelRules> change) {
    rules = change.apply(rules);
    for (Channel channel : all()) channel.setThreshold(rules.levelOf(channel.name));
  }
}
