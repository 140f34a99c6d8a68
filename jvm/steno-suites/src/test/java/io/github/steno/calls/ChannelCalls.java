package io.github.steno.calls;

import io.github.steno.Channel;
import io.github.steno.Context;
import io.github.steno.Levels;
import io.github.steno.Session;
import io.github.steno.Slf4jSyntax;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.helpers.MessageFormatter;

/** Calls of the core's own interface, which front ends of others are written with. */
final class ChannelCalls {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> context = new HashMap<>();
    RandomValues values = new RandomValues(Long.parseLong(arguments[1]));
    try (Comparison comparison = new Comparison(Path.of(arguments[0]))) {
      for (int i = 0, calls = Integer.parseInt(arguments[2]); i < calls; i++) {
        comparison.changeContext(values, context::put, context::remove, context::clear);
        Context.set(context);
        Channel channel = Session.ofProcess().channel("com.acme." + i % 20, Slf4jSyntax.INSTANCE);
        String format = values.format();
        Object[] all = values.values();
        if (all == null) all = new Object[0];
        String marker = values.below(4) == 0 ? "M" + values.below(3) : null;
        Throwable thrown = values.thrownOrNull();
        String text = MessageFormatter.basicArrayFormat(format, all);
        if (values.below(4) == 0) {
          channel.logText(Levels.INFO, "", marker, values.below(2) == 0 ? null : format, text, thrown);
        } else {
          channel.log(Levels.INFO, "", marker, format, all, all.length, thrown);
        }
        comparison.record("INFO", marker, text, thrown);
        comparison.endOfCall();
      }
    }
  }

  private ChannelCalls() {}
}
