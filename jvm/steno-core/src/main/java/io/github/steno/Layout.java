package io.github.steno;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The bytes of staging: offsets in the session file, in a ring's header and in the doorbell (spec/ring.md §1.4, §2, §4). */
final class Layout {
  static final int VERSION = 4;
  static final long SESSION_MAGIC = 0x5345534F4E455453L;
  static final long RING_MAGIC = 0x474E524F4E455453L;
  static final int HEADER_BYTES = 4096;
  static final int LARGEST_RECORD = 0xFFFF * 8;

  /** Shared words; offsets are aligned, so that these may be used with acquire and release. */
  static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** Of the session file. */
  static final class SessionFile {
    static final int MAGIC = 0;
    static final int VERSION = 8;
    static final int PID = 12;
    static final int SESSION_ID = 16;
    static final int START_WALL = 24;
    static final int CLOCK_KIND = 32;
    static final int RING_COUNT = 36;
    static final int NS_PER_TICK = 40;
    static final int DICTIONARY_SIZE = 48;
    static final int DISCARDED = 56;
    static final int STATE = 64;
    static final int UTC_OFFSET = 68;
    static final int STOPPED = 92;
    static final int MISSING_ENTRIES = 104;
    static final int EXTERNAL = 108;
    static final int REQUESTS = 116;
    static final int REFUSES = 120;
    static final int SCRIBE_SLEEPING = 256;
    static final int DOORBELL = 260;
    static final int CONTROL_REQUEST = 264;
    static final int CONTROL_ANSWER = 268;
    static final int LOG_PATH = 512;
    static final int LOG_PATH_BYTES = 1024;
    static final int PROGRAM = 1536;
    static final int PROGRAM_BYTES = 256;
    static final int CLOCK_POINTS = 2048;
    static final int CLOCK_SLOTS = 2112;

    static final int STATE_RUNNING = 1;
    static final int STATE_ENDED = 2;
    static final int STATE_REMOVING = 3;
    static final int CLOCK_TSC = 1;
    static final int CLOCK_WALL = 3;
    static final int DOORBELL_NONE = 0;
    /** We count calls, and wake who waits for them. */
    static final int DOORBELL_RINGS = 1;
    /** We count calls, but can wake nobody. */
    static final int DOORBELL_MUTE = 2;

    private SessionFile() {}
  }

  /** Of a ring's header. */
  static final class RingHeader {
    static final int MAGIC = 0;
    static final int VERSION = 8;
    static final int RING_ID = 12;
    static final int CAPACITY = 16;
    static final int SESSION_ID = 24;
    static final int TAIL = 128;
    static final int DROPPED = 136;
    static final int DROPPING_SINCE = 144;
    static final int LEFT = 152;
    static final int BASE = 160;
    static final int HEAD = 384;

    private RingHeader() {}
  }

  /** Of the doorbell. */
  static final class Doorbell {
    static final int CALLS = 0;
    static final int SESSIONS = 4;
    /** A byte that is always 0: to write it is to have the page. */
    static final int FILLER = 8;
    /** Slots of {@link #ARRIVAL_BYTES}: session number n is in slot n % {@link #ARRIVAL_COUNT}. */
    static final int ARRIVALS = 2048;
    static final int ARRIVAL_COUNT = 128;
    static final int ARRIVAL_BYTES = 16;

    /** Offsets in a slot. */
    static final int ARRIVAL_NONCE = 0;
    static final int ARRIVAL_PID = 8;
    static final int ARRIVAL_NUMBER = 12;

    private Doorbell() {}
  }

  /** Sites of the protocol's own; those of statements have ids from {@link #FIRST} on. */
  static final class Sites {
    static final int PAD = 0;
    static final int THREAD = 1;
    static final int DROPPED = 2;
    static final int CONTEXT = 5;
    static final int FIRST = 16;

    private Sites() {}
  }

  /** Offset of the clock, and of the arguments, in a record. */
  static final int CLOCK = 8;
  static final int ARGUMENTS = 16;

  /** @param bytes a multiple of 8 */
  static long recordHeader(int site, long bytes, int logger) {
    return (site & 0xFFFFFFFFL) | bytes << 29 | (long) logger << 48;
  }

  static int roundUp8(int bytes) {
    return (bytes + 7) & ~7;
  }

  private Layout() {}
}
