package io.github.steno.jul;

import io.github.steno.MessageSyntax;
import io.github.steno.SafeText;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;

/**
 * Formats as {@code java.util.logging.Formatter} reads them: those of {@link MessageFormat}, if there is a field with a number
 * in it. Numbers are printed as the locale has them, {@code 1,234}, so they are text here.
 */
final class MessageFormatSyntax implements MessageSyntax {
  static final MessageFormatSyntax INSTANCE = new MessageFormatSyntax();
  private static final String[] NONE = {};

  @Override
  public String[] parse(String format, int arguments) {
    String[] pieces = arguments == 0 ? NONE : fields(format, arguments);
    return pieces.length == 0 ? new String[] {format} : pieces;
  }

  /** Returns whether the format prints all arguments in order, by fields without options, each once. */
  static boolean isPlain(String format, int arguments) {
    return fields(format, arguments).length == arguments + 1;
  }

  private static String[] fields(String format, int arguments) {
    if (format.indexOf('\'') >= 0) return NONE;  // quotes
    List<String> pieces = new ArrayList<>();
    int at = 0;
    while (pieces.size() < arguments) {
      int field = format.indexOf('{', at);
      if (field < 0) break;
      String number = "{" + pieces.size() + "}";
      if (!format.startsWith(number, field)) return NONE;
      pieces.add(format.substring(at, field));
      at = field + number.length();
    }
    if (format.indexOf('{', at) >= 0) return NONE;
    pieces.add(format.substring(at));
    return pieces.toArray(NONE);
  }

  @Override
  public String render(Object argument) {
    try {
      return new MessageFormat("{0}").format(new Object[] {argument});
    } catch (Throwable e) {
      return SafeText.failure(e);
    }
  }

  /**
   * Does the same as {@code Formatter.formatMessage}; but if an argument's text cannot be made, the text names the
   * failure.
   */
  @Override
  public String format(String format, Object[] arguments) {
    if (!hasNumberedField(format)) return format;
    try {
      return MessageFormat.format(format, arguments);
    } catch (Throwable e) {
      return formatWithFailures(format, arguments);
    }
  }

  private static String formatWithFailures(String format, Object[] arguments) {
    Object[] texts = arguments.clone();
    for (int i = 0; i < texts.length; i++) {
      boolean isOfAKind = texts[i] == null || texts[i] instanceof Number || texts[i] instanceof Date;  // fields may be of that kind
      if (!isOfAKind) texts[i] = SafeText.of(texts[i]);
    }
    try {
      return MessageFormat.format(format, texts);
    } catch (Throwable e) {
      return format;
    }
  }

  static boolean hasNumberedField(String format) {
    for (int at = format.indexOf('{'); at >= 0 && at < format.length() - 1; at = format.indexOf('{', at + 1)) {
      char digit = format.charAt(at + 1);
      if (digit >= '0' && digit <= '9') return true;
    }
    return false;
  }

  private MessageFormatSyntax() {}
}
