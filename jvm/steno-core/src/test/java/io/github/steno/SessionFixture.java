package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.ring.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Opens a session for each test, logs into it, and reads its staging by the steno command. */
abstract class SessionFixture {
  private static final String BOUNDARY = SessionFixture.class.getName();

  /** Every {@code %} is a field. */
  static final MessageSyntax SYNTAX = new MessageSyntax() {
    @Override
    public String[] parse(String format, int arguments) {
      return format.split("%", (int) Math.min(Integer.MAX_VALUE, arguments + 1L));
    }

    @Override
    public String render(Object argument) {
      return argument.toString();
    }

    @Override
    public String format(String format, Object[] arguments) {
      return String.format(format.replace("%", "%s"), arguments);
    }
  };

  @TempDir Path root;
  Session session;
  Channel channel;

  /** Has records written as in a process that has run for a while: from JDK 22 on, that is another way. */
  static void prepareMemory() {
    Memory.prepare(ByteBuffer.allocateDirect(Integer.BYTES));
    assertTrue(Memory.isReady());
  }

  @BeforeEach
  void start() {
    open(Map.of());
  }

  void open(Map<String, String> options) {
    if (session != null) session.close();
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.toString());
    properties.setProperty("steno.block_at_most", "0");
    properties.putAll(options);
    session = Session.open(Config.of(properties));
    channel = session.channel("com.acme.Main", SYNTAX);
  }

  @AfterEach
  void stop() {
    session.close();
  }

  String staging() {
    return session.directory().toString();
  }

  void log(String format, Object... arguments) {
    channel.log(Levels.INFO, BOUNDARY, format, arguments, arguments.length, null);
  }

  void expectSound() throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run("check-ring", staging());
    assertEquals(0, ran.code(), ran.out() + ran.err());
    assertTrue(ran.out().contains(": sound"), ran.out());
  }

  /** Returns the messages in staging, read as those of a live process. */
  List<String> messages(String pattern) throws IOException, InterruptedException {
    StenoCommand.Ran ran = StenoCommand.run("cat", "--raw", "--pattern", pattern, "--live", staging());
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().toList();
  }
}
