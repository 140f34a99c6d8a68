package io.github.steno;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.event.KeyValuePair;
import org.slf4j.helpers.MessageFormatter;

/** Formats as {@link MessageFormatter} reads them: <code>{}</code>, <code>\{}</code> for braces, <code>\\{}</code> behind a backslash. */
public final class Slf4jSyntax implements MessageSyntax {
  public static final Slf4jSyntax INSTANCE = new Slf4jSyntax(TraceStyle.JAVA);

  private final TraceStyle traces;

  /** Makes the syntax of a library that prints stack traces in its own way. */
  public Slf4jSyntax(TraceStyle traces) {
    this.traces = traces;
  }

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

  @Override
  public TraceStyle traces() {
    return traces;
  }

  /**
   * A format, and arguments behind those of key-values that stand before it as {@code key=value}, as SLF4J puts them.
   *
   * @param names of the first fields in the log: the keys that may be names there; null: it has none
   */
  public record Composed(String format, String[] names, Object[] arguments) {
    /**
     * @param first texts that stand before all else
     * @param pairs null: none
     * @param arguments null: none
     */
    public static Composed of(List<String> first, List<KeyValuePair> pairs, String message, Object[] arguments) {
      StringBuilder format = new StringBuilder();
      List<String> names = new ArrayList<>();
      List<Object> all = new ArrayList<>();
      for (String text : first) {
        format.append("{} ");
        names.add(null);
        all.add(text);
      }
      for (KeyValuePair pair : pairs == null ? List.<KeyValuePair>of() : pairs) {
        boolean plain = pair.key != null && pair.key.indexOf('{') < 0;
        format.append(plain ? pair.key : "{}").append("={} ");
        if (!plain) {
          names.add(null);
          all.add(pair.key);
        }
        names.add(isName(pair.key) && !names.contains(pair.key) ? pair.key : null);
        all.add(pair.value);
      }
      format.append(message);
      if (arguments != null) all.addAll(Arrays.asList(arguments));
      return new Composed(format.toString(), names.toArray(new String[0]), all.toArray());
    }

    /**
     * Returns whether a key is a valid field name (spec/types.md): words of letters, digits and _, with dots between.
     */
    private static boolean isName(String key) {
      boolean begins = true;
      for (int i = 0; key != null && i < key.length(); i++) {
        char c = key.charAt(i);
        boolean isLetter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
        boolean isInside = c == '.' || c >= '0' && c <= '9';
        if (!isLetter && (begins || !isInside)) return false;
        begins = c == '.';
      }
      return !begins;
    }
  }
}
