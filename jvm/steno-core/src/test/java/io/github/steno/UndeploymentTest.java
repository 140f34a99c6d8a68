package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Web applications that have steno among their own libraries. */
class UndeploymentTest extends DrainedTest {
  @Test
  void nothingIsLeftOfApplicationsThatWereUndeployed() throws Exception {
    drained.run(Undeployment.class, List.of("-Dsteno.scribe=thread"), "undeploy");
    String said = drained.said();
    for (String kind : List.of("descriptors", "threads", "loaders", "mappings")) {
      assertTrue(said.contains(kind + " 0\n"), said);
    }
    expectRecords(15);
  }

  @Test
  void whatHasNoScribeOfItsOwnIsLeftToOthers() throws Exception {
    drained.run(Undeployment.class, List.of(), "undeploy");
    String said = drained.said();
    for (String kind : List.of("descriptors", "threads", "loaders")) assertTrue(said.contains(kind + " 0\n"), said);
    expectRecords(15);
  }

  /** When the JVM shuts down after the server, it does this. */
  @Test
  void theLogIsClosedThoughTheLoaderIsStopped() throws Exception {
    drained.run(Undeployment.class, List.of("-Dsteno.scribe=thread"), "stop");
    expectRecords(1);
    assertTrue(!drained.said().contains("Exception") && !drained.said().contains("steno:"), drained.said());
  }

  private void expectRecords(int count) throws Exception {
    drained.waitUntilStagingIsGone();
    assertEquals(count, drained.cat("{message}").lines().filter(line -> line.startsWith("deployed")).count());
    StenoCommand.Ran verify = StenoCommand.run("verify", drained.log.toString());
    assertTrue(verify.out().startsWith("complete"), verify.out() + verify.err());
  }
}
