package io.github.steno.machine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the user must know though it cannot be logged: a line on stderr, each once. Any thread. */
public final class Notices {
  private static final int MOST = 100;
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  public static void say(String what) {
    if (SAID.size() < MOST && SAID.add(what)) System.err.println("steno: " + what);
  }

  private Notices() {}
}
