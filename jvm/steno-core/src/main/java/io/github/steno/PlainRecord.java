package io.github.steno;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A record that is written straight into the ring of its thread, argument by argument, as statements do that the agent wove.
 * It is begun where nothing is to be said before it. Where an argument turns out to be none that is stored as it is, or finds no
 * room, or the logger has no number yet, it is given up at its end, and nothing is in the ring. No code of the program's runs in
 * between, nor does anything wait. One thread's.
 */
final class PlainRecord {
  /** There is room for the numbers of any arguments. */
  static final int LEAST_ROOM = Layout.ARGUMENTS + Long.BYTES * ArgumentType.MOST;
  private static final int MOST_ROOM = 1 << 13;
  private static final int BITS = Long.numberOfTrailingZeros(ArgumentType.in(1, 1));
  private static final int CHARACTER = ArgumentType.CHARACTER.ordinal();
  private static final int BYTE = ArgumentType.BYTE.ordinal();
  private static final int SHORT = ArgumentType.SHORT.ordinal();

  /** References are stored where they change, and there are no more of them: such a store costs as much as all of a number's. */
  private Ring ring;
  private Memory memory;
  /** Held from begin to end; null: the ring is the thread's own. */
  private ReentrantLock turn;
  private int begin;
  private long place;
  /** How far from there the next number goes, or the size of a text; texts come after all of these. */
  private int at;
  private int text;
  /** Where texts begin. */
  private int texts;
  private int end;
  private long signature;
  private int shift;
  private boolean givenUp;
  /** What a text found no room in; 0: all did. */
  private int wanted;

  /**
   * Where there is so much room in the ring as the statement wants.
   *
   * @param variant that which is expected
   */
  void begin(Ring ring, Statement.Variant variant) {
    if (this.ring != ring) this.ring = ring;
    Memory records = ring.records();
    if (memory != records) memory = records;
    // Before the arguments: the counter is read when all before it is done, and what is after it need not wait.
    long clock = ring.clock();
    begin = ring.next();
    place = records.place(begin);
    records.putLong(place, Layout.CLOCK, clock);
    end = ring.room();
    at = Layout.ARGUMENTS;
    texts = at + variant.fixedBytes;
    text = texts;
    signature = 0;
    shift = 0;
    givenUp = false;
    wanted = 0;
  }

  void put(boolean value) {
    memory.putByte(place, at, (byte) (value ? 1 : 0));
    added(ArgumentType.PLAIN_BOOLEAN, Byte.BYTES);
  }

  void put(byte value) {
    memory.putByte(place, at, value);
    added(BYTE, Byte.BYTES);
  }

  void put(short value) {
    putTwo(value);
    added(SHORT, Short.BYTES);
  }

  void put(char value) {
    givenUp |= Character.isSurrogate(value);
    putTwo(value);
    added(CHARACTER, Character.BYTES);
  }

  /** Not four: the next may be a text that is there already. */
  private void putTwo(int value) {
    memory.putByte(place, at, (byte) value);
    memory.putByte(place, at + 1, (byte) (value >> 8));
  }

  void put(int value) {
    memory.putInt(place, at, value);
    added(ArgumentType.PLAIN_INT, Integer.BYTES);
  }

  void put(long value) {
    memory.putLong(place, at, value);
    added(ArgumentType.PLAIN_LONG, Long.BYTES);
  }

  void put(float value) {
    ArgumentType type = ArgumentType.of(value);
    givenUp |= type == ArgumentType.TEXT;
    memory.putInt(place, at, Float.floatToRawIntBits(value));
    added(type.ordinal(), Float.BYTES);
  }

  void put(double value) {
    ArgumentType type = ArgumentType.of(value);
    givenUp |= type == ArgumentType.TEXT;
    memory.putLong(place, at, Double.doubleToRawLongBits(value));
    added(type.ordinal(), Double.BYTES);
  }

  void put(Object value) {
    if (value instanceof String string) {
      put(string);
    } else if (value instanceof Integer number) {
      put((int) number);
    } else if (value instanceof Long number) {
      put((long) number);
    } else if (value instanceof Double number) {
      put((double) number);
    } else if (value instanceof Boolean truth) {
      put((boolean) truth);
    } else if (value == null) {
      put("null");
    } else {
      givenUp = true;  // and no more than that: it may be the exception
    }
  }

  private void put(String value) {
    int room = end - text;
    int size = memory.putAscii(begin + text, value, room);
    if (size < 0) {
      givenUp = true;
      int length = value.length();
      if (length >= room - Long.BYTES && length < MOST_ROOM / 4) wanted = Math.min(MOST_ROOM, 2 * (text + length));
      return;
    }
    memory.putInt(place, at, size);
    text += size;
    added(ArgumentType.PLAIN_TEXT, Integer.BYTES);
  }

  private void added(int type, int bytes) {
    at += bytes;
    signature |= (long) type << shift;
    shift += BITS;
  }

  /** Takes over the lock of a ring that threads share, which the calling thread has. */
  void holds(ReentrantLock lock) {
    turn = lock;
  }

  /** Gives back what it holds. */
  void giveTurn() {
    ReentrantLock held = turn;
    if (held == null) return;
    turn = null;
    held.unlock();
  }

  /** Makes it the ring's, and lets others have that, where they share it. False: it is given up. */
  boolean end(Channel channel, Statement statement) {
    boolean ended = commit(channel, statement);
    if (turn != null) giveTurn();
    return ended;
  }

  private boolean commit(Channel channel, Statement statement) {
    if (wanted > statement.plainRoom) statement.plainRoom = wanted;
    if (givenUp || at != texts) return false;
    // Before the logger's number, after whose load they would be loaded again.
    Ring ring = this.ring;
    Memory memory = this.memory;
    long place = this.place;
    long signature = this.signature;
    int bytes = Layout.roundUp8(text);
    Statement.Variant variant = statement.usual;
    if (variant.signature != signature) {
      variant = statement.known(signature);
      if (variant == null) return false;
    }
    int logger = channel.knownId();
    if (logger == Dictionary.NONE) return false;  // it enters the dictionary first, which may wait, and may say something
    memory.putLong(place, 0, Layout.recordHeader(variant.site, bytes, logger));
    ring.commit(bytes);
    return true;
  }
}
