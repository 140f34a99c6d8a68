package io.github.steno.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/** The number of the last record of each ring of each session. Those of a ring come in order. */
final class Marks implements Serializable {
  private static final long serialVersionUID = 1;

  /** The mark before the first record. */
  static final long NOTHING = -1;

  private final TreeMap<Long, TreeMap<Long, Long>> sessions = new TreeMap<>();

  Map<Long, TreeMap<Long, Long>> all() {
    return sessions;
  }

  long of(long session, long ring) {
    TreeMap<Long, Long> rings = sessions.get(session);
    return rings == null ? NOTHING : rings.getOrDefault(ring, NOTHING);
  }

  void raise(long session, long ring, long last) {
    sessions.computeIfAbsent(session, one -> new TreeMap<>()).merge(ring, last, Math::max);
  }

  void raise(Marks others) {
    others.sessions.forEach((session, rings) -> rings.forEach((ring, last) -> raise(session, ring, last)));
  }

  /** Returns whether some ring is further here. */
  boolean isBeyond(Marks others) {
    return sessions.entrySet().stream().anyMatch(session -> session.getValue().entrySet().stream()
        .anyMatch(ring -> ring.getValue() > others.of(session.getKey(), ring.getKey())));
  }
}
