package io.github.steno;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Prints stack traces as a logging interface does, which differs from Java in some words. Methods run the program's
 * code, and may throw what it throws. Stateless; any thread.
 */
public interface TraceStyle {
  /** The style of {@link Throwable#printStackTrace()}. */
  TraceStyle JAVA = new TraceStyle() {
    @Override
    public String head(Throwable thrown) {
      return String.valueOf(thrown);
    }

    @Override
    public String omitted(int frames) {
      return "... " + frames + " more";
    }

    @Override
    public String render(Throwable thrown) {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      return text.toString();
    }
  };

  /** Returns the text before the frames of a throwable, without {@code Caused by: } and the like. */
  String head(Throwable thrown);

  /** Returns the text that stands for frames that the enclosing trace has, too. */
  String omitted(int frames);

  /** Returns the whole trace, with or without a line end after it. */
  String render(Throwable thrown);
}
