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
import java.util.List;

/** Writes what the original backend made of each call into a file, to be compared with the log. */
final class Comparison implements AutoCloseable {
  /** For a record that the original has lost, or has no better text for: any text that names a failure. */
  static final String FAILURE = "\u0002";
  /** For a record that the original has lost by a fault of its own: any text. */
  static final String ANY = "\u0003";

  /** What the original has recorded since the last call. */
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

  private static String head(String level, String marker) {
    return level + " [" + (marker == null ? "" : marker) + "] ";
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
