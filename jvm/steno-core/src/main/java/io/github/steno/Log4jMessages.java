package io.github.steno;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.FormattedMessage;
import org.apache.logging.log4j.message.LocalizedMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFormatMessage;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.ReusableMessage;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.message.StringFormattedMessage;

/** Messages of Log4j, into channels of {@link Log4jSyntax}. Any thread. */
public final class Log4jMessages {
  private static final Object[] NO_ARGUMENTS = {};
  /** Between {@code WARN} and {@code INFO}. */
  private static final int NOTICE = 350;

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

  /** null: there is none. */
  public static String name(Marker marker) {
    return marker == null ? null : marker.getName();
  }

  /** Formats with <code>{}</code> with their arguments, others as their text. */
  @SuppressWarnings("deprecation")  // getFormat(): there is no other
  public static void log(Channel channel, String boundary, Level level, Marker marker, Message message, Throwable thrown) {
    int number = level(level);
    boolean isReusable = message instanceof ReusableMessage;
    if (message instanceof ParameterizedMessage || (isReusable && isParameterized((ReusableMessage) message))) {
      Object[] arguments = message.getParameters();
      if (arguments == null) arguments = NO_ARGUMENTS;
      channel.log(number, boundary, name(marker), message.getFormat(), arguments, arguments.length, thrown);
    } else if (message instanceof SimpleMessage || (isReusable && ((ReusableMessage) message).getParameterCount() == 0)) {
      channel.log(number, boundary, name(marker), message.getFormattedMessage(), NO_ARGUMENTS, 0, thrown);
    } else {
      String text = message == null ? null : message.getFormattedMessage();
      channel.logText(number, boundary, name(marker), isOfAFormat(message) ? message.getFormat() : null, text, thrown);
    }
  }

  /** An object by itself is a message whose parameter is all of it. Events of Log4j say that they are messages, too. */
  @SuppressWarnings("deprecation")
  private static boolean isParameterized(ReusableMessage message) {
    String format = message.getFormat();
    int count = message.getParameterCount();
    return format != null && count > 0 && (count > 1 || message.getParameters()[0] != format);
  }

  /** Whether messages with one format come from one place, as a rule. */
  private static boolean isOfAFormat(Message message) {
    return message instanceof StringFormattedMessage || message instanceof MessageFormatMessage
        || message instanceof FormattedMessage || message instanceof LocalizedMessage;
  }

  private Log4jMessages() {}
}
