package io.github.steno.jul;

import io.github.steno.SafeText;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;

/**
 * The parts that records of jboss-logmanager, the {@code java.util.logging} of Quarkus and WildFly, have besides those of
 * the JDK. They are read by reflection: their class may be in a loader that this one's does not ask. Stateless; any
 * thread.
 */
final class JBossRecord {
  private static final String PACKAGE = "org.jboss.logmanager.";
  private static final String NAME = PACKAGE + "ExtLogRecord";
  private static final String FORMATTER = PACKAGE + "formatters.PatternFormatter";
  private static final String PRINTF = "PRINTF";
  private static final String NO_FORMAT = "NO_FORMAT";

  /** The methods that read a record of a class; null: it is not of JBoss. */
  private static final ClassValue<JBossRecord> OF_CLASS = new ClassValue<>() {
    @Override
    protected JBossRecord computeValue(Class<?> type) {
      for (Class<?> each = type; each != null; each = each.getSuperclass()) {
        if (each.getName().equals(NAME)) return make(each);
      }
      return null;
    }
  };

  private final MethodHandle text;
  private final MethodHandle style;
  private final MethodHandle loggerClass;
  private final MethodHandle context;

  private JBossRecord(Class<?> type) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    text = lookup.unreflect(type.getMethod("getFormattedMessage"));
    style = lookup.unreflect(type.getMethod("getFormatStyle"));
    loggerClass = lookup.unreflect(type.getMethod("getLoggerClassName"));
    context = lookup.unreflect(type.getMethod("getMdcCopy"));
  }

  private static JBossRecord make(Class<?> type) {
    try {
      return new JBossRecord(type);
    } catch (ReflectiveOperationException | LinkageError e) {
      return null;
    }
  }

  /**
   * A formatter of jboss-logmanager, where that is installed: a handler that has one gets formats with their arguments, any other gets
   * whole messages. null: it is not installed.
   */
  static Formatter formatterOfInstalled() {
    Class<?> manager = LogManager.getLogManager().getClass();
    if (!manager.getName().startsWith(PACKAGE)) return null;
    try {
      return (Formatter) Class.forName(FORMATTER, true, manager.getClassLoader()).getConstructor(String.class).newInstance("%m");
    } catch (ReflectiveOperationException | LinkageError e) {
      return null;
    }
  }

  /** Returns null if the record is one of the JDK's. */
  static JBossRecord of(LogRecord record) {
    return record.getClass() == LogRecord.class ? null : OF_CLASS.get(record.getClass());
  }

  private static Object call(MethodHandle method, LogRecord record) {
    try {
      return method.invoke(record);
    } catch (Throwable e) {
      return null;
    }
  }

  /** The name of the class that the program called; null: it does not say. */
  String boundary(LogRecord record) {
    return (String) call(loggerClass, record);
  }

  /** The MDC. */
  Map<String, String> context(LogRecord record) {
    @SuppressWarnings("unchecked")
    Map<String, String> found = (Map<String, String>) call(context, record);
    return found == null ? Map.of() : found;
  }

  /** Returns whether the message is for {@code String.format}. */
  boolean isPrinted(LogRecord record) {
    return PRINTF.equals(String.valueOf(call(style, record)));
  }

  /** Returns whether the message is a text, not a format. */
  boolean isText(LogRecord record) {
    return NO_FORMAT.equals(String.valueOf(call(style, record)));
  }

  /** The whole message. */
  String text(LogRecord record) {
    try {
      return String.valueOf(text.invoke(record));
    } catch (Throwable e) {
      return record.getMessage() + ' ' + SafeText.failure(e);
    }
  }
}
