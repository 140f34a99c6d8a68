package io.github.steno.spring;

import io.github.steno.Levels;
import io.github.steno.LoggerLevels;
import io.github.steno.Session;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.logging.LogFile;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.Environment;

/**
 * The logging system of Spring Boot where steno is the provider of SLF4J: {@code logging.level.*}, groups and the actuator set
 * the levels of steno, and {@code java.util.logging}, by which Tomcat logs, comes into the log by way of SLF4J.
 */
final class StenoLoggingSystem extends LoggingSystem {
  /** The loggers that Boot silences in the other logging systems. */
  private static final Map<String, LogLevel> DEFAULTS = Map.of(
      "org.apache.catalina.startup.DigesterFactory", LogLevel.ERROR,
      "org.apache.catalina.util.LifecycleBase", LogLevel.ERROR,
      "org.apache.coyote.http11.Http11NioProtocol", LogLevel.WARN,
      "org.apache.sshd.common.util.SecurityUtils", LogLevel.WARN,
      "org.apache.tomcat.util.net.NioSelectorPool", LogLevel.WARN,
      "org.eclipse.jetty.util.component.AbstractLifeCycle", LogLevel.ERROR,
      "org.hibernate.validator.internal.util.Version", LogLevel.WARN,
      "org.springframework.boot.actuate.endpoint.jmx", LogLevel.WARN);
  private static final List<String> IGNORED = List.of("logging.config", "logging.file.name", "logging.file.path");
  private static final List<String> TOO_LATE = List.of("steno.path", "steno.scribe", "steno.console", "steno.sinks");
  private static final LogLevel[] SPRINGS = {LogLevel.TRACE, LogLevel.DEBUG, LogLevel.INFO, LogLevel.INFO, LogLevel.WARN,
      LogLevel.ERROR, LogLevel.FATAL, LogLevel.OFF};

  private static volatile boolean isUsed;

  private final JdkLevels jdk = new JdkLevels();

  /** Returns whether neither Boot nor steno prints on a console. */
  static boolean isSilent() {
    return isUsed && !Session.ofProcess().isOnConsole();
  }

  @Override
  public void beforeInitialize() {
    isUsed = true;
    jdk.bridge();
    DEFAULTS.forEach((logger, level) -> {
      if (LoggerLevels.rule(logger) == LoggerLevels.NO_RULE) setLogLevel(logger, level);
    });
    jdk.set(LoggerLevels.DEFAULT, LoggerLevels.of(LoggerLevels.DEFAULT));
    for (String logger : LoggerLevels.names()) jdk.set(logger, LoggerLevels.rule(logger));
    ShutdownHook.watch();
  }

  @Override
  public void initialize(LoggingInitializationContext context, String configLocation, LogFile logFile) {
    Environment environment = context.getEnvironment();
    if (environment == null) return;
    for (String name : IGNORED) {
      if (environment.containsProperty(name)) say(name + " has no effect: the log is that of steno.path");
    }
    for (String name : TOO_LATE) {
      boolean wasSeen = System.getProperty(name) != null || System.getenv(name.toUpperCase().replace('.', '_')) != null;
      if (!wasSeen && environment.containsProperty(name)) {
        say(name + " is read before Spring's properties: put it into steno.properties on the class path, or use -D" + name);
      }
    }
  }

  private static void say(String what) {
    System.err.println("steno: " + what);
  }

  @Override
  public void cleanUp() {
    jdk.unbridge();
  }

  @Override
  public Set<LogLevel> getSupportedLogLevels() {
    return EnumSet.allOf(LogLevel.class);
  }

  /** @param level null: the logger has the level of those above it again */
  @Override
  public void setLogLevel(String logger, LogLevel level) {
    String name = name(logger);
    if (level == null) {
      LoggerLevels.reset(name);
    } else {
      LoggerLevels.set(name, level(level));
    }
    jdk.set(name, LoggerLevels.rule(name));
  }

  private static String name(String logger) {
    return logger == null || logger.equalsIgnoreCase(ROOT_LOGGER_NAME) ? LoggerLevels.DEFAULT : logger;
  }

  private static int level(LogLevel level) {
    return switch (level) {
      case TRACE -> Levels.TRACE;
      case DEBUG -> Levels.DEBUG;
      case INFO -> Levels.INFO;
      case WARN -> Levels.WARN;
      case ERROR -> Levels.ERROR;
      case FATAL -> Levels.CRITICAL;
      case OFF -> Levels.OFF;
    };
  }

  /** The root, then all loggers and those above them, in order of names. */
  @Override
  public List<LoggerConfiguration> getLoggerConfigurations() {
    List<LoggerConfiguration> all = new ArrayList<>();
    all.add(configuration(LoggerLevels.DEFAULT));
    for (String logger : withParents()) all.add(configuration(logger));
    return all;
  }

  private static Set<String> withParents() {
    Set<String> all = new TreeSet<>();
    for (String logger : LoggerLevels.names()) {
      for (String name = logger; !name.isEmpty() && all.add(name); ) name = name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }
    return all;
  }

  /** Returns null if there is no such logger, nor one below it. */
  @Override
  public LoggerConfiguration getLoggerConfiguration(String logger) {
    String name = name(logger);
    return name.equals(LoggerLevels.DEFAULT) || withParents().contains(name) ? configuration(name) : null;
  }

  private static LoggerConfiguration configuration(String name) {
    int rule = LoggerLevels.rule(name);
    return new LoggerConfiguration(name.equals(LoggerLevels.DEFAULT) ? ROOT_LOGGER_NAME : name,
        rule == LoggerLevels.NO_RULE ? null : SPRINGS[rule], SPRINGS[LoggerLevels.of(name)]);
  }
}
