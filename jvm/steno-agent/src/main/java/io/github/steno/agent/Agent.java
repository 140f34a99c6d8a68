package io.github.steno.agent;

import java.lang.instrument.Instrumentation;

/** {@code -javaagent:steno-agent.jar}: calls of loggers in classes that are loaded from now on become statements. */
public final class Agent {
  public static void premain(String options, Instrumentation instrumentation) {
    instrumentation.addTransformer(new Weaver());
  }

  private Agent() {}
}
