package com.acme;

import io.github.steno.jul.StenoHandler;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;

/** An application of Quarkus that logs by jboss-logging and by what the JDK and SLF4J have. */
@QuarkusMain
@ApplicationScoped
public class Shop implements QuarkusApplication {
  private static final Logger LOG = Logger.getLogger(Shop.class);

  void start(@Observes @Priority(1) StartupEvent event) {
    java.util.logging.Logger.getLogger("").addHandler(new StenoHandler());
  }

  @Override
  public int run(String... arguments) {
    LOG.debug("not enabled");
    MDC.put("request", "r-1");
    LOG.infof("%d of %s by jboss-logging", 17, "forty");
    LOG.warnv("{0} and {1} by jboss-logging", "one", "two");
    LOG.error("it failed", new IllegalStateException("out of stock"));
    java.util.logging.Logger.getLogger("com.acme.jul")
        .log(java.util.logging.Level.INFO, "{0} by java.util.logging", "one");
    org.slf4j.LoggerFactory.getLogger("com.acme.slf4j").info("{} by SLF4J", "one");
    System.getLogger("com.acme.system").log(System.Logger.Level.WARNING, "{0} by System.Logger", "one");
    return 0;
  }
}
