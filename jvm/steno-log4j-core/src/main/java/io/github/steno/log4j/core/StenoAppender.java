package io.github.steno.log4j.core;

import io.github.steno.Channel;
import io.github.steno.Context;
import io.github.steno.Log4jMessages;
import io.github.steno.Log4jSyntax;
import io.github.steno.Session;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;

/**
 * An appender of Log4j that logs into the session of the process: {@code <Steno name="STENO"/>}. Which events come here is for
 * Log4j's configuration to say; the levels of steno are not asked. Formats and arguments go into the log as they are, the map
 * of {@code ThreadContext} as context.
 *
 * <p>It is to be called by the threads that log, not by asynchronous loggers or appenders: threads, and the places of calls,
 * would be those of their workers.
 */
@Plugin(name = "Steno", category = Core.CATEGORY_NAME, elementType = Appender.ELEMENT_TYPE, printObject = true)
public final class StenoAppender extends AbstractAppender {
  private StenoAppender(String name, Filter filter) {
    super(name, filter, null, true, Property.EMPTY_ARRAY);
  }

  @PluginFactory
  public static StenoAppender create(@PluginAttribute("name") String name, @PluginElement("Filter") Filter filter) {
    return new StenoAppender(name == null ? "Steno" : name, filter);
  }

  @Override
  public void append(LogEvent event) {
    Channel channel = Session.ofProcess().channel(event.getLoggerName(), Log4jSyntax.INSTANCE);
    Context.follow(event.getContextData().toMap());
    Log4jMessages.logMade(channel, event.getLoggerFqcn(), event.getLevel(), event.getMarker(), event.getMessage(),
        event.getThrown());
  }
}
