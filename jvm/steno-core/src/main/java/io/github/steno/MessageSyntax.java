package io.github.steno;

/** Describes the formats of a logging interface, and makes text of arguments as it does. Stateless; any thread. */
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

  /** Returns how it prints an exception after a message. */
  default TraceStyle traces() {
    return TraceStyle.JAVA;
  }
}
