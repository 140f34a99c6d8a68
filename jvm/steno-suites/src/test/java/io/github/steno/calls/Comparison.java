package io.github.steno.calls;

import io.github.steno.DrainedLog;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Writes what the original backend made of each call into a file, to be compared with the log. */
final class Comparison implements AutoCloseable {
  /**
   * Stands for a record that the original has lost, or has no better text for: any text that names a failure matches.
   */
  static final String FAILURE = "\u0002";
  /** Stands for a record that the original has lost by a fault of its own: any text matches. */
  static final String ANY = "\u0003";

  private static final String[] KEYS = {"request", "marker", ""};
  /** The pattern with which {@code steno cat} prints a record as it stands in the file. */
  static final String PATTERN = "{level} [{arg:marker}] [{arg:request}] [{arg:mdc.marker}] [{arg:mdc.empty}] {message}";
  static final String PATTERN_WITHOUT_CONTEXT = "{level} [] [] [] [] {message}";

  private final Map<String, String> context = new HashMap<>();
  /** The records that the original has made since the last call. */
  private final List<String> recorded = new ArrayList<>();
  private final Writer out;

  Comparison(Path expected) throws IOException {
    out = Files.newBufferedWriter(expected);
  }

  /** A record of the original. */
  void record(String level, String marker, String message, Throwable thrown) {
    recorded.add(head(level, marker) + message + (thrown == null ? "" : '\n' + trace(thrown)));
  }

  /** One that is to be named as a failure. */
  void recordFailure(String level, String marker) {
    recorded.add(head(level, marker) + FAILURE);
  }

  /** One of any text. */
  void recordAny(String level, String marker) {
    recorded.add(head(level, marker) + ANY);
  }

  /** Changes the thread's context now and then, in the same way here and there: some keys clash with the names that others have. */
  void changeContext(RandomValues values, BiConsumer<String, String> put, Consumer<String> remove, Runnable clear) {
    String key = KEYS[values.below(KEYS.length)];
    switch (values.below(40)) {
      case 0, 1, 2, 3 -> {
        String value = "value " + values.below(5);
        context.put(key, value);
        put.accept(key, value);
      }
      case 4, 5 -> {
        context.remove(key);
        remove.accept(key);
      }
      case 6 -> {
        context.clear();
        clear.run();
      }
      default -> { }
    }
  }

  private String head(String level, String marker) {
    StringBuilder head = new StringBuilder(level).append(" [").append(marker == null ? "" : marker).append(']');
    for (String key : KEYS) head.append(" [").append(context.getOrDefault(key, "")).append(']');
    return head.append(' ').toString();
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString().stripTrailing();
  }

  boolean hasRecorded() {
    return !recorded.isEmpty();
  }

  /** Makes the call; what it throws is a failure of the test. */
  static void call(Object logger, Method method, Object... arguments) {
    try {
      method.invoke(logger, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError(method + " has thrown", e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  void endOfCall() throws IOException {
    for (String text : recorded) {
      out.write(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
      out.write(DrainedLog.END);
    }
    recorded.clear();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
