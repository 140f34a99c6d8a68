package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.ring.Ring;
import io.github.steno.staging.ControlFile;
import io.github.steno.staging.Layout;
import io.github.steno.staging.Location;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests requests of {@code steno ctl} to a session, and the answers. */
class ControlTest {
  @TempDir Path root;
  private Session session;
  private Thread obeys;

  @BeforeEach
  void start() {
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.toString());
    properties.setProperty("steno.path", root.resolve("app.steno").toString());
    properties.setProperty("steno.scribe", "external");
    properties.setProperty("steno.block_at_most", "0");
    session = Session.open(Config.of(properties));
    Control control = new Control(session);
    obeys = new Thread(() -> {
      while (!Thread.currentThread().isInterrupted()) {
        control.obey();
        try {
          Thread.sleep(1);
        } catch (InterruptedException e) {
          return;
        }
      }
    });
    obeys.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    obeys.interrupt();
    obeys.join();
    session.close();
  }

  private StenoCommand.Ran ctl(String... request) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("ctl", root.resolve("app.steno").toString()));
    line.add(request[0]);
    line.addAll(List.of("--root", root.toString(), "--timeout", "100s"));
    line.addAll(Arrays.asList(request).subList(1, request.length));
    return StenoCommand.run(line.toArray(new String[0]));
  }

  private void log(Channel channel, int level, String format, Object... arguments) {
    if (channel.isEnabled(level)) channel.log(level, ControlTest.class.getName(), format, arguments, arguments.length, null);
  }

  @Test
  void levelsAreObeyedByLoggersThatAreAndThatCome() throws Exception {
    Channel net = session.channel("com.acme.net", Slf4jSyntax.INSTANCE);
    assertFalse(net.isEnabled(Levels.DEBUG));
    StenoCommand.Ran ran = ctl("level", "warn,com.acme=debug");
    assertEquals(0, ran.code(), ran.out() + ran.err());
    assertTrue(net.isEnabled(Levels.DEBUG));
    assertTrue(session.channel("com.acme.db", Slf4jSyntax.INSTANCE).isEnabled(Levels.DEBUG));
    assertFalse(session.channel("org.other", Slf4jSyntax.INSTANCE).isEnabled(Levels.INFO));

    ran = ctl("level", "com.acme.net=off,storage.cc:12=debug,com.acme.db=loud");
    assertEquals(1, ran.code(), ran.out() + ran.err());
    assertTrue((ran.out() + ran.err()).contains("storage.cc:12"), ran.out() + ran.err());
    assertTrue((ran.out() + ran.err()).contains("loud"), ran.out() + ran.err());
    assertFalse(net.isEnabled(Levels.CRITICAL));

    ran = ctl("level", "reset");
    assertEquals(0, ran.code(), ran.out() + ran.err());
    assertTrue(net.isEnabled(Levels.WARN));
    assertFalse(net.isEnabled(Levels.INFO));
  }

  @Test
  void listHasLoggersAndStatements() throws Exception {
    Channel main = session.channel("com.acme.Main", Slf4jSyntax.INSTANCE);
    log(main, Levels.INFO, "opened {}\tin {} ms", "täxt", 7);
    log(main, Levels.WARN, "late");
    session.channel("com.acme.Quiet", Slf4jSyntax.INSTANCE);
    StenoCommand.Ran ran = ctl("list");
    assertEquals(0, ran.code(), ran.err());
    for (String wanted : List.of("level   INFO", "logger  INFO      com.acme.Main", "com.acme.Quiet", "opened {} in {} ms", "late")) {
      assertTrue(ran.out().contains(wanted), wanted + " in " + ran.out());
    }
  }

  @Test
  void statsCountWhatIsMissingAndWhatWaits() throws Exception {
    log(session.channel("com.acme.Main", Slf4jSyntax.INSTANCE), Levels.INFO, "one {}", 1);
    StenoCommand.Ran ran = ctl("stats", "--json");
    assertEquals(0, ran.code(), ran.err());
    assertTrue(ran.out().contains("\"dropped\":0"), ran.out());
    assertTrue(ran.out().contains("\"staging_bytes\":" + (Layout.HEADER_BYTES + Ring.FIRST_BYTES)), ran.out());
    assertFalse(ran.out().contains("\"backlog_bytes\":0"), ran.out());
  }

  @Test
  void flushSaysWhetherAllIsOnFile() throws Exception {
    StenoCommand.Ran nothing = ctl("flush");
    assertEquals(0, nothing.code(), nothing.out() + nothing.err());
    log(session.channel("com.acme.Main", Slf4jSyntax.INSTANCE), Levels.INFO, "one {}", 1);
    StenoCommand.Ran alone = ctl("flush");
    assertEquals(1, alone.code(), alone.out() + alone.err());
    assertTrue((alone.out() + alone.err()).contains("no scribe"), alone.out() + alone.err());
    Process scribe = StenoCommand.command("scribe", "--root", root.toString(), "--flush", "3600", root.resolve("app.steno").toString())
        .redirectErrorStream(true).redirectOutput(root.resolve("scribe.out").toFile()).start();
    try {
      // It may take its time to come.
      StenoCommand.Ran drained = ctl("flush");
      for (int tries = 0; drained.code() != 0 && tries < 100; tries++) drained = ctl("flush");
      assertEquals(0, drained.code(), drained.out() + drained.err());
      StenoCommand.Ran cat = StenoCommand.run("cat", "--pattern", "{message}", root.resolve("app.steno").toString());
      assertEquals("one 1\n", cat.out(), cat.err());
      StenoCommand.Ran rotated = ctl("rotate");
      assertEquals(0, rotated.code(), rotated.out() + rotated.err());
      cat = StenoCommand.run("cat", "--pattern", "{message}", root.resolve("app.steno").toString());
      assertEquals("", cat.out(), cat.err());
    } finally {
      scribe.destroy();
      assertTrue(scribe.waitFor(100, TimeUnit.SECONDS));
    }
  }

  @Test
  void whatCannotBeDoneIsRefused() throws Exception {
    for (String request : List.of("rotate", "dump")) {
      StenoCommand.Ran ran = ctl(request);
      assertEquals(1, ran.code(), ran.out() + ran.err());
    }
    assertEquals(1, ctl("disable", "late*").code());
  }

  /** A place without a statement makes the rounds fail. Requests are answered in the same rounds. */
  @Test
  void housekeepingGoesOnAfterARoundThatFails() throws Exception {
    obeys.interrupt();
    obeys.join();
    PrintStream before = System.err;
    ByteArrayOutputStream notices = new ByteArrayOutputStream();
    System.setErr(new PrintStream(notices, true, StandardCharsets.UTF_8));
    try {
      session.housekeeping().start();
      for (int failure = 0; failure < 3; failure++) {
        session.places().add(null, new Location.Caller(Location.UNKNOWN, ControlTest.class));
        StenoCommand.Ran ran = ctl("level", "reset");
        assertEquals(0, ran.code(), ran.out() + ran.err());
      }
    } finally {
      System.setErr(before);
    }
    String said = notices.toString(StandardCharsets.UTF_8);
    assertTrue(said.contains("housekeeping failed"), said);
    assertEquals(said.indexOf("housekeeping failed"), said.lastIndexOf("housekeeping failed"), said);
  }

  @Test
  void aFileThatOthersMayWriteOrThatIsDamagedIsPassedOver() throws Exception {
    obeys.interrupt();
    obeys.join();
    Path control = session.directory().resolve("control");
    Files.write(control, new byte[100]);
    Files.setPosixFilePermissions(control, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertNull(ControlFile.open(session.directory()));
    Files.setPosixFilePermissions(control, PosixFilePermissions.fromString("rw-------"));
    try (ControlFile file = ControlFile.open(session.directory())) {
      assertNull(file.read(0));
    }
    Files.delete(control);
    Files.createSymbolicLink(control, root.resolve("elsewhere"));
    Files.write(root.resolve("elsewhere"), new byte[100]);
    assertNull(ControlFile.open(session.directory()));
  }
}
