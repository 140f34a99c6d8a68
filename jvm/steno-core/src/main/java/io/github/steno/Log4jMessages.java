package io.github.steno;

import io.github.steno.machine.Notices;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.FlowMessage;
import org.apache.logging.log4j.message.FormattedMessage;
import org.apache.logging.log4j.message.LocalizedMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFormatMessage;
import org.apache.logging.log4j.message.ObjectMessage;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.ReusableMessage;
import org.apache.logging.log4j.message.ReusableObjectMessage;
import org.apache.logging.log4j.message.ReusableParameterizedMessage;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.message.StringFormattedMessage;
import org.apache.logging.log4j.util.StringBuilderFormattable;

/** Messages of Log4j, into channels of {@link Log4jSyntax}. Any thread. */
public final class Log4jMessages {
  private static final Object[] NO_ARGUMENTS = {};
  /** Between {@code WARN} and {@code INFO}. */
  private static final int NOTICE = 350;
  private static final AtomicBoolean HAS_SAID_THAT_CORE_IS_USED = new AtomicBoolean();

  /** Levels of programs' own are what their numbers are next to. */
  public static int level(Level level) {
    int severity = level.intLevel();  // less is more severe
    if (severity == Level.INFO.intLevel()) return Levels.INFO;
    if (severity <= Level.FATAL.intLevel()) return Levels.CRITICAL;
    if (severity <= Level.ERROR.intLevel()) return Levels.ERROR;
    if (severity <= Level.WARN.intLevel()) return Levels.WARN;
    if (severity <= NOTICE) return Levels.NOTICE;
    if (severity <= Level.INFO.intLevel()) return Levels.INFO;
    return severity <= Level.DEBUG.intLevel() ? Levels.DEBUG : Levels.TRACE;
  }

  /**
   * Reports on stderr, once, that a class gets loggers of Log4j's core, whose records are not in the log. There may be
   * many such classes.
   *
   * @param caller the class's name
   */
  public static void sayThatCoreIsUsed(String caller) {
    if (HAS_SAID_THAT_CORE_IS_USED.compareAndSet(false, true)) {
      Notices.say("steno-log4j: log4j-core is there, too, and " + caller + " casts loggers to its classes: such classes get log4j-core's"
          + " loggers, and what they log goes where its configuration says. steno-log4j-core has an appender for that");
    }
  }

  /** Returns null if there is no marker. Markers may be of classes of the program's. */
  public static String name(Marker marker) {
    try {
      return marker == null ? null : marker.getName();
    } catch (Throwable e) {
      return SafeText.failure(e);
    }
  }

  /** The text that Log4j prints in place of one that cannot be had. */
  public static String failure(Object value, Throwable cause) {
    return Log4jSyntax.failure(value, cause);
  }

  /** The exception of a message; null: it has none, or does not say. */
  public static Throwable thrown(Message message) {
    try {
      return message == null ? null : message.getThrowable();
    } catch (Throwable e) {
      return null;
    }
  }

  /** The text of a message, or the failure to make one; null of null. */
  public static String text(Message message) {
    try {
      return message == null ? null : textOf(message);
    } catch (Throwable e) {
      return failure(subject(message), e);
    }
  }

  /** Formats with <code>{}</code> with their arguments, others as their text. */
  public static void log(Channel channel, String boundary, Level level, Marker marker, Message message, Throwable thrown) {
    try {
      if (isParameterized(message)) {
        logParameterized(channel, boundary, level, marker, message, thrown);
      } else if (message instanceof SimpleMessage || (message instanceof ReusableMessage reusable && reusable.getParameterCount() == 0)) {
        channel.log(level(level), boundary, name(marker), text(message), NO_ARGUMENTS, 0, thrown);
      } else {
        channel.logText(level(level), boundary, name(marker), placeOf(message), text(message), thrown);
      }
    } catch (Throwable e) {
      channel.logText(level(level), boundary, name(marker), null, failure(message, e), thrown);
    }
  }

  private static void logParameterized(Channel channel, String boundary, Level level, Marker marker, Message message,
      Throwable thrown) {
    String format = format(message);
    Object[] arguments = message.getParameters();
    if (arguments != null && arguments.length == 0 && hasBackslash(format)) {
      channel.logText(level(level), boundary, name(marker), format, Log4jSyntax.formatNothing(format), thrown);
      return;
    }
    if (arguments == null) arguments = NO_ARGUMENTS;
    channel.log(level(level), boundary, name(marker), format, arguments, arguments.length, thrown);
  }

  /** The text of a format with an array of arguments that has no elements, which may differ from that of the format alone. */
  public static String formatNothing(String format) {
    return hasBackslash(format) ? Log4jSyntax.formatNothing(format) : format;
  }

  private static boolean hasBackslash(String format) {
    return format != null && format.indexOf('\\') >= 0;
  }

  /**
   * Logs a message whose text Log4j's core has made: no argument is asked for its text again. If the text cannot be
   * divided among the arguments, it is recorded as a whole.
   */
  public static void logMade(Channel channel, String boundary, Level level, Marker marker, Message message, Throwable thrown) {
    try {
      Object[] arguments = isParameterized(message) ? message.getParameters() : null;
      String format = arguments == null ? null : format(message);
      if (format == null) {
        log(channel, boundary, level, marker, message, thrown);
        return;
      }
      String text = message.getFormattedMessage();
      boolean isHalved = arguments.length == 0 && hasBackslash(format);
      Object[] parts = isHalved ? null : Log4jSyntax.INSTANCE.partsOf(text, format, arguments);
      if (parts != null) {
        channel.log(level(level), boundary, name(marker), format, parts, parts.length, thrown);
      } else {
        channel.logText(level(level), boundary, name(marker), format, text, thrown);
      }
    } catch (Throwable e) {
      channel.logText(level(level), boundary, name(marker), null, failure(message, e), thrown);
    }
  }

  /**
   * Returns the text as Log4j's layouts print it: they prefer messages that write into their buffer. A message of a
   * method's exit would lack the result there, so flow messages are asked for their whole text.
   */
  private static String textOf(Message message) {
    boolean isWhole = message instanceof ParameterizedMessage || message instanceof FlowMessage;
    if (isWhole || !(message instanceof StringBuilderFormattable formattable)) {
      return message.getFormattedMessage();
    }
    StringBuilder text = new StringBuilder();
    formattable.formatTo(text);
    return text.toString();
  }

  /** Returns the object whose text it is. */
  private static Object subject(Message message) {
    if (message instanceof ObjectMessage of) return of.getParameter();
    return message instanceof ReusableObjectMessage of ? of.getParameter() : message;
  }

  @SuppressWarnings("deprecation")  // there is no other
  private static String format(Message message) {
    return message.getFormat();
  }

  /**
   * Returns the text that stands for the place of a message that is text already: its format, where messages of one
   * format usually come from one place.
   */
  private static String placeOf(Message message) {
    return message instanceof StringFormattedMessage || message instanceof MessageFormatMessage
        || message instanceof FormattedMessage || message instanceof LocalizedMessage ? format(message) : null;
  }

  /** An object by itself is a message whose parameter is all of it. Events of Log4j say that they are messages, too. */
  private static boolean isParameterized(Message message) {
    if (message instanceof ParameterizedMessage || message instanceof ReusableParameterizedMessage) return true;
    if (!(message instanceof ReusableMessage reusable) || message instanceof ReusableObjectMessage) return false;
    int count = reusable.getParameterCount();
    String format = count > 0 ? format(message) : null;
    return format != null && (count > 1 || message.getParameters()[0] != format);
  }

  private Log4jMessages() {}
}
