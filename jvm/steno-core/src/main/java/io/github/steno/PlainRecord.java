package io.github.steno;

import io.github.steno.ring.Memory;
import io.github.steno.ring.Ring;
import io.github.steno.staging.Dictionary;
import io.github.steno.staging.Layout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A record of numbers and texts of ASCII, written straight into the ring, as most calls have them: all at once ({@link #write}), or in the
 * steps of a statement that the agent wove ({@link WovenCalls}). First the site is found for the types of the arguments; then the record is
 * begun, where nothing is to be said before it; then each argument is put behind the last. Where a text is none that is stored as it is,
 * or finds no room, the record is given up at its end, and nothing is in the ring. No code of the program's runs in between, nor does
 * anything wait.
 *
 * <p>How far a record has come is a number that each step takes and returns, so that it stays in a register: in its lowest bits is how far
 * from the record's begin the next number goes, or the size of a text, and above them where the next text goes, for texts come after all
 * of these. Less than 0: it is given up, and above the lowest bits is what a text would have found room in; 0: that is not why.
 */
final class PlainRecord {
  /** There is room for the numbers of any arguments. */
  static final int LEAST_ROOM = Layout.ARGUMENTS + Long.BYTES * ArgumentType.MOST;
  private static final int MOST_ROOM = 1 << 13;
  private static final int TEXT_SHIFT = 8;
  private static final int AT_BITS = (1 << TEXT_SHIFT) - 1;
  /** The state of a record that was given up. Numbers that are still written do no harm at its offset. */
  private static final long GIVEN_UP = Long.MIN_VALUE | Layout.ARGUMENTS;
  /** The signature of arguments that cannot be stored as they are. */
  private static final long NONE = -1;
  /** The signature of one text. */
  private static final long TEXT = ArgumentType.TEXT.in(0);

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static MethodHandle find(String name, Class<?> returned, Class<?>... taken) {
    try {
      return LOOKUP.findStatic(PlainRecord.class, name, MethodType.methodType(returned, taken));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** The type of all arguments of a call that have a certain type there; null: they have to be looked at. */
  static ArgumentType typeOf(Class<?> type) {
    if (type == int.class) return ArgumentType.INT;
    if (type == long.class) return ArgumentType.LONG;
    if (type == boolean.class) return ArgumentType.BOOLEAN;
    if (type == short.class) return ArgumentType.SHORT;
    return type == byte.class ? ArgumentType.BYTE : null;
  }

  /**
   * Returns the method that adds the type of such an argument to a signature: (signature, number of the argument,
   * argument).
   */
  static MethodHandle look(Class<?> type) {
    return find("look", long.class, long.class, int.class, type);
  }

  private static long look(long signature, int argument, char value) {
    return Character.isSurrogate(value) ? NONE : signature | ArgumentType.CHARACTER.in(argument);
  }

  private static long look(long signature, int argument, float value) {
    return with(signature, argument, ArgumentType.of(value));
  }

  private static long look(long signature, int argument, double value) {
    return with(signature, argument, ArgumentType.of(value));
  }

  private static long with(long signature, int argument, ArgumentType type) {
    return type == ArgumentType.TEXT ? NONE : signature | type.in(argument);
  }

  private static long look(long signature, int argument, Object value) {
    if (value instanceof String || value == null) return signature | ArgumentType.in(ArgumentType.PLAIN_TEXT, argument);
    if (value instanceof Integer) return signature | ArgumentType.in(ArgumentType.PLAIN_INT, argument);
    if (value instanceof Long) return signature | ArgumentType.in(ArgumentType.PLAIN_LONG, argument);
    if (value instanceof Double number) return look(signature, argument, (double) number);
    if (value instanceof Boolean) return signature | ArgumentType.in(ArgumentType.PLAIN_BOOLEAN, argument);
    return NONE;
  }

  /** The site for such arguments; null: there was none yet, or there can be none. */
  static Statement.Variant variant(long signature, Statement statement) {
    Statement.Variant usual = statement.usual;
    return usual != null && usual.signature == signature ? usual : statement.known(signature);
  }

  /** Returns the record's place. */
  static long start(Ring ring, long clock) {
    long place = ring.place();
    Memory.putLong(ring.records(), place + Layout.CLOCK, ring.clock(clock));
    return place;
  }

  /** Returns the state of a record that has no arguments yet and is to have those of the signature. */
  static long first(long signature) {
    return (long) (Layout.ARGUMENTS + ArgumentType.fixedBytes(signature)) << TEXT_SHIFT | Layout.ARGUMENTS;
  }

  /** Returns the method that writes one more argument: (state, place, ring, argument). */
  static MethodHandle put(Class<?> type) {
    return find("put", long.class, long.class, long.class, Ring.class, type);
  }

  static long put(long at, long place, Ring ring, boolean value) {
    return put(at, place, ring, (byte) (value ? 1 : 0));
  }

  static long put(long at, long place, Ring ring, byte value) {
    Memory.putByte(ring.records(), place + (at & AT_BITS), value);
    return at + Byte.BYTES;
  }

  static long put(long at, long place, Ring ring, short value) {
    return put(at, place, ring, (char) value);
  }

  /** Writes two single bytes: four bytes could overwrite the next text, which may be there already. */
  static long put(long at, long place, Ring ring, char value) {
    Memory.putByte(ring.records(), place + (at & AT_BITS), (byte) value);
    Memory.putByte(ring.records(), place + (at & AT_BITS) + 1, (byte) (value >> 8));
    return at + Character.BYTES;
  }

  static long put(long at, long place, Ring ring, int value) {
    Memory.putInt(ring.records(), place + (at & AT_BITS), value);
    return at + Integer.BYTES;
  }

  static long put(long at, long place, Ring ring, long value) {
    Memory.putLong(ring.records(), place + (at & AT_BITS), value);
    return at + Long.BYTES;
  }

  static long put(long at, long place, Ring ring, float value) {
    return put(at, place, ring, Float.floatToRawIntBits(value));
  }

  static long put(long at, long place, Ring ring, double value) {
    return put(at, place, ring, Double.doubleToRawLongBits(value));
  }

  static long put(long at, long place, Ring ring, Object value) {
    if (value instanceof String text) return put(at, place, ring, text);
    if (value instanceof Integer number) return put(at, place, ring, (int) number);
    if (value instanceof Long number) return put(at, place, ring, (long) number);
    if (value instanceof Double number) return put(at, place, ring, (double) number);
    if (value instanceof Boolean truth) return put(at, place, ring, (boolean) truth);
    return put(at, place, ring, "null");  // others have no site
  }

  static long put(long at, long place, Ring ring, String value) {
    if (at < 0) return at;
    long text = at >>> TEXT_SHIFT;
    int room = ring.room() - (int) text;
    int size = Memory.putAscii(ring.records(), place + text, value, room);
    if (size < 0) return giveUp(text, value, room);
    Memory.putInt(ring.records(), place + (at & AT_BITS), size);
    return at + ((long) size << TEXT_SHIFT) + Integer.BYTES;
  }

  private static long giveUp(long text, String value, int room) {
    int length = value.length();
    boolean findsNoRoom = length >= room - Long.BYTES && length < MOST_ROOM / 4;
    long wanted = findsNoRoom ? Math.min(MOST_ROOM, 2 * (text + length)) : 0;
    return GIVEN_UP | wanted << TEXT_SHIFT;
  }

  /** Makes it the ring's, and lets others have that, where they share it. False: it is given up. */
  static boolean end(long at, long place, Ring ring, Statement.Variant variant, Statement statement, int logger) {
    if (at < 0) {
      int wanted = (int) ((at & Long.MAX_VALUE) >>> TEXT_SHIFT);
      if (wanted > statement.plainRoom) statement.plainRoom = wanted;
    } else {
      long bytes = (at >>> TEXT_SHIFT) + Long.BYTES - 1 & -Long.BYTES;
      Memory.putLong(ring.records(), place, Layout.recordHeader(variant.site, bytes, logger));
      ring.commit(bytes);
    }
    if (ring.isTaken()) ring.giveTurn();
    return at >= 0;
  }

  /**
   * Writes a record. Returns false, and writes nothing, if another record must come before it, or if there are
   * arguments that cannot be stored as they are.
   */
  static boolean write(Session session, Channel channel, Statement statement, Object[] all, int count) {
    if (count > statement.plainFields) return false;
    long clock = session.clock();
    Ring ring = ready(session, channel, statement);
    if (ring == null) return Recorder.takesTurns() && writeInTurn(session, channel, statement, all, count);
    // The first three are no loop, because values that a loop carries on would not stay in registers.
    Object first = count > 0 ? all[0] : null;
    Object second = count > 1 ? all[1] : null;
    Object third = count > 2 ? all[2] : null;
    long signature = 0;
    if (count > 0) signature = look(signature, 0, first);
    if (count > 1) signature = look(signature, 1, second);
    if (count > 2) signature = look(signature, 2, third);
    for (int i = 3; i < count; i++) signature = look(signature, i, all[i]);
    Statement.Variant variant = variant(signature, statement);
    if (variant == null) return false;
    long place = start(ring, clock);
    long at = variant.first;
    if (count > 0) at = put(at, place, ring, first);
    if (count > 1) at = put(at, place, ring, second);
    if (count > 2) at = put(at, place, ring, third);
    for (int i = 3; i < count; i++) {
      Object value = all[i];
      // Another thread may have changed it.
      at = look(0, i, value) == ArgumentType.at(signature, i).in(i) ? put(at, place, ring, value) : GIVEN_UP;
    }
    return end(at, place, ring, variant, statement, channel.knownId());
  }

  /**
   * Does the same in a ring that threads share. Arguments that cannot be written like this are found before the turn is
   * taken.
   */
  private static boolean writeInTurn(Session session, Channel channel, Statement statement, Object[] all, int count) {
    if (channel.knownId() == Dictionary.NONE) return false;
    long signature = 0;
    for (int i = 0; i < count; i++) signature = look(signature, i, all[i]);
    Statement.Variant variant = variant(signature, statement);
    Ring ring = variant == null ? null : Recorder.beginPlain(session, statement);
    if (ring == null) return false;
    long place = start(ring, session.clock());
    long at = variant.first;
    for (int i = 0; i < count; i++) {
      Object value = all[i];
      // Another thread may have changed it.
      at = look(0, i, value) == ArgumentType.at(signature, i).in(i) ? put(at, place, ring, value) : GIVEN_UP;
    }
    return end(at, place, ring, variant, statement, channel.knownId());
  }

  /** Writes a message that is text already, of a statement for such messages. */
  static boolean writeText(Session session, Channel channel, Statement statement, String text) {
    if (statement.isLookedAt()) return false;
    long clock = session.clock();
    Ring ring = ready(session, channel, statement);
    Statement.Variant variant = ring == null ? null : variant(TEXT, statement);
    if (variant == null) return false;
    long place = start(ring, clock);
    return end(put(variant.first, place, ring, text), place, ring, variant, statement, channel.knownId());
  }

  /** The calling thread's ring, which a record may be begun in at once; null: something is to be said before, or there is no room. */
  private static Ring ready(Session session, Channel channel, Statement statement) {
    Producer producer = statement.producer();
    if (channel.knownId() == Dictionary.NONE || !producer.isReadyFor(session)) return null;
    return producer.ready.room() < statement.plainRoom ? null : producer.ready;
  }

  private PlainRecord() {}
}
