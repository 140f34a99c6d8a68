package io.github.steno;

import static io.github.steno.Layout.INT;
import static io.github.steno.Layout.LONG;

import io.github.steno.Layout.SessionFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
  /** A power of two. */
  private static final int MOST_SHARED = 8;
  private static final long LOOK_GAP_NS = 10_000_000;
  private static final long FOLLOW_GAP_MS = 100;
  private static final long REPORT_NS = 1_000_000_000;
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final long RETRY_NS = 1_000_000_000;
  private static final long GRACE_NS = 100_000_000;
  /** A process takes its time to come up. */
  private static final long GRACE_FOR_OURS_NS = 5_000_000_000L;
  private static final long END_MS = 5000;
  private static final long LONGEST_ALONE_NS = 1_000_000_000;

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
        session.startHousekeeping();
      } catch (IllegalStateException e) {
        session.close();  // the JVM shuts down: who would end it later?
      }
      return session;
    }
  }

  private final Config config;
  private final StagingDirectory staging;
  private final ByteBuffer file;
  /** null: there can be none. */
  private final Doorbell doorbell;
  private final Dictionary dictionary;
  /** null: it is somebody else's to start one. */
  private final Scribe scribe;
  /** Records have the time of the machine's counter. */
  private final boolean counts;
  private final Channels channels;
  private final Traces traces = new Traces();
  private final WovenSites woven = new WovenSites();
  private final Places places = new Places();
  private volatile boolean open;

  /** Guarded by this. */
  private Thread housekeeping;
  /** All rings, by id. Guarded by this. */
  private final List<RingLease> leases = new ArrayList<>();
  /** Those that threads take turns at, by the numbers of these. Each thread keeps to one, so its records stay in order. */
  private final AtomicReferenceArray<RingLease> shared = new AtomicReferenceArray<>(
      Math.min(MOST_SHARED, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1)));
  private long ringBytes;
  /** When there was no room for a ring. */
  private long refusedAt;

  private volatile long absentSince;
  private volatile boolean gaveUp;
  private long lastLook;

  /** Opened at the first call, which takes some 50 ms. */
  public static Session ofProcess() {
    return OfProcess.SESSION;
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
    ofProcess().endHousekeeping();
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

  /** In the first place that has room. Where there is none: a session that logs nothing, and has said why. */
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

  private Session(Config config) {
    this.config = config;
    counts = false;
    channels = new Channels(LevelRules.NOTHING);
    staging = null;
    file = null;
    doorbell = null;
    dictionary = null;
    scribe = null;
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
      startScribeIfAbsent();
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

  private synchronized void startScribeIfAbsent() throws IOException {
    if (scribe != null && !isServed() && !staging.isAttended()) scribe.start();
  }

  /** Package-private: for tests. */
  synchronized void startHousekeeping() {
    housekeeping = Threads.make(new Housekeeping(), "steno-housekeeping");
    housekeeping.setDaemon(true);
    housekeeping.start();
  }

  private void endHousekeeping() {
    Thread thread;
    synchronized (this) {
      thread = housekeeping;
    }
    if (thread == null) return;
    thread.interrupt();
    try {
      thread.join(END_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Closing implements Runnable {
    @Override
    public void run() {
      HOLDS.await();
      close();
    }
  }

  private final class Housekeeping implements Runnable {
    private final Control control = new Control(Session.this);
    private boolean hasFailed;

    @Override
    public void run() {
      long served = System.nanoTime();
      boolean prepared = false;
      while (open) {
        try {
          Thread.sleep(FOLLOW_GAP_MS);
          if (!prepared) {
            Memory.prepare(file);
            if (counts) Counter.prepare();
            OwnClasses.loadIfNeeded();
          }
          prepared = true;
          if (!counts) WallClock.follow();
          control.obey();
          channels.follow(config);
          places.look();
          if (scribe == null) continue;
          long now = System.nanoTime();
          if (isServed()) {
            served = now;
          } else if (now - served > LONGEST_ALONE_NS) {
            startScribe();  // there may be one for other logs
          }
        } catch (InterruptedException e) {
          return;
        } catch (OutOfMemoryError e) {
          // The next time there may be some.
        } catch (Throwable e) {
          complain(e);
        }
      }
    }

    /** Once. Does not throw: what failed may be the program's stderr. */
    private void complain(Throwable cause) {
      if (hasFailed) return;
      hasFailed = true;
      try {
        Notices.say("a round of housekeeping failed; others follow: " + cause);
      } catch (Throwable e) {
        // Nothing is left to say it with.
      }
    }
  }

  private synchronized void startScribe() {
    if (open) scribe.start();
  }

  /** The channel of a logger; the same for the same name and syntax. */
  public Channel channel(String name, MessageSyntax syntax) {
    return channels.of(name, syntax, this);
  }

  Channels channels() {
    return channels;
  }

  synchronized List<Ring> rings() {
    return leases.stream().map(lease -> lease.ring).toList();
  }

  long discarded() {
    return (long) LONG.getAcquire(file, SessionFile.DISCARDED);
  }

  /** The number of what is asked (spec/ring.md §6). Pairs with the release of who asks. */
  int requested() {
    return (int) INT.getAcquire(file, SessionFile.CONTROL_REQUEST);
  }

  /** Of what was answered last. */
  int answered() {
    return (int) INT.getAcquire(file, SessionFile.CONTROL_ANSWER);
  }

  void answer(int number) {
    INT.setRelease(file, SessionFile.CONTROL_ANSWER, number);
  }

  /** Where records wait; null: nowhere. */
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

  /** Whether all records are also printed on stdout or stderr ({@code steno.console}). */
  public boolean isOnConsole() {
    return canWake() && !config.console.isEmpty();
  }

  boolean isOpen() {
    return open;
  }

  /** The time that records have, as far as no thread's ring knows better. */
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

  /** A ring for the calling thread: one that a dead thread has left, a new one, or one of those for all others. */
  RingLease lease() {
    Thread thread = Thread.currentThread();
    if (!Threads.isVirtual(thread)) return ownLease(thread);
    RingLease known = shared.get(turnOf(thread));
    return known != null && open ? known : sharedLease(thread);
  }

  private int turnOf(Thread thread) {
    return (int) thread.getId() & shared.length() - 1;
  }

  private synchronized RingLease ownLease(Thread thread) {
    if (!open) return null;
    RingLease lease = leftLease();
    if (lease == null && !mayMakeOne()) return sharedLease(thread);
    if (lease == null) lease = makeLease(false);
    if (lease == null) return anyShared();
    lease.take(thread);
    return lease;
  }

  private synchronized RingLease sharedLease(Thread thread) {
    if (!open) return null;
    int turn = turnOf(thread);
    RingLease known = shared.get(turn);
    if (known != null) return known;
    RingLease any = anyShared();
    RingLease made = any != null && !mayMakeOne() ? null : makeLease(true);
    if (made != null) shared.set(turn, made);
    return made != null ? made : any;
  }

  /**
   * One more ring, so that there is room for one that threads share, and for statements: a thread without a ring could not wait
   * for room, for what the scribe drains makes none.
   */
  private boolean mayMakeOne() {
    if (leases.size() + 1 >= config.mostRings) return false;
    if (leases.isEmpty() || staging.hasRoomForRings(anyShared() == null ? 2 : 1, Ring.FIRST_BYTES)) return true;
    Notices.say(staging.path + ": no room for more rings: further threads take turns at one");
    return false;
  }

  /** null: there is none. */
  private RingLease anyShared() {
    for (int i = 0; i < shared.length(); i++) {
      if (shared.get(i) != null) return shared.get(i);
    }
    return null;
  }

  /** A ring whose thread has ended, with room; null: there is none. */
  private RingLease leftLease() {
    for (RingLease lease : leases) {
      boolean hasRoom = lease.ring.tail() - lease.ring.head() < lease.ring.capacity() / 2;
      if (!lease.isShared() && hasRoom && lease.isLeft()) return lease;
    }
    return null;
  }

  /** null: there is no room, now and for the next second. */
  private RingLease makeLease(boolean shares) {
    if (refusedAt != 0 && System.nanoTime() - refusedAt < RETRY_NS) return null;
    int id = leases.size();
    try {
      ByteBuffer memory = staging.makeRing(id, Ring.FIRST_BYTES);
      Ring ring = new Ring(id, memory, Ring.FIRST_BYTES, config.ringBytes, counts,
          file.getLong(SessionFile.SESSION_ID), host);
      ringBytes += Ring.FIRST_BYTES;
      RingLease lease = new RingLease(ring, shares);
      leases.add(lease);
      INT.setRelease(file, SessionFile.RING_COUNT, id + 1);
      return lease;
    } catch (IOException e) {
      refusedAt = System.nanoTime();
      Notices.say(staging.path + ": no room for a thread's ring: " + e
          + (anyShared() == null ? "; its records are discarded and counted" : ""));
      return null;
    }
  }

  private final Ring.Host host = new Ring.Host() {
    @Override
    public ByteBuffer grow(Ring ring, int capacity) {
      return growRing(ring, capacity);
    }

    @Override
    public void wake(boolean soon) {
      Session.this.wake(soon);
    }
  };

  private synchronized ByteBuffer growRing(Ring ring, int capacity) {
    long more = capacity - ring.capacity();
    if (!open || ringBytes + more > config.stagingLimit) return null;
    try {
      ByteBuffer memory = staging.growRing(ring.id, capacity);
      ringBytes += more;
      return memory;
    } catch (IOException e) {
      Notices.say(staging.path + ": rings cannot grow: " + e + "; threads that log much will wait for the scribe, or drop records, sooner");
      return null;
    }
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

  /** Whether a call that finds no room is to wait: while somebody drains, or has not been away for too long. */
  boolean waitsForRoom() {
    if (!open || config.drops) return false;
    if (config.blockAtMost < 0) return true;
    lookForScribe();
    return !gaveUp;
  }

  private synchronized void lookForScribe() {
    long now = System.nanoTime();
    if (now - lastLook < LOOK_GAP_NS) return;
    lastLook = now;
    if (isServed()) {
      if (gaveUp) Notices.say("a scribe drains the rings again");
      absentSince = 0;
      gaveUp = false;
      return;
    }
    if (absentSince == 0) absentSince = now;
    if (gaveUp || now - absentSince < config.blockAtMost * 1_000_000) return;
    gaveUp = true;
    Notices.say("no scribe has drained the rings for " + config.blockAtMost
        + " ms (steno.block_at_most): full rings drop and count records until one does ('steno scribe')");
  }

  /** Whether somebody drains, and can write. */
  boolean isServed() {
    try {
      return staging.isDrained() && (int) INT.getOpaque(file, SessionFile.REFUSES) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Ends the session in order, waits until its end is on file if somebody drains it, and removes staging then. Calls from
   * then on log nothing.
   */
  @Override
  public void close() {
    List<RingLease> all;
    synchronized (this) {
      if (!open) return;
      open = false;
      all = List.copyOf(leases);
    }
    for (RingLease lease : all) lease.ring.leaveDrops(REPORT_NS);
    INT.setRelease(file, SessionFile.STOPPED, 1);
    wake(true);
    try {
      boolean unused = all.isEmpty() && staging.remove();
      boolean ended = unused || waitForEnd();
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

  private boolean waitForEnd() throws IOException {
    startScribeIfAbsent();
    long begin = System.nanoTime();
    long served = begin;
    while ((int) INT.getAcquire(file, SessionFile.STATE) != SessionFile.STATE_ENDED) {
      long now = System.nanoTime();
      long grace = scribe == null || scribe.hasFailed() ? GRACE_NS : GRACE_FOR_OURS_NS;
      if (isServed() || staging.isAttended()) served = now;
      if (now - served > grace || now - begin > PATIENCE_NS) return false;
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
