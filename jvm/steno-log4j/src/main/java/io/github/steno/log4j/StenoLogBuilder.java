package io.github.steno.log4j;

import io.github.steno.Log4jMessages;
import org.apache.logging.log4j.BridgeAware;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogBuilder;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.util.Supplier;

/**
 * The builder that the fluent API fills in. Log4j's own builder throws into the caller what suppliers and the program's message factory throw, and
 * the record is lost; this one passes them to the logger, which puts the failure into the record. Whether the level is enabled, the logger
 * has said before there was a builder. One thread at a time.
 */
final class StenoLogBuilder implements LogBuilder, BridgeAware {
  private final StenoLogger logger;
  private final Level level;
  private String boundary = StenoLogBuilder.class.getName();
  private Marker marker;
  private Throwable thrown;

  StenoLogBuilder(StenoLogger logger, Level level) {
    this.logger = logger;
    this.level = level;
  }

  /** Bridges call it, to name the class that programs call. */
  @Override
  public void setEntryPoint(String name) {
    boundary = name;
  }

  @Override
  public LogBuilder withMarker(Marker marker) {
    this.marker = marker;
    return this;
  }

  @Override
  public LogBuilder withThrowable(Throwable thrown) {
    this.thrown = thrown;
    return this;
  }

  /** Records have their place anyway. */
  @Override
  public LogBuilder withLocation() {
    return this;
  }

  @Override
  public LogBuilder withLocation(StackTraceElement location) {
    return this;
  }

  @Override
  public void log() {
    log((Message) new SimpleMessage(""));
  }

  @Override
  public void log(Message message) {
    logger.logMessage(boundary, level, marker, message, thrown == null ? Log4jMessages.thrown(message) : thrown);
  }

  @Override
  public void log(Supplier<Message> supplier) {
    logAndGet(supplier);
  }

  /** Returns the message that was logged: one that names the failure, if the supplier fails. */
  @Override
  public Message logAndGet(Supplier<Message> supplier) {
    Message message = StenoLogger.make(() -> supplier == null ? null : supplier.get(), supplier);
    log(message);
    return message;
  }

  @Override
  public void log(CharSequence message) {
    logger.logMessage(boundary, level, marker, message, thrown);
  }

  @Override
  public void log(String message) {
    logger.logMessage(boundary, level, marker, message, thrown);
  }

  @Override
  public void log(Object message) {
    logger.logMessage(boundary, level, marker, message, thrown);
  }

  @Override
  public void log(String format, Supplier<?>... suppliers) {
    log(format, StenoLogger.all(suppliers));
  }

  @Override
  public void log(String format, Object... arguments) {
    logger.logFormat(boundary, level, marker, format, arguments, thrown);
  }

  @Override
  public void log(String format, Object p0) {
    log(format, new Object[] {p0});
  }

  @Override
  public void log(String format, Object p0, Object p1) {
    log(format, new Object[] {p0, p1});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2) {
    log(format, new Object[] {p0, p1, p2});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3) {
    log(format, new Object[] {p0, p1, p2, p3});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3, Object p4) {
    log(format, new Object[] {p0, p1, p2, p3, p4});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3, Object p4, Object p5) {
    log(format, new Object[] {p0, p1, p2, p3, p4, p5});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3, Object p4, Object p5, Object p6) {
    log(format, new Object[] {p0, p1, p2, p3, p4, p5, p6});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3, Object p4, Object p5, Object p6, Object p7) {
    log(format, new Object[] {p0, p1, p2, p3, p4, p5, p6, p7});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3, Object p4, Object p5, Object p6, Object p7,
      Object p8) {
    log(format, new Object[] {p0, p1, p2, p3, p4, p5, p6, p7, p8});
  }

  @Override
  public void log(String format, Object p0, Object p1, Object p2, Object p3, Object p4, Object p5, Object p6, Object p7,
      Object p8, Object p9) {
    log(format, new Object[] {p0, p1, p2, p3, p4, p5, p6, p7, p8, p9});
  }
}
