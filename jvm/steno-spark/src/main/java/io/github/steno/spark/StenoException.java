package io.github.steno.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A log that cannot be read, or a question that it cannot answer. */
public final class StenoException extends IOException {
  private static final long serialVersionUID = 1;

  /** The value in {@code steno_code}. */
  static final int INVALID_ARGUMENT = 1;

  private final int code;

  /** A failure of the native library, with its {@code text} in UTF-8. */
  StenoException(int code, byte[] text) {
    super(new String(text, StandardCharsets.UTF_8));
    this.code = code;
  }

  /** A mistake in a question. */
  StenoException(String text) {
    super(text);
    code = INVALID_ARGUMENT;
  }

  /** Returns whether the question makes no sense for this log. Another log may well answer it. */
  boolean isOfTheQuestion() {
    return code == INVALID_ARGUMENT;
  }
}
