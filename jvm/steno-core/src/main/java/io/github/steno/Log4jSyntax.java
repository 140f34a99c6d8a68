package io.github.steno;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.message.ParameterizedMessage;

/**
 * Formats as {@link ParameterizedMessage} reads them: <code>{}</code>; a backslash takes its meaning from what comes next, but
 * is otherwise printed as it is; a format without a field is printed as it is.
 */
public final class Log4jSyntax implements MessageSyntax {
  public static final Log4jSyntax INSTANCE = new Log4jSyntax();

  @Override
  public String[] parse(String format, int arguments) {
    List<String> pieces = new ArrayList<>();
    int begin = 0;
    boolean escaped = false;
    boolean hasFields = false;
    for (int i = 0; i < format.length() - 1; i++) {
      char c = format.charAt(i);
      if (c == '\\') {
        escaped = !escaped;
        continue;
      }
      if (!escaped && c == '{' && format.charAt(i + 1) == '}') {
        hasFields = true;
        if (pieces.size() == arguments) break;
        pieces.add(unescape(format, begin, i));
        begin = i + 2;
        i++;
      }
      escaped = false;
    }
    boolean isVerbatim = !hasFields || arguments == 0;
    pieces.add(isVerbatim ? format : unescape(format, begin, format.length()));
    return pieces.toArray(new String[0]);
  }

  private static String unescape(String format, int begin, int end) {
    StringBuilder piece = new StringBuilder(end - begin);
    boolean escaped = false;
    for (int i = begin; i < end; i++) {
      char c = format.charAt(i);
      if (c == '\\') {
        if (!escaped) piece.append(c);
        escaped = !escaped;
        continue;
      }
      if (escaped && c == '{' && i + 1 < format.length() && format.charAt(i + 1) == '}') {
        piece.setLength(piece.length() - 1);
        piece.append("{}");
        i++;
      } else {
        piece.append(c);
      }
      escaped = false;
    }
    return piece.toString();
  }

  /**
   * Arrays and collections by their elements, and a {@code toString()} that throws, are that class's affair as well; not so what
   * makes texts otherwise, as a {@code CharSequence} does.
   */
  @Override
  public String render(Object argument) {
    try {
      return ParameterizedMessage.deepToString(argument);
    } catch (Throwable e) {
      return failure(argument, e);
    }
  }

  /** Returns the text that Log4j prints for an object whose {@code toString()} throws. */
  static String failure(Object value, Throwable cause) {
    String name = cause.getClass().getName();
    String message = messageOf(cause);
    return ParameterizedMessage.ERROR_PREFIX + ParameterizedMessage.identityToString(value) + ParameterizedMessage.ERROR_SEPARATOR + name
        + (name.equals(message) ? "" : ParameterizedMessage.ERROR_MSG_SEPARATOR + message) + ParameterizedMessage.ERROR_SUFFIX;
  }

  private static String messageOf(Throwable cause) {
    try {
      return cause.getMessage();
    } catch (Throwable e) {
      return SafeText.failure(e);
    }
  }

  /** The text of a format with fields, but without any argument. */
  static String formatNothing(String format) {
    return ParameterizedMessage.countArgumentPlaceholders(format) == 0 ? format : unescape(format, 0, format.length());
  }

  /**
   * Arguments that print a text again that Log4j made of a format and its arguments, without asking these: those that are stored as they
   * are, and of others their part of it. null: it is not known which part is whose.
   */
  Object[] partsOf(String text, String format, Object[] arguments) {
    Object[] parts = arguments.clone();
    String[] pieces = parse(format, arguments.length);
    if (!text.startsWith(pieces[0])) return null;
    int at = pieces[0].length();
    for (int i = 0; i < pieces.length - 1; i++) {
      int end = at;
      if (isStoredAsItIs(arguments[i])) {
        String known = String.valueOf(arguments[i]);
        if (!text.startsWith(known, at)) return null;
        end += known.length();
      } else {
        int next = i + 1;
        StringBuilder after = new StringBuilder(pieces[next]);
        while (next < pieces.length - 1 && isStoredAsItIs(arguments[next])) after.append(arguments[next]).append(pieces[++next]);
        boolean isLast = next == pieces.length - 1;
        if (!isLast && after.length() == 0) return null;
        end = isLast ? text.length() - after.length() : text.indexOf(after.toString(), at);
        if (end < at) return null;
        parts[i] = text.substring(at, end);
      }
      if (!text.startsWith(pieces[i + 1], end)) return null;
      at = end + pieces[i + 1].length();
    }
    return at == text.length() ? parts : null;
  }

  private static boolean isStoredAsItIs(Object argument) {
    return argument == null || argument instanceof String || argument instanceof Integer || argument instanceof Long
        || argument instanceof Double || argument instanceof Boolean || argument instanceof Float || argument instanceof Short
        || argument instanceof Byte || argument instanceof Character;
  }

  @Override
  public String format(String format, Object[] arguments) {
    return ParameterizedMessage.format(format, arguments);
  }

  private Log4jSyntax() {}
}
