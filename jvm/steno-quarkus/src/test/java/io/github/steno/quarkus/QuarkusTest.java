package io.github.steno.quarkus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.DrainedTest;
import io.github.steno.StenoCommand;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An application of Quarkus as its plugin packs it, started as Quarkus says (docs/jvm/others.md). */
class QuarkusTest extends DrainedTest {
  @Test
  void everyApiIsLogged() throws Exception {
    drained.run(System.getProperty("steno.application"), List.of("-jar"));
    drained.waitUntilStagingIsGone();
    String log = drained.cat("{level} {logger} {basename} [{arg:request}] {message}");
    assertEquals(List.of(
        "INFO com.acme.Shop Shop.java [r-1] 17 of forty by jboss-logging",
        "WARN com.acme.Shop Shop.java [r-1] one and two by jboss-logging",
        "ERROR com.acme.Shop Shop.java [r-1] it failed",
        "INFO com.acme.jul Shop.java [r-1] one by java.util.logging",
        "INFO com.acme.slf4j Shop.java [r-1] one by SLF4J",
        "WARN com.acme.system Shop.java [r-1] one by System.Logger"),
        log.lines().filter(line -> line.contains(" com.acme.") && !line.startsWith("\tat ")).toList(), log);
    assertTrue(log.contains("java.lang.IllegalStateException: out of stock"), log);
    assertTrue(log.contains("INFO io.quarkus "), log);  // what is installed, and how long the start took
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete"), verify.out() + verify.err());
  }
}
