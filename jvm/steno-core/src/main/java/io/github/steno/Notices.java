package io.github.steno;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the user must know though it cannot be logged: a line on stderr, each once. Any thread. */
final class Notices {
  private static final int MOST = 100;
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  static void say(String what) {
    if (SAID.size() < MOST && SAID.add(what)) System.err.println("steno: " + what);
  }

  private Notices() {}
}
