package io.github.steno;

import static io.github.steno.staging.Layout.INT;
import static io.github.steno.staging.Layout.LONG;

import io.github.steno.machine.Counter;
import io.github.steno.machine.Native;
import io.github.steno.machine.Notices;
import io.github.steno.machine.Threads;
import io.github.steno.machine.Uninterrupted;
import io.github.steno.machine.WallClock;
import io.github.steno.ring.Memory;
import io.github.steno.scribe.Scribe;
import io.github.steno.scribe.ScribeProcess;
import io.github.steno.scribe.ScribeThread;
import io.github.steno.scribe.ScribeWatch;
import io.github.steno.staging.Dictionary;
import io.github.steno.staging.Doorbell;
import io.github.steno.staging.Layout.SessionFile;
import io.github.steno.staging.SessionHeader;
import io.github.steno.staging.StagingDirectory;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The log of this process: staging that a scribe drains (spec/ring.md), in this process or outside, and the loggers' channels.
 * There is one for the process, {@link #ofProcess()}, opened when it is first asked for and closed when
 * the JVM shuts down; what it cannot do it says on stderr, once, and never throws.
 *
 * <p>What a call has returned from survives the process, however that ends.
 *
 * <p>Thread safety: any thread.
 */
public final class Session implements AutoCloseable {
  private static final long REPORT_NS = 1_000_000_000;

  private static final ShutdownHolds HOLDS = new ShutdownHolds();
  /** Closes the session of the process; null: there is none, or it was not open. */
  private static volatile Thread hook;

  private static final class OfProcess {
    static final Session SESSION = start();

    private static Session start() {
      Session session = open(Config.load());
      if (!session.isOpen()) return session;
      try {
        hook = Threads.make(session.new Closing(), "steno-close");
        Runtime.getRuntime().addShutdownHook(hook);
        session.housekeeping.start();
      } catch (IllegalStateException e) {
        session.close();  // the JVM shuts down: who would end it later?
      }
      return session;
    }
  }

  private final Config config;
  private final StagingDirectory staging;
  private final ByteBuffer file;
  /** Null if there can be no doorbell. */
  private final Doorbell doorbell;
  private final Dictionary dictionary;
  /** Null if somebody else has to start a scribe. */
  private final Scribe scribe;
  /** Records have the time of the machine's counter. */
  private final boolean counts;
  private final Channels channels;
  private final Traces traces = new Traces();
  private final WovenSites woven = new WovenSites();
  private final Places places = new Places();
  private final Rings rings;
  /** Null if there is no staging. */
  private final ScribeWatch watch;
  private final Housekeeping housekeeping = new Housekeeping(this);
  private volatile boolean open;

  /**
   * The session of a thread that logs while it opens the session: from JDK 22 on, the JDK logs that it starts a
   * process, such as a scribe.
   */
  private static final class StandIn {
    static final Session SESSION = new Session(null);
  }

  /**
   * Opened at the first call, which takes some 50 ms. The thread that opens it gets another one until then, which is not open and
   * records nothing.
   */
  public static Session ofProcess() {
    Session session = OfProcess.SESSION;
    return session != null ? session : StandIn.SESSION;
  }

  /**
   * Closes the session of the process before the JVM shuts down, if there is one, and ends its threads: for an application that
   * has brought steno with it and is undeployed. What is logged afterwards is lost. Takes some milliseconds if a scribe drains.
   */
  public static void closeOfProcess() {
    Thread closing = hook;
    if (closing == null) return;
    try {
      Runtime.getRuntime().removeShutdownHook(closing);
    } catch (IllegalStateException e) {
      return;  // the JVM shuts down, and closes it
    }
    hook = null;
    ofProcess().close();
    ofProcess().housekeeping.end();
    ofProcess().staging.leave();
    Recorder.forgetAll();
  }

  /**
   * Has the session of the process closed later when the JVM shuts down: not as long as somebody logs in a shutdown hook of its
   * own, but after two minutes at most.
   *
   * @param logs whether it still does; asked every few milliseconds while the JVM shuts down. It must not throw
   */
  public static void closeAfter(BooleanSupplier logs) {
    HOLDS.add(logs);
  }

  /**
   * Opens a session in the first place that has room. If there is none, the session logs nothing, and has reported why.
   */
  static Session open(Config config) {
    StringBuilder reasons = new StringBuilder();
    boolean drainsHere = config.scribe.equals(Config.THREAD);
    boolean isNative = (drainsHere || config.clock.equals(Config.COUNTER)) && loadNative(drainsHere);
    for (Path root : StagingDirectory.roots(config.staging)) {
      try {
        Session session = new Session(config, isNative, Uninterrupted.run(new Uninterrupted.Work<StagingDirectory>() {
          @Override
          public StagingDirectory run() throws IOException {
            return new StagingDirectory(root, isNative);
          }
        }));
        if (reasons.length() != 0) Notices.say("staging is in " + session.staging.path + ":" + reasons);
        return session;
      } catch (IOException | RuntimeException e) {
        reasons.append(' ').append(e).append(';');
      }
    }
    Notices.say("nothing is logged, because staging cannot be made anywhere:" + reasons);
    return new Session(config);
  }

  private static boolean loadNative(boolean drainsHere) {
    String problem = Native.load();
    if (problem == null) return true;
    if (!drainsHere) {
      Notices.say("steno.clock: the machine's counter cannot be read: " + problem);
    } else if (ScribeProcess.isInstalled()) {
      return false;
    } else {
      Notices.say("no scribe can run in this process: " + problem + "; records wait until 'steno scribe' is started");
    }
    return false;
  }

  /** One that records nothing. */
  private Session(Config config) {
    this.config = config;
    counts = false;
    channels = new Channels(LevelRules.NOTHING);
    staging = null;
    file = null;
    doorbell = null;
    dictionary = null;
    scribe = null;
    rings = new Rings(this, config, null, false);
    watch = null;
  }

  private Session(Config config, boolean isNative, StagingDirectory staging) throws IOException {
    this.config = config;
    counts = isNative && !config.clock.equals(Config.WALL) && Native.clockKind() == SessionFile.CLOCK_TSC;
    channels = new Channels(config.levels);
    this.staging = staging;
    file = staging.session;
    dictionary = new Dictionary(staging);
    doorbell = Doorbell.open(staging);
    scribe = makeScribe(isNative);
    rings = new Rings(this, config, staging, counts);
    watch = new ScribeWatch(config.blockAtMost, staging, scribe);
    new SessionHeader(staging, counts).begin(config.path.isEmpty() ? "" : logPath(),
        doorbell == null ? SessionFile.DOORBELL_NONE : canWake() ? SessionFile.DOORBELL_RINGS : SessionFile.DOORBELL_MUTE);
    addDiscarded(0);  // linked now, which takes memory: what it counts later may be what found none
    open = true;
    staging.giveConsumer();
    if (doorbell != null) doorbell.callForSession(file.getInt(SessionFile.PID), staging.nonce);
    if (canWake()) scribe.wake();
    if (scribe instanceof ScribeThread) {
      scribe.start();
    } else {
      watch.startIfAbsent();
    }
  }

  private Scribe makeScribe(boolean isNative) {
    boolean here = config.scribe.equals(Config.THREAD);
    if (here && isNative) return new ScribeThread(staging.root, staging.path, logPath(), config.console, config.sinks);
    if (!config.console.isEmpty()) {
      Notices.say("steno.console: there is no scribe in this process; use 'steno scribe --console'");
    }
    if (config.scribe.equals(Config.EXTERNAL)) {
      if (!config.sinks.isEmpty()) Notices.say("steno.sinks: the scribe is external; start it with --config " + config.sinks);
      return null;
    }
    if (here && !ScribeProcess.isInstalled()) return null;
    return new ScribeProcess(here ? ScribeProcess.COMMAND : config.scribe, staging.root, logPath(), config.sinks);
  }

  private String logPath() {
    return Path.of(config.path).toAbsolutePath().toString();
  }

  private final class Closing implements Runnable {
    @Override
    public void run() {
      HOLDS.await();
      close();
    }
  }

  /** The channel of a logger; the same for the same name and syntax. */
  public Channel channel(String name, MessageSyntax syntax) {
    return channels.of(name, syntax, this);
  }

  Channels channels() {
    return channels;
  }

  Rings rings() {
    return rings;
  }

  /** Returns null if there is no staging. */
  ScribeWatch watch() {
    return watch;
  }

  /** Package-private: for tests. */
  Housekeeping housekeeping() {
    return housekeeping;
  }

  /** Takes into use what the thread for it prepares: memory, and the machine's counter. */
  void prepare() {
    Memory.prepare(file);
    if (counts) Counter.prepare();
  }

  /** The chores that follow the time and the configuration, each some time later. */
  void follow() {
    if (!counts) WallClock.follow();
    channels.follow(config);
    places.look();
  }

  long discarded() {
    return (long) LONG.getAcquire(file, SessionFile.DISCARDED);
  }

  /** Returns the number of the current request (spec/ring.md §6). Pairs with the release of the process that asks. */
  int requested() {
    return (int) INT.getAcquire(file, SessionFile.CONTROL_REQUEST);
  }

  /** Returns the number of the request that was answered last. */
  int answered() {
    return (int) INT.getAcquire(file, SessionFile.CONTROL_ANSWER);
  }

  void answer(int number) {
    INT.setRelease(file, SessionFile.CONTROL_ANSWER, number);
  }

  /** Returns the directory of the session's staging; null if there is none. */
  Path directory() {
    return staging == null ? null : staging.path;
  }

  Dictionary dictionary() {
    return dictionary;
  }

  Traces traces() {
    return traces;
  }

  WovenSites woven() {
    return woven;
  }

  Places places() {
    return places;
  }

  /** Returns whether all records are also printed on stdout or stderr ({@code steno.console}). */
  public boolean isOnConsole() {
    return canWake() && !config.console.isEmpty();
  }

  /**
   * Returns whether it stands in for the session that this thread is opening just now. Objects of it must not be kept,
   * because they would never record anything.
   */
  public boolean isStandIn() {
    return this == StandIn.SESSION;
  }

  boolean isOpen() {
    return open;
  }

  /** Returns the time for a record. A ring may replace it by a later one. */
  long clock() {
    return counts ? Counter.read() : WallClock.stamp();
  }

  /** Counts a record that could not be logged at all. */
  void discard() {
    if (open) addDiscarded(1);
  }

  private void addDiscarded(long more) {
    LONG.getAndAddRelease(file, SessionFile.DISCARDED, more);
  }

  /** Does not throw, though there may be no memory for a notice. */
  void refuse(Throwable cause) {
    discard();
    try {
      Notices.say("a message could not be logged: " + cause);
    } catch (VirtualMachineError e) {
      // It is counted.
    }
  }

  /** A ring for the calling thread; null: there is none. */
  RingLease lease() {
    return rings.lease();
  }

  /**
   * Tells the scribe that there is something. Java cannot wake who waits for a word, only a scribe of this process: others see it
   * when they look by themselves.
   */
  void wake(boolean soon) {
    if (soon) INT.getAndAddRelease(file, SessionFile.REQUESTS, 1);
    VarHandle.fullFence();
    if ((int) INT.getOpaque(file, SessionFile.SCRIBE_SLEEPING) == 0) return;
    INT.setOpaque(file, SessionFile.SCRIBE_SLEEPING, 0);
    if (doorbell == null) return;
    doorbell.call();
    if (canWake()) scribe.wake();
  }

  private boolean canWake() {
    return scribe instanceof ScribeThread;
  }

  /**
   * Returns whether a call that finds no room waits. It does while somebody drains, or has not been absent for too
   * long.
   */
  boolean waitsForRoom() {
    return open && !config.drops && (config.blockAtMost < 0 || !watch.hasGivenUp());
  }

  /** Returns whether a scribe drains the session and can write. */
  boolean isServed() {
    return watch.isServed();
  }

  /**
   * Ends the session in order, waits until its end is on file if somebody drains it, and removes staging then. Calls from
   * then on log nothing.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (!open) return;
      open = false;
    }
    watch.sessionEnds();
    List<RingLease> all = rings.close();
    for (RingLease lease : all) lease.ring.leaveDrops(REPORT_NS);
    INT.setRelease(file, SessionFile.STOPPED, 1);
    wake(true);
    try {
      boolean unused = all.isEmpty() && staging.remove();
      boolean ended = unused || watch.waitForEnd();
      if (scribe != null) scribe.end();
      if (unused || (ended && staging.remove())) return;
    } catch (IOException e) {
      Notices.say(staging.path + ": " + e);
    }
    if ((int) INT.getAcquire(file, SessionFile.STATE) == SessionFile.STATE_ENDED) return;  // removed by who recovers
    long bytes = 0;
    for (RingLease lease : all) bytes += lease.ring.tail() - lease.ring.head();
    Notices.say(bytes + " bytes of records wait in " + staging.path + ": 'steno scribe' or 'steno recover' writes them");
  }
}
