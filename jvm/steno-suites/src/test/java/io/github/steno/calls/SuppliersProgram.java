package io.github.steno.calls;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.github.steno.jul.StenoHandler;
import io.github.steno.log4j.core.StenoAppender;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.NullConfiguration;
import org.slf4j.Logger;

/** Gives suppliers that throw to those whose events come to steno's appenders and handler, and prints what has thrown. */
final class SuppliersProgram {
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static <T> T fail() {
    throw new Failure();
  }

  public static void main(String[] arguments) {
    logback();
    log4j();
    StenoHandler.install();
    java.util.logging.Logger jul = java.util.logging.Logger.getLogger("com.acme.Suppliers");
    call("java.util.logging info", () -> jul.info(SuppliersProgram::fail));
    jul.info("after java.util.logging");
  }

  private static void call(String name, Runnable call) {
    try {
      call.run();
    } catch (Failure e) {
      System.out.println(name + " has thrown");
    }
  }

  private static void logback() {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    io.github.steno.logback.StenoAppender steno = new io.github.steno.logback.StenoAppender();
    steno.setContext(context);
    steno.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(steno);
    Logger logger = context.getLogger("com.acme.Suppliers");
    Supplier<Object> object = SuppliersProgram::fail;
    Supplier<String> text = SuppliersProgram::fail;
    call("Logback addArgument", () -> logger.atInfo().addArgument(object).log("{}"));
    call("Logback addKeyValue", () -> logger.atInfo().addKeyValue("key", object).log("text"));
    call("Logback setMessage", () -> logger.atInfo().setMessage(text).log());
    call("Logback log", () -> logger.atInfo().log(text));
    logger.info("after Logback");
  }

  private static void log4j() {
    org.apache.logging.log4j.core.LoggerContext context = new org.apache.logging.log4j.core.LoggerContext("suppliers");
    context.start(new NullConfiguration());
    StenoAppender steno = StenoAppender.create("steno", null);
    steno.start();
    context.getConfiguration().getRootLogger().addAppender(steno, null, null);
    context.getConfiguration().getRootLogger().setLevel(Level.ALL);
    context.updateLoggers();
    org.apache.logging.log4j.Logger logger = context.getLogger("com.acme.Suppliers");
    org.apache.logging.log4j.util.Supplier<?> fails = SuppliersProgram::fail;
    org.apache.logging.log4j.util.Supplier<?>[] all = {fails};
    call("Log4j's core info", () -> logger.info(fails));
    call("Log4j's core info with arguments", () -> logger.info("{}", all));
    call("Log4j's core builder", () -> logger.atInfo().log("{}", all));
    logger.info("after Log4j's core");
  }

  private SuppliersProgram() {}
}
