package io.github.steno;

import io.github.steno.machine.HeldByThreads;
import io.github.steno.machine.Threads;
import io.github.steno.ring.Ring;
import io.github.steno.staging.Layout;
import io.github.steno.staging.Layout.Sites;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The state with which one thread writes its records: its ring, or its turn at the ring that threads share. */
final class Recorder {
  private static final ThreadLocal<Recorder> OF_THREAD = new ThreadLocal<>();
  private static final boolean IS_IN_APPLICATION = OwnClasses.isInApplication();
  /** The recorders of threads that may outlive this class. */
  private static final HeldByThreads<Recorder> HELD = IS_IN_APPLICATION ? new HeldByThreads<>(Recorder::new) : null;
  private static final AtomicInteger INDICES = new AtomicInteger();
  private static final int MOST_NAME = 255;
  private static final byte[] NO_CONTEXT = {0};
  private static final Arguments[] NO_ARGUMENTS = {};
  private static final int MOST_INTRODUCTION = Layout.roundUp8(Layout.ARGUMENTS + 16 + MOST_NAME);
  private static final int SPINS = 100;
  private static final long SHORTEST_PAUSE_NS = 20_000;
  private static final long LONGEST_PAUSE_NS = 1_000_000;

  private final boolean isVirtual = Threads.isVirtual(Thread.currentThread());
  // Many threads set a context and log nothing, or two lines: what only records need is made for the first.
  /** 0: it has not been introduced yet. */
  private int index;
  private long tid;
  /** The state for quick calls; null: there was no record yet. */
  private Producer producer;
  private Arguments[] arguments = NO_ARGUMENTS;
  private RingLease lease;
  /** The producer's name as the log has it. */
  private byte[] nameText = {};
  /** The bytes that a context record has after its clock; null: there are none. */
  private byte[] context;
  private Map<String, String> contextValues = Map.of();
  /** True if {@link #contextValues} changed after they were encoded. */
  private boolean hasNewValues;
  /** True if the context that the ring has is another one. */
  private boolean contextIsStale;

  static Recorder ofThread() {
    Recorder known = OF_THREAD.get();
    return known != null ? known : make();
  }

  private static Recorder make() {
    if (IS_IN_APPLICATION) return HELD.ofThread();
    Recorder made = new Recorder();
    OF_THREAD.set(made);
    return made;
  }

  /** Lets go of all threads' recorders, where an application that is undeployed has steno of its own: the threads live on. */
  static void forgetAll() {
    if (IS_IN_APPLICATION) HELD.forgetAll();
  }

  Producer producer() {
    Producer known = producer;
    return known != null ? known : (producer = new Producer(Thread.currentThread()));
  }

  /** The number that the system knows the calling thread by; of a virtual thread, whose carrier changes, its own. */
  private static long numberOf(boolean isVirtual) {
    if (isVirtual) return Thread.currentThread().getId();
    try {
      return Long.parseLong(Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString());
    } catch (Exception e) {
      return Thread.currentThread().getId();
    }
  }

  /** Room for a call's arguments, which may log themselves while they are asked what they are. */
  Arguments begin() {
    for (Arguments free : arguments) {
      if (free.take()) return free;
    }
    Arguments more = isVirtual ? ArgumentsPool.take() : new Arguments();
    Arguments[] all = Arrays.copyOf(arguments, arguments.length + 1);  // there may be no memory for it
    all[all.length - 1] = more;
    arguments = all;
    more.take();
    return more;
  }

  /** Ends a call's. */
  void end(Arguments used) {
    used.release();
    if (isVirtual && arguments.length == 1) {
      arguments = NO_ARGUMENTS;
      ArgumentsPool.give(used);
    }
  }

  /**
   * The ring that a record of a statement may be written into, which nothing else is until its end; null: something is to be said before
   * it, or there is no room.
   */
  static Ring beginPlain(Session to, Statement statement) {
    Producer producer = statement.producer();
    if (!producer.isReadyFor(to)) return ofThread().beginInTurn(to, statement);
    Ring ring = producer.ready;
    return ring.room() < statement.plainRoom && !ofThread().hasWaited(ring, statement) ? null : ring;
  }

  /** Waits for room for a record whose time has been read. */
  private boolean hasWaited(Ring ring, Statement statement) {
    if (claimOrWait(ring, statement.plainRoom, statement.level) < 0) return false;
    ring.clock();  // the record is not before it
    return true;
  }

  /** Returns whether the calling thread has no ring of its own. */
  static boolean takesTurns() {
    Recorder known = OF_THREAD.get();
    return known == null ? Threads.isVirtual(Thread.currentThread()) : known.isVirtual || (known.lease != null && known.lease.isShared());
  }

