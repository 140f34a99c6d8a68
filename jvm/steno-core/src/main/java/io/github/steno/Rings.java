package io.github.steno;

import static io.github.steno.staging.Layout.INT;

import io.github.steno.machine.Notices;
import io.github.steno.machine.Threads;
import io.github.steno.ring.Ring;
import io.github.steno.staging.Layout.SessionFile;
import io.github.steno.staging.StagingDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A session's rings, and which thread has which: each its own while there is room, then they take turns. Any thread. */
final class Rings implements Ring.Host {
  /** A power of two. */
  private static final int MOST_SHARED = 8;
  private static final long RETRY_NS = 1_000_000_000;

  private final Session session;
  private final Config config;
  private final StagingDirectory staging;
  /** Records have the time of the machine's counter. */
  private final boolean counts;
  /** All, by id. Guarded by this. */
  private final List<RingLease> leases = new ArrayList<>();
  /** The rings that threads take turns at, by number. Each thread keeps to one, so its records stay in order. */
  private final AtomicReferenceArray<RingLease> shared = new AtomicReferenceArray<>(
      Math.min(MOST_SHARED, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1)));
  private long bytes;
  /** When there was no room for one. */
  private long refusedAt;
  private volatile boolean open;

  /** @param staging null: there are no rings, and will be none */
  Rings(Session session, Config config, StagingDirectory staging, boolean counts) {
    this.session = session;
    this.config = config;
    this.staging = staging;
    this.counts = counts;
    open = staging != null;
  }

  /** Makes no more rings from now on. Returns all of them. */
  synchronized List<RingLease> close() {
    open = false;
    return List.copyOf(leases);
  }

  synchronized List<Ring> all() {
    return leases.stream().map(lease -> lease.ring).toList();
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

  /** Returns null if there is none. */
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

  /** Returns null if there is no room, now and for the next second. */
  private RingLease makeLease(boolean shares) {
    if (refusedAt != 0 && System.nanoTime() - refusedAt < RETRY_NS) return null;
    int id = leases.size();
    try {
      ByteBuffer memory = staging.makeRing(id, Ring.FIRST_BYTES);
      Ring ring = new Ring(id, memory, Ring.FIRST_BYTES, config.ringBytes, counts,
          staging.session.getLong(SessionFile.SESSION_ID), this);
      bytes += Ring.FIRST_BYTES;
      RingLease lease = new RingLease(ring, shares);
      leases.add(lease);
      INT.setRelease(staging.session, SessionFile.RING_COUNT, id + 1);
      return lease;
    } catch (IOException e) {
      refusedAt = System.nanoTime();
      Notices.say(staging.path + ": no room for a thread's ring: " + e
          + (anyShared() == null ? "; its records are discarded and counted" : ""));
      return null;
    }
  }

  @Override
  public void wake(boolean soon) {
    session.wake(soon);
  }

  @Override
  public synchronized ByteBuffer grow(Ring ring, int capacity) {
    long more = capacity - ring.capacity();
    if (!open || bytes + more > config.stagingLimit) return null;
    try {
      ByteBuffer memory = staging.growRing(ring.id, capacity);
      bytes += more;
      return memory;
    } catch (IOException e) {
      Notices.say(staging.path + ": rings cannot grow: " + e + "; threads that log much will wait for the scribe, or drop records, sooner");
      return null;
    }
  }
}
