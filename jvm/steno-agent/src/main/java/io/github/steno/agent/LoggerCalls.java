package io.github.steno.agent;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/** The methods of SLF4J's and Log4j's loggers that take a format, or a message, as a text. */
final class LoggerCalls {
  private static final String SLF4J = "org/slf4j/Logger";
  private static final String LOG4J = "org/apache/logging/log4j/Logger";
  private static final String STRING = "Ljava/lang/String;";
  private static final String OBJECT = "Ljava/lang/Object;";
  static final String ARRAY = "[Ljava/lang/Object;";
  static final String THROWABLE = "Ljava/lang/Throwable;";
  private static final int MOST_OBJECTS = 10;

  /** The numbers that the log has for levels. */
  private static final Map<String, Integer> LEVELS =
      Map.of("trace", 0, "debug", 1, "info", 2, "warn", 4, "error", 5, "fatal", 6);

  /** A call, described by what is on the stack: the logger, perhaps a marker, the format, and a number of arguments. */
  record Call(int level, boolean hasMarker, int arguments) {
    int format() {
      return hasMarker ? 2 : 1;
    }
  }

  private static final Map<String, Call> CALLS = calls();

  private static Map<String, Call> calls() {
    Map<String, Call> calls = new HashMap<>();
    LEVELS.forEach((name, level) -> {
      add(calls, LOG4J, "Lorg/apache/logging/log4j/Marker;", name, level, MOST_OBJECTS);
      if (!name.equals("fatal")) add(calls, SLF4J, "Lorg/slf4j/Marker;", name, level, 2);
    });
    return calls;
  }

  private static void add(Map<String, Call> calls, String logger, String marker, String name, int level, int most) {
    for (String before : new String[] {"", marker}) {
      String begin = logger + '.' + name + '(' + before + STRING;
      for (int i = 0; i <= most; i++) calls.put(begin + OBJECT.repeat(i) + ")V", new Call(level, !before.isEmpty(), i));
      calls.put(begin + ARRAY + ")V", new Call(level, !before.isEmpty(), 1));
      calls.put(begin + THROWABLE + ")V", new Call(level, !before.isEmpty(), 1));
    }
  }

  static boolean isLogger(String type) {
    return type.equals(SLF4J) || type.equals(LOG4J);
  }

  /** Returns whether a class belongs to a logging interface itself. Such classes call loggers on behalf of others. */
  static boolean isOfAnInterface(String type) {
    return type.startsWith("org/slf4j/") || type.startsWith("org/apache/logging/log4j/");
  }

  /** Returns null if it is no call of a logger. */
  static Call find(MethodInsnNode call) {
    return call.getOpcode() == Opcodes.INVOKEINTERFACE ? find(call.owner, call.name, call.desc) : null;
  }

  static Call find(String owner, String name, String descriptor) {
    return isLogger(owner) ? CALLS.get(owner + '.' + name + descriptor) : null;
  }

  /** Returns the type that a compiler's boxing call takes; null if the instruction is no such call. */
  static Type boxed(AbstractInsnNode instruction) {
    if (instruction.getOpcode() != Opcodes.INVOKESTATIC) return null;
    MethodInsnNode call = (MethodInsnNode) instruction;
    boolean boxes = call.owner.equals("scala/runtime/BoxesRunTime") ? call.name.startsWith("boxTo")
        : call.name.equals("valueOf") && BOXES.containsKey(call.owner);
    if (!boxes) return null;
    Type[] taken = Type.getArgumentTypes(call.desc);
    String box = Type.getReturnType(call.desc).getInternalName();
    return taken.length == 1 && taken[0].getDescriptor().equals(BOXES.get(box)) ? taken[0] : null;
  }

  private static final Map<String, String> BOXES = Map.of("java/lang/Integer", "I", "java/lang/Long", "J", "java/lang/Double",
      "D", "java/lang/Float", "F", "java/lang/Boolean", "Z", "java/lang/Character", "C", "java/lang/Short", "S",
      "java/lang/Byte", "B");

  private LoggerCalls() {}
}
