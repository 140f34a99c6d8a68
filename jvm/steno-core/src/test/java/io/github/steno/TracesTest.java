package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.steno.staging.Layout;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stack traces: what is read is what {@link Throwable#printStackTrace} prints, and how many bytes that takes. */
class TracesTest {
  @TempDir Path root;
  private Session session;
  private Channel channel;
  /** The expected messages of the log, each with {@link DrainedLog#END}. */
  private final StringBuilder expected = new StringBuilder();

  @BeforeEach
  void start() {
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.toString());
    properties.setProperty("steno.block_at_most", "0");
    properties.setProperty("steno.ring_bytes", String.valueOf(64 << 20));
    session = Session.open(Config.of(properties));
    channel = session.channel("com.acme.Main", Slf4jSyntax.INSTANCE);
  }

  @AfterEach
  void stop() {
    session.close();
  }

  private void log(int number, Throwable thrown) {
    Object[] arguments = {number};
    channel.log(Levels.ERROR, "none", "failed {}", arguments, 1, thrown);
    expected.append("failed ").append(number).append('\n').append(printed(thrown)).append(DrainedLog.END);
  }

  private static String printed(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    String all = text.toString();
    return all.endsWith("\n") ? all.substring(0, all.length() - 1) : all;
  }

  private void expectMessages() throws Exception {
    StenoCommand.Ran check = StenoCommand.run("check-ring", session.directory().toString());
    assertEquals(0, check.code(), check.out() + check.err());
    StenoCommand.Ran ran =
        StenoCommand.run("cat", "--raw", "--pattern", "{message}\u0001", "--live", session.directory().toString());
    assertEquals(0, ran.code(), ran.err());
    String[] wanted = expected.toString().split(DrainedLog.END);
    String[] got = ran.out().split(DrainedLog.END);
    for (int i = 0; i < Math.min(wanted.length, got.length); i++) assertEquals(wanted[i], got[i], "message " + i);
    assertEquals(wanted.length, got.length);
  }

  private long dictionaryBytes() throws IOException {
    return Files.size(session.directory().resolve("dictionary"));
  }

  private long ringBytes() throws IOException {
    byte[] ring = Files.readAllBytes(session.directory().resolve("ring-0"));
    return ByteBuffer.wrap(ring).order(ByteOrder.LITTLE_ENDIAN).getLong(Layout.RingHeader.TAIL);
  }

  private static RuntimeException thrown(int depth, String message, Throwable cause) {
    return depth == 0 ? new IllegalStateException(message, cause) : thrown(depth - 1, message, cause);
  }

  @Test
  void aTraceThatIsMetAgainCostsItsMessages() throws Exception {
    long ring = 0;
    long dictionary = 0;
    for (int i = 0; i < 1002; i++) {
      log(i, thrown(50, "message " + i, new IOException("disk " + i % 3)));
      if (i == 1) {
        ring = ringBytes();
        dictionary = dictionaryBytes();
      }
    }
    long bytes = (ringBytes() - ring) / 1000;
    assertTrue(bytes <= 64, bytes + " bytes a record");
    assertEquals(dictionary, dictionaryBytes());
    expectMessages();
  }

  @Test
  void generatedThrowablesArePrintedAsJavaDoes() throws Exception {
    for (int i = 0; i < 150; i++) {
      // Log the throwable again, so that it has a site, and then with other messages.
      for (int salt : new int[] {0, 0, 0, 1, 2}) log(i, new Generator(i, salt).throwable(0));
    }
    assertTrue(dictionaryBytes() > 100_000, dictionaryBytes() + " bytes: few of them have sites");
    expectMessages();
  }

  @Test
  void tracesWithoutEndDoNotFillTheDictionary() throws Exception {
    Throwable early = thrown(3, "early", null);
    for (int i = 0; i < 3; i++) log(i, early);
    String wide = "x".repeat(500);
    for (int i = 0; i < 300; i++) {
      Throwable made = new RuntimeException("made {} " + i);
      StackTraceElement[] frames = new StackTraceElement[30];
      for (int f = 0; f < frames.length; f++) frames[f] = new StackTraceElement(wide + i, "call", "File.java", f);
      made.setStackTrace(frames);
      for (int again = 0; again < 2; again++) log(i, made);
    }
    log(7, early);
    long bytes = dictionaryBytes();
    assertTrue(bytes > 1 << 20 && bytes < 9 << 20, bytes + " bytes");
    expectMessages();
  }

  @Test
  void aTraceMayBeLargerThanAnyFormat() throws Exception {
    StackTraceElement[] frames = new StackTraceElement[1024];
    for (int f = 0; f < frames.length; f++) frames[f] = new StackTraceElement("com.acme." + "deep".repeat(20), "call", "F.java", f);
    Throwable made = new StackOverflowError();
    made.setStackTrace(frames);
    for (int i = 0; i < 4; i++) log(i, made);
    Throwable chain = null;
    for (int i = 0; i < 200; i++) chain = new RuntimeException(i % 2 == 0 ? null : "level " + i, chain);
    for (int i = 0; i < 4; i++) log(i, chain);
    expectMessages();
  }

  @Test
  void threadsThatMeetOneTraceHaveOneSite() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(new Thread(() -> {
        for (int i = 0; i < 200; i++) {
          channel.log(Levels.ERROR, "none", "failed {}", new Object[] {i}, 1, new IllegalStateException("of all"));
        }
      }));
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    StenoCommand.Ran ran = StenoCommand.run("cat", "--raw", "--pattern", "{message}\u0001", "--live", session.directory().toString());
    assertEquals(0, ran.code(), ran.err());
    assertEquals(800, ran.out().split(DrainedLog.END).length);
    // The dictionary has the site with the text and the site with the trace.
    assertTrue(dictionaryBytes() < 2000, dictionaryBytes() + " bytes");
  }

  /** Throwables of all kinds: one seed gives one shape, the salt other messages. */
  private static final class Generator {
    private final Random shape;
    private final int salt;
    private final List<Throwable> made = new ArrayList<>();

    Generator(int seed, int salt) {
      this.shape = new Random(seed);
      this.salt = salt;
    }

    Throwable throwable(int level) {
      Throwable own = own();
      made.add(own);
      frames(own);
      int suppressed = level > 2 ? 0 : Math.max(0, shape.nextInt(5) - 2);
      for (int i = 0; i < suppressed; i++) own.addSuppressed(inner(own, level));
      if (level < 4 && shape.nextInt(3) != 0) {
        Throwable cause = inner(own, level);
        if (cause != own && own.getCause() == null) initCause(own, cause);
      }
      return own;
    }

    private Throwable inner(Throwable own, int level) {
      Throwable known = made.get(shape.nextInt(made.size()));
      return known != own && shape.nextInt(6) == 0 ? known : throwable(level + 1);
    }

    private static void initCause(Throwable of, Throwable cause) {
      try {
        of.initCause(cause);
      } catch (IllegalStateException e) {
        // It has none, for good.
      }
    }

    /** The end of the stack is like others', often. */
    private void frames(Throwable of) {
      StackTraceElement[] frames = new StackTraceElement[shape.nextInt(8)];
      for (int i = 0; i < frames.length; i++) {
        int fromEnd = frames.length - i;
        int line = fromEnd < 4 && shape.nextInt(10) != 0 ? fromEnd : shape.nextInt(100) - 3;
        frames[i] = new StackTraceElement(line % 5 == 0 ? "app" : null, line % 7 == 0 ? "a.module" : null, null,
            "com.acme.{C}" + line, "<init>", line % 3 == 0 ? null : "C.java", line);
      }
      if (shape.nextInt(4) != 0) of.setStackTrace(frames);
    }

    private String message() {
      String end = " " + salt * 17;
      return switch (shape.nextInt(7)) {
        case 0 -> null;
        case 1 -> "";
        case 2 -> "lines\n\tat of text {}" + end + "\n";
        case 3 -> "tëxt % }{ €" + end;
        case 4 -> ": " + end;
        default -> "message" + end;
      };
    }

    private Throwable own() {
      String message = message();
      return switch (shape.nextInt(12)) {
        case 0 -> new Renamed(message);
        case 1 -> new Extended(message);
        case 2 -> new Nameless(message);
        case 3 -> new NoStack(message);
        case 4 -> new OtherFrames(message);
        case 5 -> new StackOverflowError(message);
        case 6 -> new Exception(message, null);
        default -> new IllegalStateException(message);
      };
    }
  }

  private static class Renamed extends Exception {
    private static final long serialVersionUID = 1;

    Renamed(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return "Renamed " + getMessage();
    }
  }

  private static final class Extended extends Exception {
    private static final long serialVersionUID = 1;

    Extended(String message) {
      super(message);
    }

    @Override
    public void printStackTrace(PrintWriter to) {
      to.println("its own way: " + getMessage());
      super.printStackTrace(to);
    }
  }

  private static final class Nameless extends Exception {
    private static final long serialVersionUID = 1;

    Nameless(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }

  private static final class NoStack extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoStack(String message) {
      super(message, null, true, false);
    }
  }

  private static final class OtherFrames extends RuntimeException {
    private static final long serialVersionUID = 1;

    OtherFrames(String message) {
      super(message);
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      return new StackTraceElement[] {new StackTraceElement("other", "frame", null, 1)};
    }
  }
}
