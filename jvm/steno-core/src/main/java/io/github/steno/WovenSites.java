package io.github.steno;

import io.github.steno.staging.Location;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/** The statements of call sites that the agent wove and that have been run. Any thread. */
final class WovenSites {
  private static final int MOST = 1 << 16;

  private record Site(MessageSyntax syntax, int level, String format, Location location) {}

  /** An application that comes again has the same. */
  private final ConcurrentHashMap<Site, Statement> known = new ConcurrentHashMap<>();

  /** Returns null if there can be no more statements. */
  Statement statement(MessageSyntax syntax, int level, String format, Location location) {
    Site site = new Site(syntax, level, format, location);
    Statement there = known.get(site);
    if (there != null || known.size() >= MOST) return there;
    return known.computeIfAbsent(site, any -> new Statement(level, format, null, location, syntax));
  }

  Collection<Statement> all() {
    return known.values();
  }
}
