package io.github.steno.log4j;

import io.github.steno.Channel;
import io.github.steno.Log4jMessages;
import io.github.steno.WovenLogger;
import io.github.steno.WovenStatement;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogBuilder;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.EntryMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFactory;
import org.apache.logging.log4j.message.MessageFactory2;
import org.apache.logging.log4j.message.ObjectMessage;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.ParameterizedMessageFactory;
import org.apache.logging.log4j.message.ReusableMessageFactory;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.spi.AbstractLogger;
import org.apache.logging.log4j.util.LambdaUtil;
import org.apache.logging.log4j.util.MessageSupplier;
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
  /** Its messages of a format and null are those of no arguments; else of the format alone. */
  private final boolean isReusable;

  /** @param wanted null: the default */
  StenoLogger(Channel channel, MessageFactory wanted) {
    super(channel.name(), wanted);
    this.channel = channel;
    this.factory = getMessageFactory();
    Class<?> type = factory.getClass();
    this.isReusable = wanted == null || type == ReusableMessageFactory.class;  // as Log4j's core has it
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
    boolean isEmpty = arguments == null ? isReusable : arguments.length == 0 && arguments != WovenLogger.NO_ARGUMENTS;
    String text = isEmpty ? Log4jMessages.formatNothing(statement.format()) : null;
    if (text != null && !text.equals(statement.format())) {
      channel.logText(statement, Log4jMessages.name((Marker) marker), text, thrown);
      return;
    }
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
    log(boundary, level, marker, format, arguments, thrown(format, arguments));
  }

  private void log(String boundary, Level level, Marker marker, String format, Object[] arguments, Throwable thrown) {
    channel.log(Log4jMessages.level(level), boundary, Log4jMessages.name(marker), format, arguments, arguments.length, thrown);
  }

  /** A factory of messages that belongs to the program. */
  interface Maker {
    Message make();
  }

  private void logMade(String boundary, Level level, Marker marker, Maker maker) {
    logMade(boundary, level, marker, maker, null);
  }

  /** @param thrown null: the message's own, if it has one */
  private void logMade(String boundary, Level level, Marker marker, Maker maker, Throwable thrown) {
    Message message = make(maker, factory);
    logAndRelease(boundary, level, marker, message, thrown == null ? Log4jMessages.thrown(message) : thrown);
  }

  /** Returns the maker's message, or a text that names the failure. */
  static Message make(Maker maker, Object whose) {
    try {
      return maker.make();
    } catch (Throwable e) {
      return new SimpleMessage(Log4jMessages.failure(whose, e));
    }
  }

  private void logAndRelease(String boundary, Level level, Marker marker, Message message, Throwable thrown) {
    logMessage(boundary, level, marker, message, thrown);
    ReusableMessageFactory.release(message);
  }

  @Override
  public void logMessage(String boundary, Level level, Marker marker, Message message, Throwable thrown) {
    Log4jMessages.log(channel, boundary, level, marker, message, thrown);
  }

  // The program's code makes something in these methods, and may throw: Log4j's own would throw it on, or ask for the
  // message once more.

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, CharSequence message, Throwable thrown) {
    Message made = isParameterized ? new SimpleMessage(message) : make(() -> factory.newMessage(message), factory);
    logAndRelease(boundary, level, marker, made, thrown);
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, Object message, Throwable thrown) {
    logAndRelease(boundary, level, marker, ofObject(message), thrown);
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, MessageSupplier supplier, Throwable thrown) {
    Message made = make(() -> LambdaUtil.get(supplier), supplier);
    logMessage(boundary, level, marker, made, thrown == null ? Log4jMessages.thrown(made) : thrown);
  }

  /** The place of a message that a lambda returns is known by the lambda's class: each call has its own. */
  @Override
  protected void logMessage(String boundary, Level level, Marker marker, Supplier<?> supplier, Throwable thrown) {
    Object made = get(supplier);
    Message message = made instanceof Message already ? already : ofObject(made);
    if (thrown == null) thrown = Log4jMessages.thrown(message);
    if (message == made) {
      logMessage(boundary, level, marker, message, thrown);
    } else {
      String place = supplier == null ? null : supplier.getClass().getName();
      channel.logText(Log4jMessages.level(level), boundary, Log4jMessages.name(marker), place, Log4jMessages.text(message), thrown);
      ReusableMessageFactory.release(message);
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Supplier<?>... suppliers) {
    logMessage(boundary, level, marker, format, suppliers == null ? new Object[0] : all(suppliers));
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object... arguments) {
    logFormat(boundary, level, marker, format, arguments, null);
  }

  /** @param thrown null: the last argument, if it is one and has no field */
  void logFormat(String boundary, Level level, Marker marker, String format, Object[] arguments, Throwable thrown) {
    if (!isParameterized) {
      logMade(boundary, level, marker, () -> factory.newMessage(format, arguments), thrown);
    } else if (arguments != null && arguments.length != 0) {
      log(boundary, level, marker, format, arguments, thrown == null ? thrown(format, arguments) : thrown);
    } else {
      Object[] none = arguments == null && isReusable ? NO_ARGUMENTS : arguments;
      logMessage(boundary, level, marker, new ParameterizedMessage(format, none), thrown);
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String message, Throwable thrown) {
    if (isParameterized) {
      channel.log(Log4jMessages.level(level), boundary, Log4jMessages.name(marker), message, NO_ARGUMENTS, 0, thrown);
    } else {
      logMade(boundary, level, marker, () -> factory.newMessage(message), thrown);
    }
  }

  /** Returns the supplier's value, or a text that names its failure. */
  private static Object get(Supplier<?> supplier) {
    try {
      return supplier == null ? null : supplier.get();
    } catch (Throwable e) {
      return Log4jMessages.failure(supplier, e);
    }
  }

  /** Returns the values of all suppliers, messages as their text; null if there are none. */
  static Object[] all(Supplier<?>[] suppliers) {
    if (suppliers == null) return null;
    Object[] all = new Object[suppliers.length];
    for (int i = 0; i < all.length; i++) {
      Object made = get(suppliers[i]);
      all[i] = made instanceof Message message ? Log4jMessages.text(message) : made;
    }
    return all;
  }

  @Override
  protected LogBuilder getLogBuilder(Level level) {
    return new StenoLogBuilder(this, level);
  }

  /** Log4j's own asks suppliers first, and throws what these throw. */
  @Override
  protected EntryMessage enter(String boundary, String format, Supplier<?>... suppliers) {
    return isOn(Level.TRACE) ? enter(boundary, format, all(suppliers)) : null;
  }

  private Message ofObject(Object value) {
    return isParameterized ? new ObjectMessage(value) : make(() -> factory.newMessage(value), factory);
  }

  // The calls that most programs make come here without a message being made; others by way of one.

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String message) {
    logMessage(boundary, level, marker, message, (Throwable) null);
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0});
    } else {
      logMade(boundary, level, marker, () -> factory.newMessage(format, p0));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0, Object p1) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0, p1});
    } else {
      logMade(boundary, level, marker, () -> factory.newMessage(format, p0, p1));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0, Object p1,
      Object p2) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0, p1, p2});
    } else {
      logMade(boundary, level, marker, () -> factory.newMessage(format, p0, p1, p2));
    }
  }

  @Override
  protected void logMessage(String boundary, Level level, Marker marker, String format, Object p0, Object p1,
      Object p2, Object p3) {
    if (isParameterized) {
      log(boundary, level, marker, format, new Object[] {p0, p1, p2, p3});
    } else {
      logMade(boundary, level, marker, () -> factory.newMessage(format, p0, p1, p2, p3));
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
