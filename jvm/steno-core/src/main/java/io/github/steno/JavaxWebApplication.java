package io.github.steno;

import javax.servlet.ServletContainerInitializer;
import javax.servlet.ServletContext;
import javax.servlet.ServletContextEvent;
import javax.servlet.ServletContextListener;
import java.util.Set;

/**
 * Closes the log when a web application that has steno among its own libraries is undeployed: servers find this by {@link
 * java.util.ServiceLoader}. Where steno is the server's, nothing is closed. Listeners that {@code web.xml} names are destroyed after
 * this; if they log then, {@code web.xml} is to name this class as its first listener.
 */
public final class JavaxWebApplication implements ServletContainerInitializer, ServletContextListener {
  /** The listener that closes the log: that of {@code web.xml}, else that of the server's initializer. */
  private static volatile JavaxWebApplication closer;

  private boolean isInitializer;

  @Override
  public void onStartup(Set<Class<?>> unused, ServletContext context) {
    if (!isOwn(context)) return;
    isInitializer = true;
    closer = this;
    context.addListener(this);
  }

  @Override
  public void contextInitialized(ServletContextEvent event) {
    if (!isInitializer) closer = this;
  }

  @Override
  public void contextDestroyed(ServletContextEvent event) {
    if (closer == this && isOwn(event.getServletContext())) Session.closeOfProcess();
  }

  /** Returns whether the application's own class loader loaded steno. */
  private static boolean isOwn(ServletContext context) {
    return context.getClassLoader() == Session.class.getClassLoader();
  }
}
