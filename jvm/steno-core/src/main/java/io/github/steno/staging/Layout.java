package io.github.steno.staging;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The bytes of staging: offsets in the session file, in a ring's header and in the doorbell (spec/ring.md §1.4, §2, §4). */
public final class Layout {
  public static final int VERSION = 4;
  static final long SESSION_MAGIC = 0x5345534F4E455453L;
  public static final long RING_MAGIC = 0x474E524F4E455453L;
  public static final int HEADER_BYTES = 4096;
  public static final int LARGEST_RECORD = 0xFFFF * 8;

  /** Shared words; offsets are aligned, so that these may be used with acquire and release. */
  public static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  public static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** Offsets and values in the session file. */
  public static final class SessionFile {
    public static final int MAGIC = 0;
    public static final int VERSION = 8;
    public static final int PID = 12;
    public static final int SESSION_ID = 16;
    public static final int START_WALL = 24;
    public static final int CLOCK_KIND = 32;
    public static final int RING_COUNT = 36;
    public static final int NS_PER_TICK = 40;
    public static final int DICTIONARY_SIZE = 48;
    public static final int DISCARDED = 56;
    public static final int STATE = 64;
    public static final int UTC_OFFSET = 68;
    public static final int STOPPED = 92;
    public static final int MISSING_ENTRIES = 104;
    public static final int EXTERNAL = 108;
    public static final int REQUESTS = 116;
    public static final int REFUSES = 120;
    public static final int SCRIBE_SLEEPING = 256;
    public static final int DOORBELL = 260;
    public static final int CONTROL_REQUEST = 264;
    public static final int CONTROL_ANSWER = 268;
    public static final int LOG_PATH = 512;
    public static final int LOG_PATH_BYTES = 1024;
    public static final int PROGRAM = 1536;
    public static final int PROGRAM_BYTES = 256;
    public static final int CLOCK_POINTS = 2048;
    public static final int CLOCK_SLOTS = 2112;

    public static final int STATE_RUNNING = 1;
    public static final int STATE_ENDED = 2;
    public static final int STATE_REMOVING = 3;
    public static final int CLOCK_TSC = 1;
    public static final int CLOCK_WALL = 3;
    public static final int DOORBELL_NONE = 0;
    /** We count calls, and wake who waits for them. */
    public static final int DOORBELL_RINGS = 1;
    /** We count calls, but can wake nobody. */
    public static final int DOORBELL_MUTE = 2;

    private SessionFile() {}
  }

  /** Offsets and values in a ring's header. */
  public static final class RingHeader {
    public static final int MAGIC = 0;
    public static final int VERSION = 8;
    public static final int RING_ID = 12;
    public static final int CAPACITY = 16;
    public static final int SESSION_ID = 24;
    public static final int TAIL = 128;
    public static final int DROPPED = 136;
    public static final int DROPPING_SINCE = 144;
    public static final int LEFT = 152;
    public static final int BASE = 160;
    public static final int HEAD = 384;

    private RingHeader() {}
  }

  /** Offsets and values in the doorbell. */
  static final class Doorbell {
    public static final int CALLS = 0;
    public static final int SESSIONS = 4;
    /** A byte that is always 0: to write it is to have the page. */
    public static final int FILLER = 8;
    /** Slots of {@link #ARRIVAL_BYTES}: session number n is in slot n % {@link #ARRIVAL_COUNT}. */
    public static final int ARRIVALS = 2048;
    public static final int ARRIVAL_COUNT = 128;
    public static final int ARRIVAL_BYTES = 16;

    /** Offsets in a slot. */
    public static final int ARRIVAL_NONCE = 0;
    public static final int ARRIVAL_PID = 8;
    public static final int ARRIVAL_NUMBER = 12;

    private Doorbell() {}
  }

  /** Sites of the protocol's own; those of statements have ids from {@link #FIRST} on. */
  public static final class Sites {
    public static final int PAD = 0;
    public static final int THREAD = 1;
    public static final int DROPPED = 2;
    public static final int CONTEXT = 5;
    public static final int FIRST = 16;

    private Sites() {}
  }

  /** Offset of the clock, and of the arguments, in a record. */
  public static final int CLOCK = 8;
  public static final int ARGUMENTS = 16;

  /** @param bytes a multiple of 8 */
  public static long recordHeader(int site, long bytes, int logger) {
    return (site & 0xFFFFFFFFL) | bytes << 29 | (long) logger << 48;
  }

  public static int roundUp8(int bytes) {
    return (bytes + 7) & ~7;
  }

  private Layout() {}
}
