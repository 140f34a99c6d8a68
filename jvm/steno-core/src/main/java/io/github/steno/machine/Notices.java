package io.github.steno.machine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Prints problems that the user must know of and that cannot be logged, each once, as a line on stderr. Any thread. */
public final class Notices {
  private static final int MOST = 100;
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  public static void say(String what) {
    if (SAID.size() < MOST && SAID.add(what)) System.err.println("steno: " + what);
  }

  private Notices() {}
}
