package io.github.steno.spark;

import java.util.List;
import org.slf4j.Logger;

/** Does what a query asks for where something is missing. */
final class Losses {
  static void tell(List<Log.Loss> losses, Options.Losses wanted, Logger logger) throws StenoException {
    if (losses.isEmpty() || wanted == Options.Losses.ALLOW) return;
    Log.Loss first = losses.get(0);
    String text = first.path() + ": " + first.text() + (losses.size() == 1 ? "" : " (and " + (losses.size() - 1) + " more)");
    if (wanted == Options.Losses.FAIL) throw new StenoException(text + "; losses=allow reads what is there");
    logger.warn("{}", text);
  }

  private Losses() {}
}
