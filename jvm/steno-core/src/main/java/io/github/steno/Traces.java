package io.github.steno;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Throwables as text, with their causes and what they suppressed, as Java prints them. */
final class Traces {
  static String render(Throwable thrown) {
    try {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      int end = text.getBuffer().length();
      while (end > 0 && text.getBuffer().charAt(end - 1) == '\n') end--;
      return text.getBuffer().substring(0, end);
    } catch (RuntimeException | StackOverflowError e) {
      return thrown.getClass().getName() + " [FAILED printStackTrace(): " + e.getClass().getName() + "]";
    }
  }

  private Traces() {}
}
