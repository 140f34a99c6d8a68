package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the place that the log names for a record, where several lines have the same format. */
class PlacesTest {
  private static final int MANY = 20;
  private static final Object[] NONE = {};

  @TempDir Path root;
  private Session session;

  /** A logger like those of the logging interfaces. */
  private static final class Logger {
    private final Channel channel;

    Logger(Channel channel) {
      this.channel = channel;
    }

    void info(String message) {
      channel.log(Levels.INFO, Logger.class.getName(), message, NONE, 0, null);
    }

    void info(String message, Object argument) {
      channel.log(Levels.INFO, Logger.class.getName(), message, new Object[] {argument}, 1, null);
    }

    void warn(String message) {
      channel.log(Levels.WARN, Logger.class.getName(), message, NONE, 0, null);
    }
  }

  private static final class Program {
    private final Logger logger;
    private final Logger audit;

    Program(Logger logger, Logger audit) {
      this.logger = logger;
      this.audit = audit;
    }

    private static int line() {
      return StackWalker.getInstance().walk(all -> all.skip(1).findFirst().orElseThrow().getLineNumber());
    }

    int once() {
      logger.info("once"); return line();
    }

    int first() {
      logger.info("twice"); return line();
    }

    int second() {
      logger.info("twice"); return line();
    }

    int warned() {
      logger.warn("twice"); return line();
    }

    int audited() {
      audit.info("twice"); return line();
    }

    int inALambda() {
      int[] line = new int[1];
      Runnable task = () -> {
        logger.info("here and in another class"); line[0] = line();
      };
      task.run();
      return line[0];
    }

    int inAClass() {
      int[] line = new int[1];
      Runnable task = new Runnable() {
        @Override
        public void run() {
          logger.info("here and in another class"); line[0] = line();
        }
      };
      task.run();
      return line[0];
    }

    int chosen(boolean either) {
      logger.info(either ? "either" : "or"); return line();
    }

    int large(int number) {
      switch (number) {
        case 1 -> logger.info("one");
        case 2 -> logger.info("two");
        case 1000 -> logger.info("many");
        default -> logger.info("one"); 
      }
      return line();
    }

    int alone() {
      logger.info("a constant elsewhere"); return line();
    }

    void notOfALogger(String text) {
      logger.info("before {}");
      take("a constant elsewhere");
      logger.info("after {}");
      if (text.equals("a constant elsewhere")) logger.info("found {}");
      logger.info(text.concat("a constant elsewhere"));
    }

    private static void take(String text) {
      assertFalse(text.isEmpty());
    }

    private static String none() {
      return "";
    }

    int withACall() {
      logger.info("with a call", none()); return line();
    }

    int withAnotherCall() {
      logger.info("with a call", none().concat("!")); return line();
    }

    void made(String message) {
      logger.info(message);
    }

    void madeElsewhere(String message) {
      logger.info(message);
    }
  }

  private Program program;

  @BeforeEach
  void start() {
    Properties properties = new Properties();
    properties.setProperty("steno.staging", root.toString());
    session = Session.open(Config.of(properties));
    program = new Program(logger("com.acme.Main"), logger("audit"));
  }

  private Logger logger(String name) {
    return new Logger(session.channel(name, Slf4jSyntax.INSTANCE));
  }

  @AfterEach
  void stop() {
    session.close();
  }

  private List<String> lines() throws Exception {
    StenoCommand.Ran ran = StenoCommand.run("cat", "--raw", "--pattern", "{file}:{line} {function}", "--live",
        session.directory().toString());
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().toList();
  }

  private static String at(int line, String method) {
    return "PlacesTest.java:" + line + ' ' + Program.class.getName() + '.' + method;
  }

  private static final String SEVERAL = "PlacesTest.java:0 " + Program.class.getName() + " (several places)";

  @Test
  void aStatementThatIsFoundInASecondPlaceIsInSeveral() throws Exception {
    int first = program.first();
    program.second();
    program.first();
    int warned = program.warned();
    int audited = program.audited();
    assertEquals(List.of(at(first, "first"), SEVERAL, SEVERAL, at(warned, "warned"), at(audited, "audited")), lines());
  }

  /** The text is no constant, so only calls themselves say where they are. */
  @Test
  void placesInSeveralClassesHaveNone() throws Exception {
    program.made("made");
    logger("com.acme.Main").info("made");
    String last = lines().get(1);
    assertTrue(last.endsWith(":0 (several places)"), last);
  }

