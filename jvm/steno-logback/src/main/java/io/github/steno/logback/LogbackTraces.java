package io.github.steno.logback;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.github.steno.TraceStyle;

/** Stack traces as Logback prints them: {@code ... 12 common frames omitted}, and messages that are null as its version does. */
final class LogbackTraces implements TraceStyle {
  /** One of which there is only a description. */
  static final class Elsewhere extends Throwable {
    private static final long serialVersionUID = 1;

    Elsewhere(IThrowableProxy proxy) {
      super(proxy == null ? null : ThrowableProxyUtil.asString(proxy), null, false, false);
    }
  }

  /** True for Logback before 1.6, which prints messages that are null. */
  private static final boolean PRINTS_NULL =
      ThrowableProxyUtil.asString(new ThrowableProxy(new Elsewhere(null))).startsWith(Elsewhere.class.getName() + ": null");

  @Override
  public String head(Throwable thrown) {
    String message = thrown.getMessage();
    if (thrown instanceof Elsewhere) return message;
    String name = thrown.getClass().getName();
    return message == null && !PRINTS_NULL ? name : name + ": " + message;
  }

  @Override
  public String omitted(int frames) {
    return "... " + frames + " common frames omitted";
  }

  @Override
  public String render(Throwable thrown) {
    return thrown instanceof Elsewhere ? thrown.getMessage() : ThrowableProxyUtil.asString(new ThrowableProxy(thrown));
  }
}
