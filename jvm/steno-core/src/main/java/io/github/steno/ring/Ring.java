package io.github.steno.ring;

import static io.github.steno.staging.Layout.LONG;

import io.github.steno.Levels;
import io.github.steno.machine.Counter;
import io.github.steno.machine.WallClock;
import io.github.steno.staging.Layout;
import io.github.steno.staging.Layout.RingHeader;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A ring as its producer sees it (spec/ring.md §4): room is claimed, a record is written there, and committed. Positions
 * count bytes since the ring was made; an index is where a byte lies in {@link #buffer()}.
 *
 * <p>Thread safety: one thread at a time, but for what is said of drops.
 */
public final class Ring {
  public static final int FIRST_BYTES = 1 << 16;
  private static final int GROWTH = 4;
  private static final int LARGEST_QUARTER = 1 << 18;
  private static final int DROP_RECORD = Layout.ARGUMENTS + 16;

  /** The functions of a session that a ring needs. */
  public interface Host {
    /** Returns more data for a ring; null if there is no room for it. */
    ByteBuffer grow(Ring ring, int capacity);

    /** Reports that there is something to drain; soon: a producer waits. */
    void wake(boolean soon);
  }

  public final int id;
  private final Host host;
  private final int most;
  /** Records have the time of the machine's counter, not that of the wall clock. */
  private final boolean counts;
  private ByteBuffer memory;
  /**
   * Accesses the bytes of {@link #memory} with quick stores; null: it is too early for that ({@link Memory#isReady()}).
   */
  private Memory records;
  private int capacity;
  private long base;
  private long position;
  /** The position up to which records may be written without a look at head. */
  private long limit;
  /** The number that is added to a position, up to the limit, to get its place in {@link #records}. */
  private long placeOfZero;
  /** The place of {@code tail} in {@link #records}. */
  private long tailPlace;

  /** The number of dropped records that are reported: by records here, or left to the consumer at the end. */
  private final AtomicLong accounted = new AtomicLong();
  private long lastClock;
  private boolean dropsToReport;
  private volatile boolean reporting;
  /**
   * The lock that is held for the record that one of the sharing threads writes; null: there is none. Guarded by
   * itself.
   */
  private ReentrantLock turn;

  public Ring(int id, ByteBuffer memory, int capacity, int most, boolean counts, long session, Host host) {
    this.id = id;
    this.host = host;
    this.most = most;
    this.counts = counts;
    this.memory = memory;
    this.records = Memory.isReady() ? new Memory(memory) : null;
    this.capacity = capacity;
    memory.putLong(RingHeader.MAGIC, Layout.RING_MAGIC);
    memory.putInt(RingHeader.RING_ID, id);
    memory.putLong(RingHeader.CAPACITY, capacity);
    memory.putLong(RingHeader.SESSION_ID, session);
    Layout.INT.setRelease(memory, RingHeader.VERSION, Layout.VERSION);
    aim();
  }

  /** Computes the places anew, after the position or the memory has changed. */
  private void aim() {
    if (records == null) return;
    placeOfZero = records.place(index(position)) - position;
    tailPlace = records.place(RingHeader.TAIL);
  }

  public ByteBuffer buffer() {
    return memory;
  }

  /** Requires that {@link #isQuick()}. */
  public Memory records() {
    return records;
  }

  /** Returns whether stores are quick from now on. */
  public boolean isQuick() {
    if (records == null && Memory.isReady()) {
      records = new Memory(memory);
      aim();
    }
    return records != null;
  }

  /** A place in {@link #records()} for the next record, where there is room for it. */
  public long place() {
    return Memory.within(position + placeOfZero);
  }

  public int capacity() {
    return capacity;
  }

  /** The consumer's: below it all is on file. Pairs with its release store. */
  public long head() {
    return (long) LONG.getAcquire(memory, RingHeader.HEAD);
  }

  public long tail() {
    return (long) LONG.getAcquire(memory, RingHeader.TAIL);
  }

  /** The index of room for a record of so many bytes, a multiple of 8; -1: there is none now. */
  public int claim(int bytes, int level) {
    if (position + bytes > limit && !refill(bytes, level)) return -1;
    return index(position);
  }

  /**
   * Returns the number of bytes that may be written at {@link #place()} without further checks: 0 if drops are to be
   * reported.
   */
  public int room() {
    return (int) (limit - position);
  }

  /** Takes the ring until the record that begins has ended. The calling thread holds the lock. */
  public Ring take(ReentrantLock lock) {
    turn = lock;
    return this;
  }

  public boolean isTaken() {
    return turn != null;
  }

  public void giveTurn() {
    ReentrantLock held = turn;
    turn = null;
    held.unlock();
  }

  /** The record that was written there, perhaps of fewer bytes than were claimed. Pairs with the consumer's load. */
  public void commit(long bytes) {
    position += bytes;
    if (records != null) {
      Memory.putLongRelease(records, Memory.within(tailPlace), position);
    } else {
      LONG.setRelease(memory, RingHeader.TAIL, position);
    }
  }

  /**
   * The time for the next record, in ticks: not before that of the last one, for records are shown in the order of time; unless
   * the wall clock was set back for good.
   */
  public long clock() {
    long now = counts ? Counter.read() : WallClock.stamp();
    if (now < lastClock && now > lastClock - WallClock.LARGEST_CORRECTION_NS) return lastClock;
    lastClock = now;
    return now;
  }

  /** Returns the time for a record whose time was read before. It is read again if a record in front of it is later. */
  public long clock(long before) {
    if (before < lastClock) return clock();
    lastClock = before;
    return before;
  }

  /** The largest record, up to a wanted size, that finds room in an empty ring, wherever that ends. */
  public int largest(int wanted) {
    if (wanted > capacity / 2) grow(wanted);
    return Math.min(Math.min(wanted, capacity / 2), Layout.LARGEST_RECORD);
  }

  private int index(long at) {
    return Layout.HEADER_BYTES + (int) ((at - base) & (capacity - 1));
  }

  private int offset(long at) {
    return (int) ((at - base) & (capacity - 1));
  }

  private boolean refill(int bytes, int level) {
    long head = head();
    int pad = padBefore(bytes);
    boolean lapEnds = pad != 0 || offset(position) == 0 || position == head;
    boolean scarce = position + pad - head > capacity - capacity / 4;
    if ((!fits(head, pad + bytes, level) || (lapEnds && scarce)) && grow(bytes)) pad = padBefore(bytes);
    if (!fits(head, pad + bytes, level)) return false;
    if (pad != 0) writePads(pad);
    int offset = offset(position);
    int quarter = Math.min(capacity / 4, LARGEST_QUARTER);
    // The limit is not past the next quarter, so that the scribe is woken in time, nor in the part that is kept for
    // severe records, except for this one.
    long quarterEnd = position - offset + Math.min(capacity, (offset + bytes + quarter - 1) / quarter * quarter);
    long everybodys = Math.max(position + bytes, head + capacity - keptFrom(Levels.TRACE));
    limit = Math.min(everybodys, quarterEnd);
    aim();
    if (position - head >= 2L * quarter) host.wake(false);
    return true;
  }

  /** Returns the bytes to the end of the lap, if a record would cross it. */
  private int padBefore(int bytes) {
    int offset = offset(position);
    return offset + bytes > capacity ? capacity - offset : 0;
  }

  private boolean fits(long head, int bytes, int level) {
    return position + bytes <= head + capacity - (position == head ? 0 : keptFrom(level));
  }

  /** The end of a ring is kept for what is more severe, so that of records that find no room those are dropped last. */
  private int keptFrom(int level) {
    if (level >= Levels.CRITICAL) return 0;
    return level == Levels.ERROR ? capacity / 32 : level == Levels.WARN ? capacity / 16 : capacity / 8;
  }

  private void writePads(int bytes) {
    while (bytes != 0) {
      int pad = Math.min(bytes, Layout.LARGEST_RECORD);
      memory.putLong(index(position), Layout.recordHeader(Layout.Sites.PAD, pad, 0));
      bytes -= pad;
      commit(pad);
    }
  }

  /** Goes over to a larger extent (spec/ring.md §4.4): where the lap ends, or where nothing waits. */
  private boolean grow(int bytes) {
    if (capacity >= most) return false;
    long head = head();
    boolean empty = position == head;
    int pad = empty || offset(position) == 0 ? 0 : capacity - offset(position);
    if (position + pad > head + capacity) return false;
    long least = Long.highestOneBit(2L * bytes - 1) << 1;
    int wanted = (int) Math.min(most, Math.max((long) GROWTH * capacity, least));
    ByteBuffer larger = host.grow(this, wanted);
    if (larger == null) return false;
    // This comes before any change, because it may find no memory.
    Memory quick = Memory.isReady() ? new Memory(larger) : null;
    if (pad != 0) writePads(pad);
    base = empty ? position : position - capacity;
    limit = position;
    capacity = wanted;
    memory = larger;
    records = quick;
    aim();
    LONG.setOpaque(memory, RingHeader.BASE, base);
    LONG.setRelease(memory, RingHeader.CAPACITY, (long) capacity);
    return true;
  }

  /** Counts a record that is refused. */
  public void drop() {
    if (!dropsToReport) LONG.setOpaque(memory, RingHeader.DROPPING_SINCE, WallClock.timeOf(clock()));
    LONG.getAndAddRelease(memory, RingHeader.DROPPED, 1L);
    dropsToReport = true;
    limit = position;
  }

  public long dropped() {
    return (long) LONG.getAcquire(memory, RingHeader.DROPPED);
  }

  public boolean hasDropsToReport() {
    return dropsToReport;
  }

  /** Reports in the ring how many records are missing here, if there is room for that and a record. */
  public boolean reportDrops(int bytes, int level) {
    if (!fits(head(), padBefore(DROP_RECORD + bytes) + DROP_RECORD + bytes, level)) return false;
    int at = claim(DROP_RECORD, Levels.CRITICAL);
    if (at < 0) return false;
    reporting = true;
    try {
      long all = dropped();
      long told = account(all);
      dropsToReport = false;
      if (told >= all) return true;
      memory.putLong(at, Layout.recordHeader(Layout.Sites.DROPPED, DROP_RECORD, 0));
      memory.putLong(at + Layout.CLOCK, clock());
      memory.putLong(at + Layout.ARGUMENTS, all - told);
      memory.putLong(at + Layout.ARGUMENTS + 8, (long) LONG.getOpaque(memory, RingHeader.DROPPING_SINCE));
      commit(DROP_RECORD);
      return true;
    } finally {
      reporting = false;
    }
  }

  /** Returns how many were reported before. */
  private long account(long all) {
    long before = accounted.get();
    while (before < all && !accounted.compareAndSet(before, all)) before = accounted.get();
    return before;
  }

  /** At the session's end, by any thread: leaves it to the consumer to report the rest (spec/ring.md §1.2). */
  public void leaveDrops(long patienceNs) {
    long all = dropped();
    account(all);
    LONG.setRelease(memory, RingHeader.LEFT, all);
    long until = System.nanoTime() + patienceNs;
    while (reporting && System.nanoTime() < until) Thread.onSpinWait();
  }
}
