package io.github.steno;

import io.github.steno.Layout.Sites;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread writes its records with: its ring, or its turn at the one that threads share. One thread's, to which it is
 * the weak reference itself: whose it is takes a load fewer.
 */
final class Recorder extends WeakReference<Thread> {
  private static final ThreadLocal<Recorder> OF_THREAD = new ThreadLocal<>();
  private static final AtomicInteger INDICES = new AtomicInteger();
  private static final int MOST_NAME = 255;
  private static final byte[] NO_CONTEXT = {0};
  private static final int MOST_INTRODUCTION = Layout.roundUp8(Layout.ARGUMENTS + 16 + MOST_NAME);
  private static final int SPINS = 100;
  private static final long SHORTEST_PAUSE_NS = 20_000;
  private static final long LONGEST_PAUSE_NS = 1_000_000;

  /** A power of two. */
  private static final int CALLS_TO_BE_USUAL = 256;

  private final int index = INDICES.incrementAndGet();
  private final long tid = kernelThread();
  /** For those that are not to keep it when its thread has ended. */
  private final WeakReference<Recorder> weak = new WeakReference<>(this);
  private Arguments[] arguments = {new Arguments()};
  private final PlainRecord plain = new PlainRecord();
  private Session session;
  private RingLease lease;
  private String name;
  /** That as the log has it. */
  private byte[] nameText = {};
  /** What a context record has after its clock; null: there is none. */
  private byte[] context;
  private Map<String, String> contextValues = Map.of();
  /** The ring's is another. */
  private boolean contextIsStale;
  /** The thread's own quick ring, whose records are known to be the thread's and of its context; null: that is to be looked at. */
  private Ring ready;
  /** Calls of statements that had another thread's at hand; from 1 on, as a thread's first calls are to take nothing. */
  private int strangers = 1;

  private Recorder() {
    super(Thread.currentThread());
  }

  static Recorder ofThread() {
    Recorder known = OF_THREAD.get();
    return known != null ? known : make();
  }

  /** Whether it is this thread's, which any thread may ask. */
  boolean isOfThread() {
    return refersTo(Thread.currentThread());
  }

  /** Always the same. */
  WeakReference<Recorder> weak() {
    return weak;
  }

  /** Now and then: many threads that make the same calls are not to take a statement from each other each time. */
  boolean isToBeUsual() {
    return (strangers++ & CALLS_TO_BE_USUAL - 1) == 0;
  }

  private static Recorder make() {
    Recorder made = new Recorder();
    OF_THREAD.set(made);
    return made;
  }

  private static long kernelThread() {
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
    Arguments more = new Arguments();
    Arguments[] all = Arrays.copyOf(arguments, arguments.length + 1);  // there may be no memory for it
    all[all.length - 1] = more;
    arguments = all;
    more.take();
    return more;
  }

  /**
   * Numbers and texts of ASCII, straight into the ring, where nothing is to be said before and types are those of the
   * statement's last record: what most calls have. False: it is not so, and nothing is written.
   */
  boolean writePlain(Session to, Channel channel, Statement statement, Object[] all, int count) {
    Ring ring = ready;
    Statement.Variant variant = statement.usual;
    if (ring == null || variant == null || session != to || count != variant.count || !to.isOpen() || !hasItsName()) {
      return false;
    }
    int room = ring.room();
    if (room < PlainRecord.LEAST_ROOM) return false;
    int begin = ring.next();
    int end = begin + room;
    Memory memory = ring.records();
    int at = begin + Layout.ARGUMENTS;
    int text = at + variant.fixedBytes;
    long types = variant.signature;
    // Not a loop for these: what it carries from one to the next would not stay in registers.
    if (count > 0) {
      text = putPlain(memory, at, types, all[0], text, end);
      if (text < 0) return false;
      if (count > 1) {
        at += ArgumentType.firstBytes(types);
        types = ArgumentType.next(types);
        text = putPlain(memory, at, types, all[1], text, end);
        if (text < 0) return false;
        if (count > 2) {
          at += ArgumentType.firstBytes(types);
          types = ArgumentType.next(types);
          text = putPlain(memory, at, types, all[2], text, end);
          if (text < 0) return false;
          for (int i = 3; i < count; i++) {
            at += ArgumentType.firstBytes(types);
            types = ArgumentType.next(types);
            text = putPlain(memory, at, types, all[i], text, end);
            if (text < 0) return false;
          }
        }
      }
    }
    if (variant.hasDoubles) {
      variant = withDecimals(statement, variant, all);
      if (variant == null) return false;
    }
    int logger = channel.knownId();
    if (logger == Dictionary.NONE) return false;
    finish(ring, begin, variant.site, text - begin, logger);
    return true;
  }

