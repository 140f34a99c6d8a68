package io.github.steno;

/** How a logging interface's formats are spelt, and how it makes text of arguments. Stateless; any thread. */
public interface MessageSyntax {
  /**
   * The literal pieces of a format, around the arguments that it prints when it has so many or more: one piece more than
   * those.
   */
  String[] parse(String format, int arguments);

  /**
   * The text of an argument that is no string, number, boolean, character or null. Runs the program's code. It says in its own
   * way that this has thrown; where it throws instead, the text says that.
   */
  String render(Object argument);

  /** The whole message. */
  String format(String format, Object[] arguments);

  /** How it prints an exception behind a message. */
  default TraceStyle traces() {
    return TraceStyle.JAVA;
  }
}
