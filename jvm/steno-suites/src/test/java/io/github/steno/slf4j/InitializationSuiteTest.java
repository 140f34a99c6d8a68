package io.github.steno.slf4j;

import static org.junit.Assert.assertEquals;

import io.github.steno.StenoCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.rules.TemporaryFolder;
import org.slf4j.testHarness.MultithreadedInitializationTest;

/** Threads that ask for loggers, and log, while SLF4J finds its provider: what they logged meanwhile is logged in the end. */
public class InitializationSuiteTest extends MultithreadedInitializationTest {
  @ClassRule public static final TemporaryFolder ROOT = new TemporaryFolder();

  @BeforeClass
  public static void nameStaging() {
    System.setProperty("steno.staging", ROOT.getRoot().toString());
    System.setProperty("steno.block_at_most", "0");
  }

  @AfterClass
  public static void forgetStaging() {
    System.clearProperty("steno.staging");
    System.clearProperty("steno.block_at_most");
  }

  @Override
  protected long getRecordedEventCount() {
    try (var sessions = Files.newDirectoryStream(user(), "*-*")) {
      for (Path session : sessions) {
        if (!Files.exists(session.resolve("session"))) continue;
        StenoCommand.Ran ran = StenoCommand.run("cat", "--live", session.toString());
        assertEquals(ran.err(), 0, ran.code());
        return ran.out().lines().count();
      }
      throw new AssertionError("there is no session");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Path user() throws IOException {
    try (var users = Files.newDirectoryStream(ROOT.getRoot().toPath(), "steno-*")) {
      return users.iterator().next();
    }
  }
}