  /**
   * Does the same for the ring that threads share, whose lock is held until the record ends. Returns null for threads
   * that have a ring of their own.
   */
  private Ring beginInTurn(Session to, Statement statement) {
    if (isVirtual && producer.session != to) moveTo(to);
    RingLease shared = lease;
    if (shared == null || !shared.isShared() || producer.session != to || !to.isOpen()) return null;
    shared.lock();
    Ring begun = null;
    try {
      Ring ring = shared.ring;
      encodeContext();
      // A call that is made while a record is open has to wait for the record's end.
      boolean canBegin = ring.isQuick() && !ring.isTaken() && hasRoomInTurn(ring, statement)
          && (isIntroduced() || introduce()) && (!contextIsStale || writeContext(statement.level, null));
      if (canBegin) begun = ring.take(shared.lock);
      return begun;
    } finally {
      if (begun == null) shared.lock.unlock();
    }
  }

  /**
   * Returns whether there is room for a record and for the records before it, so that none of them is counted as
   * dropped.
   */
  private boolean hasRoomInTurn(Ring ring, Statement statement) {
    int wanted = statement.plainRoom;
    if (!isIntroduced()) wanted += MOST_INTRODUCTION;
    if (context != null || contextIsStale) wanted += Context.MOST_RECORD;
    return wanted <= ring.capacity() / 2 && (ring.room() >= wanted || claimOrWait(ring, wanted, statement.level) >= 0);
  }

  /** Gives up the turn where a record of this thread may have begun and did not end. */
  static void abandonPlain() {
    try {
      Recorder known = OF_THREAD.get();
      RingLease shared = known == null ? null : known.lease;
      if (shared == null || !shared.isShared() || !shared.lock.isHeldByCurrentThread()) return;
      if (shared.ring.isTaken()) shared.ring.giveTurn();
    } catch (VirtualMachineError e) {
      // An open record is found without memory.
    }
  }

  /**
   * Requires that the session is, or was, open.
   *
   * @param variant null: there is no room for it, and the record is counted as discarded
   * @param marker null: none
   */
  void write(Session to, Channel channel, Statement.Variant variant, int level, Arguments values, String marker) {
    if (producer().session != to) moveTo(to);
    int logger = channel.id();
    if (lease == null) lease = to.lease();
    if (variant == null || lease == null) {
      to.discard();
      return;
    }
    if (!lease.isShared()) {
      write(variant, logger, level, values, marker);
      return;
    }
    lease.lock();
    try {
      write(variant, logger, level, values, marker);
    } finally {
      lease.lock.unlock();
    }
  }

  private void moveTo(Session to) {
    producer.session = to;
    producer.ready = null;
    lease = isVirtual ? to.lease() : null;
  }

  private void write(Statement.Variant variant, int logger, int level, Arguments values, String marker) {
    producer.ready = null;
    encodeContext();
    if (!isIntroduced() && !introduce()) return;
    if ((contextIsStale || marker != null) && !writeContext(level, marker)) return;
    Ring ring = lease.ring;
    int bytes = Layout.ARGUMENTS + Layout.roundUp8(values.size());
    if (bytes > Math.min(ring.capacity() / 2, Layout.LARGEST_RECORD)) bytes = fit(ring, values);
    int at = claim(ring, bytes, level);
    if (at < 0) return;
    ByteBuffer to = ring.buffer();
    to.putLong(at, Layout.recordHeader(variant.site, bytes, logger));
    to.putLong(at + Layout.CLOCK, ring.clock());
    values.put(to, at + Layout.ARGUMENTS);
    ring.commit(bytes);
    producer.ready = lease.isShared() || contextIsStale || !ring.isQuick() ? null : ring;
  }

  /** Cuts what the largest record does not hold. Returns the bytes of the record. */
  private static int fit(Ring ring, Arguments values) {
    int wanted = Layout.ARGUMENTS + Layout.roundUp8(values.size());
    int largest = ring.largest(Math.min(wanted, Layout.LARGEST_RECORD));
    if (wanted > largest) values.cut(largest - Layout.ARGUMENTS);
    return Layout.ARGUMENTS + Layout.roundUp8(values.size());
  }

  private boolean isIntroduced() {
    return lease.writer == this && producer.hasItsName();
  }

