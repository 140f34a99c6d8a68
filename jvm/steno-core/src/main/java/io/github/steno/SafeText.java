package io.github.steno;

import java.util.function.Supplier;

/**
 * Texts that the program's code makes: of what it throws, whatever that is, the text names the failure, so that the record is kept and
 * the caller goes on. Stateless; any thread.
 */
public final class SafeText {
  /** The text of an object. */
  public static String of(Object value) {
    try {
      return String.valueOf(value);
    } catch (Throwable e) {
      return failure(e);
    }
  }

  /** The text that stands for one that could not be made. */
  public static String failure(Throwable cause) {
    return failure("toString", cause);
  }

  private static String failure(String method, Throwable cause) {
    return "[FAILED " + method + "(): " + cause.getClass().getName() + "]";
  }

  /** Asks a supplier for its value; a text stands for it if that fails. */
  public static Object supplied(Supplier<?> supplier) {
    try {
      return supplier.get();
    } catch (Throwable e) {
      return failure("get", e);
    }
  }

  /** Asks a message for its text; null: the message is null. */
  public static String suppliedText(Supplier<String> supplier) {
    try {
      return supplier.get();
    } catch (Throwable e) {
      return failure("get", e);
    }
  }

  /** The text of an argument, as {@link MessageSyntax#render} makes it. */
  static String render(MessageSyntax syntax, Object value) {
    try {
      String text = syntax.render(value);
      return text == null ? "null" : text;
    } catch (Throwable e) {
      return failure(e);
    }
  }

  /** A whole message, as {@link MessageSyntax#format} makes it; where that fails, the format with the failure behind it. */
  static String format(MessageSyntax syntax, String format, Object[] all) {
    try {
      String text = syntax.format(format, all);
      return text == null ? "null" : text;
    } catch (Throwable e) {
      return format + ' ' + failure(e);
    }
  }

  private SafeText() {}
}
