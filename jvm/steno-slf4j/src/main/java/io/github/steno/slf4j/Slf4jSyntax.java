package io.github.steno.slf4j;

import io.github.steno.MessageSyntax;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.helpers.MessageFormatter;

/** Formats as {@link MessageFormatter} reads them: <code>{}</code>, <code>\{}</code> for braces, <code>\\{}</code> behind a backslash. */
final class Slf4jSyntax implements MessageSyntax {
  static final Slf4jSyntax INSTANCE = new Slf4jSyntax();

  @Override
  public String[] parse(String format, int arguments) {
    List<String> pieces = new ArrayList<>();
    StringBuilder piece = new StringBuilder();
    int at = 0;
    for (int printed = 0; printed < arguments; ) {
      int field = format.indexOf("{}", at);
      if (field < 0) break;
      boolean escaped = field > 0 && format.charAt(field - 1) == '\\';
      boolean isField = !escaped || (field > 1 && format.charAt(field - 2) == '\\');
      piece.append(format, at, escaped ? field - 1 : field);
      if (isField) {
        pieces.add(piece.toString());
        piece.setLength(0);
        printed++;
      } else {
        piece.append('{');
      }
      at = field + (isField ? 2 : 1);
    }
    pieces.add(piece.append(format, at, format.length()).toString());
    return pieces.toArray(new String[0]);
  }

  /** Arrays by their elements, and a {@code toString()} that throws, are that class's affair as well. */
  @Override
  public String render(Object argument) {
    return MessageFormatter.basicArrayFormat("{}", new Object[] {argument});
  }

  @Override
  public String format(String format, Object[] arguments) {
    return MessageFormatter.basicArrayFormat(format, arguments);
  }

  private Slf4jSyntax() {}
}
