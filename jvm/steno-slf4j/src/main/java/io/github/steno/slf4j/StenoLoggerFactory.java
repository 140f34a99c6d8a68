package io.github.steno.slf4j;

import io.github.steno.Channel;
import io.github.steno.Session;
import io.github.steno.Slf4jSyntax;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;

/** One logger for each name, in the session of the process. What runs at the first call has no lambdas: each takes half a ms. */
final class StenoLoggerFactory implements ILoggerFactory {
  private final ConcurrentHashMap<String, StenoLogger> loggers = new ConcurrentHashMap<>();

  @Override
  public Logger getLogger(String name) {
    StenoLogger known = loggers.get(name);
    if (known != null) return known;
    Session session = Session.ofProcess();
    Channel channel = session.channel(name, Slf4jSyntax.INSTANCE);
    StenoLogger made = new StenoLogger(channel);
    if (session.isStandIn()) return made;
    // A method of the channel is called, because until this jar has made such a call JDK 17 inlines nothing that
    // returns channels.
    known = loggers.putIfAbsent(channel.name(), made);
    return known != null ? known : made;
  }
}