  /** null: something is to be said before, or there is no room. Else nothing else is done before its end. */
  PlainRecord beginPlain(Session to, Statement statement) {
    Ring ring = ready;
    Statement.Variant variant = statement.usual;
    if (ring == null || variant == null || session != to || !to.isOpen() || !hasItsName()) return beginInTurn(to, statement);
    int wanted = statement.plainRoom;
    if (ring.room() < wanted && claimOrWait(ring, wanted, statement.level) < 0) return null;
    // Loaded once: after the counter is read it would be loaded again, and what is known of its fields forgotten.
    PlainRecord begun = plain;
    begun.begin(ring, variant);
    return begun;
  }

  /** The same in the ring that threads share, whose lock the record holds until its end; null for those that have their own. */
  private PlainRecord beginInTurn(Session to, Statement statement) {
    RingLease shared = lease;
    Statement.Variant variant = statement.usual;
    if (shared == null || !shared.isShared() || variant == null || session != to || !to.isOpen()) return null;
    shared.lock.lock();
    boolean begun = false;
    try {
      boolean canBegin = shared.ring.isQuick() && hasRoomInTurn(shared.ring, statement)
          && (isIntroduced() || introduce()) && (!contextIsStale || writeContext(statement.level, null));
      if (!canBegin) return null;
      plain.begin(shared.ring, variant);
      plain.holds(shared.lock);
      begun = true;
      return plain;
    } finally {
      if (!begun) shared.lock.unlock();
    }
  }

  /** For a record, and for what is to be said before it, so that no part of it is counted as dropped. */
  private boolean hasRoomInTurn(Ring ring, Statement statement) {
    int wanted = statement.plainRoom;
    if (!isIntroduced()) wanted += MOST_INTRODUCTION;
    if (context != null || contextIsStale) wanted += Context.MOST_RECORD;
    return wanted <= ring.capacity() / 2 && (ring.room() >= wanted || claimOrWait(ring, wanted, statement.level) >= 0);
  }

  /** Where a record of this thread may have been begun, and did not come to its end. */
  static void abandonPlain() {
    try {
      Recorder known = OF_THREAD.get();
      if (known != null) known.plain.giveTurn();
    } catch (VirtualMachineError e) {
      // Where there is one, it is found without memory.
    }
  }

  /**
   * Writes an argument of the first of some types, and its text, if it has one, where the texts of those before it end.
   * Returns where they end then; -1: it is of another type, or there may be no room for it.
   */
  private static int putPlain(Memory memory, int at, long types, Object value, int text, int end) {
    int type = ArgumentType.first(types);
    if (type == ArgumentType.PLAIN_INT) {
      if (!(value instanceof Integer number)) return -1;
      memory.putInt(at, number);
      return text;
    }
    if (type == ArgumentType.PLAIN_TEXT) {
      if (!(value instanceof String string)) return -1;
      int size = memory.putAscii(text, string, end - text);
      if (size < 0) return -1;
      memory.putInt(at, size);
      return text + size;
    }
    if (type == ArgumentType.PLAIN_LONG) {
      if (!(value instanceof Long number)) return -1;
      memory.putLong(at, number);
      return text;
    }
    if (type == ArgumentType.PLAIN_BOOLEAN) {
      if (!(value instanceof Boolean truth)) return -1;
      memory.putByte(at, (byte) (truth ? 1 : 0));
      return text;
    }
    if (!ArgumentType.isDouble(type) || !(value instanceof Double number)) return -1;
    memory.putLong(at, Double.doubleToRawLongBits(number));
    return text;
  }

