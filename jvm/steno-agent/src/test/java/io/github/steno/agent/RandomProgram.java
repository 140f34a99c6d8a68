package io.github.steno.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.steno.RandomMessages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import javax.tools.ToolProvider;

/** The source of a program that logs by SLF4J and by Log4j, each call with another format and other kinds of arguments. */
final class RandomProgram {
  private static final int CALLS_PER_METHOD = 20;
  private static final int RUNS = 3;
  private static final String[] LEVELS = {"trace", "debug", "info", "warn", "error"};
  /** Arguments with side effects, so that another order of evaluation gives other values. */
  private static final String[] ARGUMENTS = {"i()", "i()", "l()", "d()", "f()", "z()", "c()", "(short) i()", "(byte) i()",
      "text()", "text()", "object()", "null", "\"constant\"", "boxed()", "z() ? i() : l()", "z() ? boxed() : null",
      "z() ? text() : \"no\"", "z() ? i() : text()", "(Object) array()", "\"n\" + i()", "i() + 1",
      "switch (i() & 3) { case 0 -> l(); case 1 -> 1; default -> 7L; }", "new StringBuilder(z() ? \"a\" : \"b\").append(i())",
      "Integer.valueOf(i())", "apply(() -> i())", "new Logs()", "new Fails()", "thrown()", "long.class"};

  private static final String HEAD = """
      import io.github.steno.RandomMessages;
      import java.util.SplittableRandom;
      import java.util.function.Supplier;

      final class Generated {
        private static final org.slf4j.Logger S = org.slf4j.LoggerFactory.getLogger("slf4j");
        private static final org.apache.logging.log4j.Logger L = org.apache.logging.log4j.LogManager.getLogger("log4j");
        private static final org.slf4j.Marker SM = org.slf4j.MarkerFactory.getMarker("S");
        private static final org.apache.logging.log4j.Marker LM = org.apache.logging.log4j.MarkerManager.getMarker("L");
        private static final SplittableRandom random = new SplittableRandom(5);
        private static final RandomMessages messages = new RandomMessages(17);
        static int i() { return random.nextInt(); }
        static long l() { return random.nextLong(); }
        static double d() { return random.nextBoolean() ? random.nextInt(-1000, 1000) / 100.0 : Double.longBitsToDouble(l()); }
        static float f() { return random.nextBoolean() ? random.nextInt(-1000, 1000) / 100f : Float.intBitsToFloat(i()); }
        static boolean z() { return random.nextBoolean(); }
        static char c() { return (char) random.nextInt(0x20, 0x10000); }
        static String text() { return z() ? "text " + random.nextInt(1000) : random.nextInt(8) == 0 ? null : "t\\u00e9xt"; }
        static Integer boxed() { return random.nextInt(4) == 0 ? null : (Integer) i(); }
        static Object[] array() { return z() ? messages.arguments() : z() ? null : new Object[] {i(), thrown()}; }
        static Object object() { Object[] some = messages.arguments(); return some.length == 0 ? "" : some[0]; }
        static Throwable thrown() { return z() ? new IllegalStateException("why " + random.nextInt(100)) : null; }
        static <T> T apply(Supplier<T> supplier) { return supplier.get(); }
        static final class Logs {
          @Override public String toString() { S.info("within {}", i()); L.info("within {}", i()); return "logs"; }
        }
        static final class Fails {
          @Override public String toString() { throw new IllegalArgumentException("no text"); }
        }
      """;

  private final StringBuilder source = new StringBuilder(HEAD);
  private final RandomMessages messages = new RandomMessages(23);
  private final SplittableRandom random = new SplittableRandom(29);
  /** The places of the calls that are enabled at level debug, in the order of the calls. */
  private final List<String> places = new ArrayList<>();
  private int line = HEAD.split("\n").length;

  /** Compiles a program with so many calls. */
  static RandomProgram compile(Path directory, int calls) throws IOException {
    RandomProgram program = new RandomProgram();
    int methods = calls / CALLS_PER_METHOD;
    for (int m = 0; m < methods; m++) program.addMethod(m);
    program.addMain(methods);
    Path file = directory.resolve("Generated.java");
    Files.writeString(file, program.source);
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-g", "-nowarn", "--release", "17", "-cp",
        System.getProperty("java.class.path"), "-d", directory.toString(), file.toString());
    assertEquals(0, code);
    return program;
  }

  /** Returns the places in the order of the log, where records within others' arguments have none. */
  List<String> places() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) all.addAll(places);
    return all;
  }

  private void add(String text) {
    source.append(text).append('\n');
    line++;
  }

  private void addMethod(int number) {
    add("  static void m" + number + "() {");
    boolean tries = number % 2 == 0;
    if (tries) add("    try {");
    for (int i = 0; i < CALLS_PER_METHOD; i++) {
      String level = LEVELS[random.nextInt(LEVELS.length)];
      boolean bySlf4j = random.nextBoolean();
      if (random.nextInt(40) == 0) add("    org.slf4j.MDC.put(\"request\", text());");
      add("    " + call(bySlf4j, level));
      if (!level.equals("trace")) places.add("Generated.m" + number + ':' + line);
    }
    if (tries) add("    } catch (IllegalStateException e) { S.error(\"not caught\", e); }");
    add("  }");
  }

  private String call(boolean bySlf4j, String level) {
    StringJoiner call = new StringJoiner(", ", (bySlf4j ? "S." : "L.") + level + '(', ");");
    if (random.nextInt(8) == 0) call.add(bySlf4j ? "SM" : "LM");
    call.add(literal(messages.format()));
    int count = random.nextInt(10) == 0 ? random.nextInt(17) : random.nextInt(5);
    switch (random.nextInt(12)) {
      case 0 -> call.add("array()");
      case 1 -> call.add("thrown()");
      case 2 -> call.add("new Object[] {" + list(count) + '}');
      default -> {
        if (count != 0) call.add(list(count));
      }
    }
    return call.toString();
  }

  private String list(int count) {
    StringJoiner list = new StringJoiner(", ");
    for (int i = 0; i < count; i++) {
      String argument = ARGUMENTS[random.nextInt(ARGUMENTS.length)];
      // Without the cast, null would be the array of all arguments.
      list.add(count == 1 && argument.equals("null") ? "(Object) null" : argument);
    }
    return list.toString();
  }

  private static String literal(String text) {
    StringBuilder literal = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      literal.append(c == '\n' ? "\\n" : c == '\\' || c == '"' ? "\\" + c : c < 127 ? String.valueOf(c) : String.format("\\u%04x", (int) c));
    }
    return literal.append('"').toString();
  }

  private void addMain(int methods) {
    add("  public static void main(String[] arguments) {");
    add("    for (int i = 0; i < " + RUNS + "; i++) {");
    for (int m = 0; m < methods; m++) add("      m" + m + "();");
    add("    }");
    add("  }");
    add("}");
  }
}
