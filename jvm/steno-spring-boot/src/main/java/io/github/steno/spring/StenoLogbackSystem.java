package io.github.steno.spring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.Appender;
import io.github.steno.logback.StenoAppender;
import java.util.Iterator;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogFile;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.logback.LogbackLoggingSystem;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Boot's logging system for Logback, with the appender of steno at the root logger in addition to what Boot, or the
 * configuration of Logback, puts there. A configuration that has the appender somewhere itself is left as it is.
 */
final class StenoLogbackSystem extends LogbackLoggingSystem {
  private static final String NAME = "STENO";
  private static final String OPTIONS = "steno.";

  StenoLogbackSystem(ClassLoader loader) {
    super(loader);
  }

  @Override
  public void initialize(LoggingInitializationContext context, String configLocation, LogFile logFile) {
    publishOptions(context.getEnvironment());
    super.initialize(context, configLocation, logFile);
    LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
    if (!hasAppender(loggers)) {
      attach(loggers);
      loggers.addListener(new AfterReset());
    }
    ShutdownHook.watch();
  }

  /** Spring's properties that are options of steno, which the first record reads. Those that the JVM has already count. */
  private static void publishOptions(Environment environment) {
    if (!(environment instanceof ConfigurableEnvironment configurable)) return;
    for (PropertySource<?> source : configurable.getPropertySources()) {
      if (!(source instanceof EnumerablePropertySource<?> enumerable)) continue;
      for (String name : enumerable.getPropertyNames()) {
        if (!name.startsWith(OPTIONS) || System.getProperty(name) != null) continue;
        String variable = name.toUpperCase(java.util.Locale.ROOT).replace('.', '_');
        String value = environment.getProperty(name);
        if (value != null && System.getenv(variable) == null) System.setProperty(name, value);
      }
    }
  }

  private static boolean hasAppender(LoggerContext loggers) {
    for (Logger logger : loggers.getLoggerList()) {
      for (Iterator<Appender<ILoggingEvent>> all = logger.iteratorForAppenders(); all.hasNext(); ) {
        if (all.next() instanceof StenoAppender) return true;
      }
    }
    return false;
  }

  private static void attach(LoggerContext loggers) {
    StenoAppender appender = new StenoAppender();
    appender.setName(NAME);
    appender.setContext(loggers);
    appender.start();
    loggers.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(appender);
  }

  /** Logback detaches all appenders before it reads a configuration that has changed. */
  private static final class AfterReset implements LoggerContextListener {
    @Override
    public boolean isResetResistant() {
      return true;
    }

    @Override
    public void onReset(LoggerContext loggers) {
      attach(loggers);
    }

    @Override
    public void onStart(LoggerContext loggers) {}

    @Override
    public void onStop(LoggerContext loggers) {}

    @Override
    public void onLevelChange(Logger logger, Level level) {}
  }
}
