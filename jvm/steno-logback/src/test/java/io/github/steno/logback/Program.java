package io.github.steno.logback;

import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.github.steno.DrainedLog;
import io.github.steno.RandomMessages;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.MarkerFactory;
import org.slf4j.helpers.MessageFormatter;

/** The program that tests run in a JVM of its own. It logs by Logback. */
final class Program {
  public static void main(String[] arguments) throws Exception {
    RandomMessages random = new RandomMessages(19);
    try (Writer out = Files.newBufferedWriter(Path.of(arguments[0]))) {
      for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
        String format = random.format();
        Object[] all = random.arguments();
        String message = MessageFormatter.arrayFormat(format, all).getMessage();
        out.write(new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8) + DrainedLog.END);
        LoggerFactory.getLogger("logger-" + i % 50).info(format, all);
      }
    }
    Logger logger = LoggerFactory.getLogger("com.acme.Calls");
    logger.trace("not enabled");
    logger.warn(MarkerFactory.getMarker("M"), "marked {}", 1);
    logger.atInfo().addMarker(MarkerFactory.getMarker("M")).addMarker(MarkerFactory.getMarker("N")).log("marked twice");
    MDC.put("request", "r-1");
    logger.error("thrown {}", 2, new IllegalStateException("first"));
    MDC.clear();
    logger.atInfo().addKeyValue("n", 5).log("fluent {}", true);
    traces(Path.of(arguments[0] + ".traces"));
    LoggerFactory.getLogger("com.quiet.Class").info("not enabled");
  }

  /** Each more than once, for what is met again is recorded in another way. Into a file what Logback makes of them. */
  private static void traces(Path expected) throws Exception {
    Logger logger = LoggerFactory.getLogger("com.acme.Traces");
    try (Writer out = Files.newBufferedWriter(expected)) {
      for (int round = 0; round < 3; round++) {
        for (int kind = 0; kind < 4; kind++) {
          Exception thrown = exception(kind, "round " + round);
          logger.error("kind {}", kind, thrown);
          out.write("kind " + kind + "\n" + ThrowableProxyUtil.asString(new ThrowableProxy(thrown)));
        }
      }
    }
  }

  private static Exception exception(int kind, String text) {
    Exception cause = kind == 0 ? null : new IllegalArgumentException(kind == 1 ? null : text);
    Exception thrown = new IllegalStateException(text, cause);
    if (kind == 2) thrown.addSuppressed(new RuntimeException("suppressed", new RuntimeException()));
    if (kind == 3) cause.initCause(thrown);
    return thrown;
  }

  private Program() {}
}
