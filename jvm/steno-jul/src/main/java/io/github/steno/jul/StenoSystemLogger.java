package io.github.steno.jul;

import io.github.steno.Channel;
import io.github.steno.Levels;
import io.github.steno.SafeText;
import io.github.steno.Session;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.function.Supplier;

/** A {@code System.Logger}. The session is opened when it is first used, for the JDK itself has some. Any thread. */
final class StenoSystemLogger implements System.Logger {
  private static final String BOUNDARY = StenoSystemLogger.class.getName();

  private final String name;
  private volatile Channel channel;

  StenoSystemLogger(String name) {
    this.name = name;
  }

  @Override
  public String getName() {
    return name;
  }

  private Channel channel() {
    Channel known = channel;
    if (known != null) return known;
    Session session = Session.ofProcess();
    Channel made = session.channel(name, MessageFormatSyntax.INSTANCE);
    if (!session.isStandIn()) channel = made;
    return made;
  }

  private static int level(Level level) {
    return switch (level) {
      case ALL, TRACE -> Levels.TRACE;
      case DEBUG -> Levels.DEBUG;
      case INFO -> Levels.INFO;
      case WARNING -> Levels.WARN;
      case ERROR -> Levels.ERROR;
      case OFF -> Levels.OFF;
    };
  }

  @Override
  public boolean isLoggable(Level level) {
    return level != Level.OFF && channel().isEnabled(level(level));
  }

  // The interface's own methods would throw the exceptions of the program's code that makes texts. These do not.

  @Override
  public void log(Level level, Object value) {
    Objects.requireNonNull(value);
    if (isLoggable(level)) Messages.log(channel(), level(level), BOUNDARY, null, SafeText.of(value), null, null);
  }

  @Override
  public void log(Level level, Supplier<String> message) {
    log(level, message, null);
  }

  @Override
  public void log(Level level, Supplier<String> message, Throwable thrown) {
    Objects.requireNonNull(message);
    if (isLoggable(level)) Messages.log(channel(), level(level), BOUNDARY, null, SafeText.suppliedText(message), null, thrown);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    if (isLoggable(level)) Messages.log(channel(), level(level), BOUNDARY, bundle, message, null, thrown);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... arguments) {
    if (isLoggable(level)) Messages.log(channel(), level(level), BOUNDARY, bundle, format, arguments, null);
  }
}