  /**
   * Of the same places for its values, and with decimals or without as these doubles have them; null: one of them is text, or
   * it is the first time.
   */
  private static Statement.Variant withDecimals(Statement statement, Statement.Variant variant, Object[] all) {
    long others = 0;
    int i = 0;
    for (long types = variant.signature; types != 0; types = ArgumentType.next(types), i++) {
      int type = ArgumentType.first(types);
      if (!ArgumentType.isDouble(type)) continue;
      others |= ArgumentType.in(type ^ ArgumentType.of((double) (Double) all[i]).ordinal(), i);
    }
    if (others == 0) return variant;
    Statement.Variant other = statement.known(variant.signature ^ others);
    return other == null || other.fixedBytes != variant.fixedBytes ? null : other;
  }

  static void finish(Ring ring, int begin, int site, int size, int logger) {
    int bytes = Layout.roundUp8(size);
    Memory memory = ring.records();
    memory.putLong(begin, Layout.recordHeader(site, bytes, logger));
    memory.putLong(begin + Layout.CLOCK, ring.clock());
    ring.commit(bytes);
  }

  /**
   * Requires that the session is, or was, open.
   *
   * @param variant null: there is no room for it, and the record is counted as discarded
   * @param marker null: none
   */
  void write(Session to, Channel channel, Statement.Variant variant, int level, Arguments values, String marker) {
    if (session != to) {
      session = to;
      lease = null;
      ready = null;
    }
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
    lease.lock.lock();
    try {
      write(variant, logger, level, values, marker);
    } finally {
      lease.lock.unlock();
    }
  }

  private void write(Statement.Variant variant, int logger, int level, Arguments values, String marker) {
    ready = null;
    if (!isIntroduced() && !introduce()) return;
    if ((contextIsStale || marker != null) && !writeContext(level, marker)) return;
    Ring ring = lease.ring;
    int bytes = Layout.ARGUMENTS + Layout.roundUp8(values.size());
    if (bytes > ring.capacity() / 2) bytes = fit(ring, values);
    int at = claim(ring, bytes, level);
    if (at < 0) return;
    ByteBuffer to = ring.buffer();
    to.putLong(at, Layout.recordHeader(variant.site, bytes, logger));
    to.putLong(at + Layout.CLOCK, ring.clock());
    values.put(to, at + Layout.ARGUMENTS);
    ring.commit(bytes);
    ready = lease.isShared() || contextIsStale || !ring.isQuick() ? null : ring;
  }

  /** Cuts what the largest record does not hold. Returns the bytes of the record. */
  private static int fit(Ring ring, Arguments values) {
    int wanted = Layout.ARGUMENTS + Layout.roundUp8(values.size());
    int largest = ring.largest(Math.min(wanted, Layout.LARGEST_RECORD));
    if (wanted > largest) values.cut(largest - Layout.ARGUMENTS);
    return Layout.ARGUMENTS + Layout.roundUp8(values.size());
  }

  private boolean isIntroduced() {
    return lease.writer == this && hasItsName();
  }

  private boolean hasItsName() {
    return name == Thread.currentThread().getName();
  }

  /** Says whose the records are from here on. False: there is no room, and the call is dropped. */
  private boolean introduce() {
    if (!hasItsName()) takeName(Thread.currentThread().getName());
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

  private void takeName(String now) {
    byte[] text = now.getBytes(StandardCharsets.UTF_8);
    int size = Math.min(text.length, MOST_NAME);
    while (size < text.length && size > 0 && (text[size] & 0xC0) == 0x80) size--;
    byte[] kept = Arrays.copyOf(text, size);
    lease.writer = null;  // until it is said
    nameText = kept;
    name = now;
  }

  boolean hasContext(Map<String, String> values) {
    return contextValues.equals(values);
  }

  void setContext(Map<String, String> values) {
    byte[] fields = Context.encode(values, null);
    contextIsStale |= fields != null || context != null;
    ready = null;
    context = fields;
    contextValues = fields == null ? Map.of() : new LinkedHashMap<>(values);
  }

  /**
   * Before the record that has it. A marker is in the context of that record only. False: there is no room, and the call is
   * dropped.
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
    for (int round = 0; at < 0 && session.waitsForRoom(); round++) {
      session.wake(true);
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
