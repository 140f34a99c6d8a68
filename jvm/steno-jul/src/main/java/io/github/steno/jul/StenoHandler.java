package io.github.steno.jul;

import io.github.steno.Channel;
import io.github.steno.Context;
import io.github.steno.Levels;
import io.github.steno.Session;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A handler of {@code java.util.logging} that logs into the session of the process. Which records come here is for the levels
 * of that framework to say ({@code logging.properties}); those of steno are not asked. It asks no formatter, for what the log
 * prints is what {@link java.util.logging.Formatter#formatMessage} makes of a record.
 *
 * <p>{@code handlers=io.github.steno.jul.StenoHandler} in {@code logging.properties}, or {@link #install()}.
 */
public final class StenoHandler extends Handler {
  private static final String BOUNDARY = Logger.class.getName();
  private static final String ANONYMOUS = "";

  /** Puts one in the place of all that the root logger has. */
  public static void install() {
    Logger root = LogManager.getLogManager().getLogger("");
    for (Handler handler : root.getHandlers()) root.removeHandler(handler);
    root.addHandler(new StenoHandler());
  }

  public StenoHandler() {
    Formatter formatter = JBossRecord.formatterOfInstalled();
    if (formatter != null) setFormatter(formatter);
  }

  @Override
  public void publish(LogRecord record) {
    if (!isWanted(record)) return;
    String name = record.getLoggerName() == null ? ANONYMOUS : record.getLoggerName();
    Channel channel = Session.ofProcess().channel(name, MessageFormatSyntax.INSTANCE);
    JBossRecord more = JBossRecord.of(record);
    if (more != null) {
      publish(channel, record, more);
    } else {
      Messages.log(channel, level(record.getLevel()), BOUNDARY, record.getResourceBundle(), record.getMessage(),
          record.getParameters(), record.getThrown());
    }
  }

  /** One of jboss-logmanager, whose formats may be those of {@code String.format}. */
  private static void publish(Channel channel, LogRecord record, JBossRecord more) {
    String boundary = more.boundary(record);
    if (boundary == null) boundary = BOUNDARY;
    Context.follow(more.context(record));
    if (more.isPrinted(record)) {
      channel.logText(level(record.getLevel()), boundary, null, record.getMessage(), more.text(record), record.getThrown());
    } else {
      Object[] parameters = more.isText(record) ? null : record.getParameters();
      Messages.log(channel, level(record.getLevel()), boundary, record.getResourceBundle(), record.getMessage(), parameters,
          record.getThrown());
    }
  }

  /** A filter of the program's that fails refuses nothing. */
  private boolean isWanted(LogRecord record) {
    try {
      return isLoggable(record);
    } catch (Throwable e) {
      return true;
    }
  }

  /** Returns the level that the bridge to SLF4J has for it. */
  private static int level(Level level) {
    int value = level.intValue();
    if (value <= Level.FINEST.intValue()) return Levels.TRACE;
    if (value <= Level.FINE.intValue()) return Levels.DEBUG;
    if (value <= Level.INFO.intValue()) return Levels.INFO;
    return value <= Level.WARNING.intValue() ? Levels.WARN : Levels.ERROR;
  }

  /** Does nothing: a record whose call has returned needs no flush. */
  @Override
  public void flush() {}

  /** The session is that of the process. */
  @Override
  public void close() {}
}
