package io.github.steno.agent;

import java.util.List;

/** The agent as users have it. */
final class AgentJar {
  static List<String> options() {
    return List.of("-javaagent:" + System.getProperty("steno.agent"));
  }

  private AgentJar() {}
}
