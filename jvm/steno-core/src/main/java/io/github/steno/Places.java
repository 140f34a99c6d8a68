package io.github.steno;

import io.github.steno.staging.Location;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Statements that have been met, and of which it is not known yet whether they are in several lines: calls with the same format, of one
 * logger and level, are one statement. Added by any thread; looked at by one, for class files are read, which is not to delay a call.
 */
final class Places {
  private record Met(Statement statement, WeakReference<Class<?>> type, int line) {}

  private final ConcurrentLinkedQueue<Met> met = new ConcurrentLinkedQueue<>();
  private final Map<Class<?>, ConstantCalls> known = new WeakHashMap<>();

  void add(Statement statement, Location.Caller caller) {
    if (caller.type() != null) met.add(new Met(statement, new WeakReference<>(caller.type()), caller.location().line()));
  }

  void look() {
    for (Met next = met.poll(); next != null; next = met.poll()) {
      Class<?> type = next.type.get();
      if (type == null) continue;
      ConstantCalls calls = known.computeIfAbsent(type.getNestHost(), ConstantCalls::new);
      if (calls.isShared(next.statement.format, type.getName(), next.line)) next.statement.isInOtherLines();
    }
  }
}
