package io.github.steno.calls;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;

/** A program that takes it for granted that Log4j's core is behind its interface, as Spark does. */
final class CastProgram {
  public static void main(String[] arguments) {
    Logger root = (Logger) LogManager.getRootLogger();
    root.setLevel(Level.WARN);
    root.warn("by core");
  }

  private CastProgram() {}
}
