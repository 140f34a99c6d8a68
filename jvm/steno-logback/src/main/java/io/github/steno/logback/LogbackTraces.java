package io.github.steno.logback;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.github.steno.TraceStyle;

/** Stack traces as Logback prints them: {@code ... 12 common frames omitted}, and messages that are null. */
final class LogbackTraces implements TraceStyle {
  /** One of which there is only a description. */
  static final class Elsewhere extends Throwable {
    private static final long serialVersionUID = 1;

    Elsewhere(IThrowableProxy proxy) {
      super(ThrowableProxyUtil.asString(proxy), null, false, false);
    }
  }

  @Override
  public String head(Throwable thrown) {
    return thrown instanceof Elsewhere ? thrown.getMessage() : thrown.getClass().getName() + ": " + thrown.getMessage();
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