  /**
   * Writes the thread record, from which on records are this thread's. Returns false if there is no room; the call is
   * dropped then.
   */
  private boolean introduce() {
    if (index == 0) {
      index = INDICES.incrementAndGet();
      tid = numberOf(isVirtual);
    }
    if (!producer.hasItsName()) takeName(Thread.currentThread().getName());
    byte[] text = nameText;
    int nameSize = text.length;
    int bytes = Layout.roundUp8(Layout.ARGUMENTS + 16 + nameSize);
    // Drops of the ring's last owner are reported before this.
    int at = claim(lease.ring, bytes, Levels.CRITICAL);
    if (at < 0) {
      lease.writer = null;
      return false;
    }
    ByteBuffer to = lease.ring.buffer();
    to.putLong(at, Layout.recordHeader(Sites.THREAD, bytes, 0));
    to.putLong(at + Layout.CLOCK, lease.ring.clock());
    to.putInt(at + Layout.ARGUMENTS, index);
    to.putLong(at + Layout.ARGUMENTS + 4, tid);
    to.putInt(at + Layout.ARGUMENTS + 12, nameSize);
    to.put(at + Layout.ARGUMENTS + 16, text, 0, nameSize);
    lease.ring.commit(bytes);
    lease.writer = this;
    contextIsStale = context != null;
    return true;
  }

  /** Unnamed virtual threads have the name that Logback gives them. */
  private void takeName(String now) {
    byte[] text = (isVirtual && now.isEmpty() ? "virtual-" + tid : now).getBytes(StandardCharsets.UTF_8);
    int size = Math.min(text.length, MOST_NAME);
    while (size < text.length && size > 0 && (text[size] & 0xC0) == 0x80) size--;
    byte[] kept = Arrays.copyOf(text, size);
    lease.writer = null;  // until it is said
    nameText = kept;
    producer.name = now;
  }

  boolean hasContext(Map<String, String> values) {
    return contextValues.equals(values);
  }

  /** @param values may change, if this is called again then: they are looked at when the next record comes */
  void setContext(Map<String, String> values) {
    contextValues = values;
    hasNewValues = true;
    if (producer != null) producer.ready = null;
  }

  private void encodeContext() {
    if (!hasNewValues) return;
    byte[] fields = contextValues.isEmpty() ? null : Context.encode(contextValues, null);
    contextIsStale |= fields != null || context != null;
    context = fields;
    hasNewValues = false;
  }

  /**
   * Writes the context before the record that has it. A marker is in the context of that record only. Returns false if
   * there is no room; the call is dropped then.
   */
  private boolean writeContext(int level, String marker) {
    byte[] fields = marker == null ? context : Context.encode(contextValues, marker);
    if (fields == null) fields = NO_CONTEXT;
    int bytes = Layout.roundUp8(Layout.ARGUMENTS + fields.length);
    int at = claim(lease.ring, bytes, level);
    if (at < 0) return false;
    ByteBuffer to = lease.ring.buffer();
    to.putLong(at, Layout.recordHeader(Sites.CONTEXT, bytes, 0));
    to.putLong(at + Layout.CLOCK, lease.ring.clock());
    to.put(at + Layout.ARGUMENTS, fields);
    lease.ring.commit(bytes);
    contextIsStale = marker != null;
    return true;
  }

  /** The index of room for a record, after a report of what was dropped before; -1: this record is dropped too. */
  private int claim(Ring ring, int bytes, int level) {
    int at = ring.hasDropsToReport() ? -1 : ring.claim(bytes, level);
    return at >= 0 ? at : claimSlowly(ring, bytes, level);
  }

  /** Room after a report of what was dropped; or drops this record too: -1. */
  private int claimSlowly(Ring ring, int bytes, int level) {
    int at = claimOrWait(ring, bytes, level);
    if (at < 0) ring.drop();
    return at;
  }

  /** Waits for room, unless it is not to: -1. */
  private int claimOrWait(Ring ring, int bytes, int level) {
    int at = claimAfterReport(ring, bytes, level);
    for (int round = 0; at < 0 && producer.session.waitsForRoom(); round++) {
      producer.session.wake(true);
      pause(round);
      at = claimAfterReport(ring, bytes, level);
    }
    return at;
  }

  private static int claimAfterReport(Ring ring, int bytes, int level) {
    if (ring.hasDropsToReport() && !ring.reportDrops(bytes, level)) return -1;
    return ring.claim(bytes, level);
  }

  /** The scribe moves head; nobody can wake us. An interruption stays what it is. */
  private static void pause(int round) {
    if (round < SPINS) {
      Thread.onSpinWait();
      return;
    }
    boolean interrupted = Thread.interrupted();
    LockSupport.parkNanos(Math.min(LONGEST_PAUSE_NS, SHORTEST_PAUSE_NS << Math.min(10, (round - SPINS) / 8)));
    if (interrupted) Thread.currentThread().interrupt();
  }
}