  @Test
  void whatTheClassFileSaysIsKnownBeforeTheSecondIsMet() throws Exception {
    int once = 0;
    for (int i = 0; i < MANY; i++) {
      once = program.once();
      program.first();
    }
    session.places().look();
    program.once();
    program.first();
    List<String> lines = lines();
    assertEquals(2 * (MANY + 1), lines.size());
    assertEquals(at(once, "once"), lines.get(2 * MANY));
    assertEquals(SEVERAL, lines.get(2 * MANY + 1));
  }

  @Test
  void linesThatShareAConstantLoggerAndMethodAreFound() {
    ConstantCalls calls = new ConstantCalls(Program.class);
    String type = Program.class.getName();
    assertTrue(calls.isShared("twice", type, program.first()));
    assertTrue(calls.isShared("twice", type, program.second()));
    assertFalse(calls.isShared("twice", type, program.warned()));
    assertFalse(calls.isShared("twice", type, program.audited()));
    assertFalse(calls.isShared("once", type, program.once()));
    assertTrue(calls.isShared("here and in another class", type, program.inALambda()));
    assertTrue(calls.isShared("here and in another class", type + "$1", program.inAClass()));
    assertFalse(calls.isShared("either", type, program.chosen(true)));
    assertFalse(calls.isShared("or", type, program.chosen(false)));
    int end = program.large(2);
    assertTrue(calls.isShared("one", type, end - 5));
    assertTrue(calls.isShared("one", type, end - 2));
    assertFalse(calls.isShared("many", type, end - 3));
  }

  @Test
  void constantsOfOtherCallsAreNoLoggers() {
    ConstantCalls calls = new ConstantCalls(Program.class);
    String type = Program.class.getName();
    assertFalse(calls.isShared("a constant elsewhere", type, program.alone()));
    assertTrue(calls.isShared("with a call", type, program.withACall()));
    assertTrue(calls.isShared("with a call", type, program.withAnotherCall()));
  }

  @Test
  void ofWhatHasNoClassFileNothingIsKnown() throws Exception {
    byte[] bytes = bytes(Hidden.class);
    Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, false).lookupClass();
    assertFalse(new ConstantCalls(hidden).isShared("twice", hidden.getName(), 0));
    assertFalse(new ConstantCalls(int[].class).isShared("twice", "int[]", 0));
  }

  private static final class Hidden {}

  private static byte[] bytes(Class<?> type) throws Exception {
    try (InputStream in = type.getResourceAsStream('/' + type.getName().replace('.', '/') + ".class")) {
      return in.readAllBytes();
    }
  }

  /** Has a class, and any bytes for its class file. */
  private static final class Serving extends ClassLoader {
    byte[] served;
    Error thrown;

    Serving() {
      super(null);
    }

    Class<?> define(byte[] bytes) {
      return defineClass(null, bytes, 0, bytes.length);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
      if (thrown != null) throw thrown;
      return new ByteArrayInputStream(served);
    }
  }

  /** Class files come from the program's class loaders. */
  @Test
  void damagedClassFilesArePassedOver() throws Exception {
    byte[] whole = bytes(Program.class);
    Serving loader = new Serving();
    Class<?> type = loader.define(bytes(Hidden.class));
    loader.served = whole;
    assertTrue(new ConstantCalls(type).isShared("twice", type.getName(), program.first()));
    Random random = new Random(5);
    for (int round = 0; round < 5000; round++) {
      loader.served = Arrays.copyOf(whole, random.nextInt(10) == 0 ? random.nextInt(whole.length) : whole.length);
      for (int i = random.nextInt(4); i > 0 && loader.served.length != 0; i--) {
        loader.served[random.nextInt(loader.served.length)] = (byte) random.nextInt();
      }
      new ConstantCalls(type);
    }
  }

  @Test
  void aClassLoaderMayThrowAnything() throws Exception {
    Serving loader = new Serving();
    Class<?> type = loader.define(bytes(Hidden.class));
    loader.thrown = new NoClassDefFoundError("gone");
    assertFalse(new ConstantCalls(type).isShared("twice", type.getName(), 0));
    loader.thrown = new OutOfMemoryError("for now");
    assertThrows(OutOfMemoryError.class, () -> new ConstantCalls(type));
  }
}
