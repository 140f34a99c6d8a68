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

  /** Arrays and collections by their elements, and a {@code toString()} that throws, are that class's affair as well. */
  @Override
  public String render(Object argument) {
    return ParameterizedMessage.deepToString(argument);
  }

  @Override
  public String format(String format, Object[] arguments) {
    return ParameterizedMessage.format(format, arguments);
  }

  private Log4jSyntax() {}
}
