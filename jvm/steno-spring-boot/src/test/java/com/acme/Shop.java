package com.acme;

import jakarta.annotation.PreDestroy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.logging.LogFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A web application of Spring Boot that logs by all APIs that its parts use. It writes its port into the file {@code acme.port}. */
@Configuration
@EnableAutoConfiguration
@RestController
public class Shop {
  private static final Logger LOG = LoggerFactory.getLogger(Shop.class);
  private static final Logger STOCK = LoggerFactory.getLogger("com.acme.stock");

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }

  @EventListener
  public void onReady(ApplicationReadyEvent event) throws Exception {
    Path port = Path.of(System.getProperty("acme.port"));
    Path written = port.resolveSibling("port.new");
    Files.writeString(written, event.getApplicationContext().getEnvironment().getProperty("local.server.port"));
    Files.move(written, port);
  }

  @GetMapping("/order/{number}")
  public String order(@PathVariable("number") int number) {
    MDC.put("order", String.valueOf(number));
    STOCK.debug("looked for {}", number);
    STOCK.trace("found {}", number);
    LOG.info("order {} of {}", number, "eve");
    MDC.clear();
    return "ordered";
  }

  /** Each of the APIs once. */
  @GetMapping("/all")
  public String all() {
    LOG.warn("by SLF4J");
    LogFactory.getLog(Shop.class).warn("by commons-logging");
    org.apache.logging.log4j.LogManager.getLogger(Shop.class).warn("by {}", "Log4j");
    java.util.logging.Logger.getLogger(Shop.class.getName()).warning("by java.util.logging");
    System.getLogger(Shop.class.getName()).log(System.Logger.Level.WARNING, "by System.Logger");
    java.util.logging.Logger.getLogger("com.acme.stock").fine("fine by java.util.logging");
    return "logged";
  }

  /** Tomcat itself logs an error for it. */
  @GetMapping("/broken")
  public String broken() {
    throw new IllegalStateException("out of stock");
  }

  @PreDestroy
  public void close() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      Thread.sleep(20);
      LOG.info("closing, step {}", i);
    }
  }
}
