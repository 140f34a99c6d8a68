package io.github.steno.log4j;

import io.github.steno.Channel;
import io.github.steno.Log4jMessages;
import io.github.steno.WovenLogger;
import io.github.steno.WovenStatement;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFactory;
import org.apache.logging.log4j.message.MessageFactory2;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.ParameterizedMessageFactory;
import org.apache.logging.log4j.message.ReusableMessageFactory;
import org.apache.logging.log4j.spi.AbstractLogger;
import org.apache.logging.log4j.util.LambdaUtil;
import org.apache.logging.log4j.util.Supplier;

/**
 * A logger of Log4j's API over a channel. Formats with <code>{}</code> and their arguments go into the log as they are; what
 * the log prints is what {@link ParameterizedMessage} would have made of them. Messages of other classes go there as their
 * text.
 *
 * <p>Thread safety: any thread.
 */
final class StenoLogger extends AbstractLogger implements WovenLogger {
  private static final long serialVersionUID = 1;
  private static final Object[] NO_ARGUMENTS = {};
  private static final Level[] LEVELS = {Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL};

  private final transient Channel channel;
  private final transient MessageFactory2 factory;
  private final boolean isParameterized;

  /** @param wanted null: the default */
  StenoLogger(Channel channel, MessageFactory wanted) {
    super(channel.name(), wanted);
    this.channel = channel;
    this.factory = getMessageFactory();
    Class<?> type = factory.getClass();
    this.isParameterized = type == ReusableMessageFactory.class || type == ParameterizedMessageFactory.class;
  }

  private boolean isOn(Level level) {
    return channel.isEnabled(Log4jMessages.level(level));
  }

  @Override
  public Level getLevel() {
    for (Level level : LEVELS) {
      if (isOn(level)) return level;
    }
    return Level.OFF;
  }

  @Override
  public Channel channel() {
    return isParameterized ? channel : null;
  }

  @Override
  public void log(WovenStatement statement, Object marker, Object[] arguments, Throwable thrown) {
    if (arguments == null) arguments = NO_ARGUMENTS;
    if (thrown == null) thrown = thrown(statement.format(), arguments);
    channel.log(statement, Log4jMessages.name((Marker) marker), arguments, arguments.length, thrown);
  }

  /** One that comes last and for which the format has no field; null: there is none. */
  private static Throwable thrown(String format, Object[] arguments) {
    int last = arguments.length - 1;
    return last >= 0 && arguments[last] instanceof Throwable throwable
        && ParameterizedMessage.countArgumentPlaceholders(format) <= last ? throwable : null;
  }

  private void log(String boundary, Level level, Marker marker, String format, Object[] arguments) {
    Throwable thrown = thrown(format, arguments);
    channel.log(Log4jMessages.level(level), boundary, Log4jMessages.name(marker), format, arguments, arguments.length, thrown);
  }

  private void logMade(String boundary, Level level, Marker marker, Message message) {
    logMessage(boundary, level, marker, message, message == null ? null : message.getThrowable());
  }

  @Override
  public void logMessage(String boundary, Level level, Marker marker, Message message, Throwable thrown) {
    Log4jMessages.log(channel, boundary, level, marker, message, thrown);
  }

  /** Of what a lambda returns, the place is known by the lambda's class: each call has its own. */
  @Override
  protected void logMessage(String boundary, Level level, Marker marker, Supplier<?> supplier, Throwable thrown) {
    Object made = LambdaUtil.get(supplier);
    if (made instanceof Message message) {
      logMessage(boundary, level, marker, message, thrown == null ? message.getThrowable() : thrown);
    } else {
      String text = factory.newMessage(made).getFormattedMessage();
      String place = supplier == null ? null : supplier.getClass().getName();
      channel.logText(Log4jMessages.level(level), boundary, Log4jMessages.name(marker), place, text, thrown);
    }
  }

  // The calls that most programs make come here without a message being made; others by way of one.

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String message) {
    if (isParameterized) {
      channel.log(Log4jMessages.level(level), boundary, Log4jMessages.name(marker), message, NO_ARGUMENTS, 0, null);
    } else {
      logMade(boundary, level, marker, factory.newMessage(message));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0});
    } else {
      logMade(boundary, level, marker, factory.newMessage(format, p0));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0, Object p1) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0, p1});
    } else {
      logMade(boundary, level, marker, factory.newMessage(format, p0, p1));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0, Object p1,
      Object p2) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0, p1, p2});
    } else {
      logMade(boundary, level, marker, factory.newMessage(format, p0, p1, p2));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0, Object p1,
      Object p2, Object p3) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0, p1, p2, p3});
    } else {
      logMade(boundary, level, marker, factory.newMessage(format, p0, p1, p2, p3));
    }
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, Message message, Throwable thrown) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, CharSequence message, Throwable thrown) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, Object message, Throwable thrown) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String message, Throwable thrown) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String message) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object... arguments) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3,
      Object p4) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3,
      Object p4, Object p5) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3,
      Object p4, Object p5, Object p6) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3,
      Object p4, Object p5, Object p6, Object p7) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3,
      Object p4, Object p5, Object p6, Object p7, Object p8) {
    return isOn(level);
  }

  @Override
  public boolean isEnabled(Level level, Marker marker, String format, Object p0, Object p1, Object p2, Object p3,
      Object p4, Object p5, Object p6, Object p7, Object p8, Object p9) {
    return isOn(level);
  }
}
