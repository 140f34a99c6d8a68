package io.github.steno;

import io.github.steno.ring.Ring;
import io.github.steno.staging.Dictionary;
import io.github.steno.staging.Location;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The code of woven call sites. It tests the level and writes the arguments into the ring, each by its type. If that
 * cannot be done, it puts them into an array, as the original call would have. There is one chain of method handles for
 * each type of call, and the statement is its first argument: where the compiler inlines a chain, everything but the
 * arguments is constant.
 */
final class WovenCalls {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodHandle ACCEPTS = find("accepts", boolean.class, Class.class, Object.class);
  private static final MethodHandle IS_ENABLED = find("isEnabled", boolean.class, WovenSite.class, Object.class);
  private static final MethodHandle CLOCK = find("clock", long.class, WovenSite.class);
  private static final MethodHandle VARIANT = find("variant", Statement.Variant.class, long.class, WovenSite.class);
  private static final MethodHandle BEGIN = find("begin", Ring.class, Statement.Variant.class, WovenSite.class, Object.class);
  private static final MethodHandle HAS_BEGUN = find("hasBegun", boolean.class, Ring.class);
  private static final MethodHandle START = find("start", long.class, Ring.class, long.class);
  private static final MethodHandle FIRST = find("first", long.class, Statement.Variant.class);
  private static final MethodHandle END =
      find("end", boolean.class, long.class, long.class, Ring.class, Statement.Variant.class, WovenSite.class, Object.class);
  private static final MethodHandle LOG = find("log", void.class, WovenSite.class, Object.class, Object.class, Object[].class);
  private static final MethodHandle LOG_THROWN =
      find("logThrown", void.class, WovenSite.class, Object.class, Object.class, Throwable.class);
  private static final MethodHandle REFUSE = find("refuse", void.class, Throwable.class, WovenSite.class);

  /**
   * The type of calls that share a chain: all references are {@link Object}, except for types that tell what the last
   * argument is.
   */
  private record Kind(MethodType type, boolean isPlain) {}

  private static final ConcurrentHashMap<Kind, MethodHandle> BODIES = new ConcurrentHashMap<>();

  private static MethodHandle find(String name, Class<?> returned, Class<?>... taken) {
    try {
      return LOOKUP.findStatic(WovenCalls.class, name, MethodType.methodType(returned, taken));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** See {@link WovenLogger#link}. */
  static MethodHandle link(WovenLogger logger, MethodType type, MethodHandle original, int level, String format,
      Location location) {
    int first = firstArgument(type);
    int count = type.parameterCount() - first;
    boolean isSimple = count == 0 || !isSpecial(type.lastParameterType());
    WovenSite site = logger.channel().weave(level, format, location, first == 2 && isSimple ? count : -1);
    if (site == null) return null;
    MethodHandle body = BODIES.computeIfAbsent(new Kind(erase(type), site.isPlain()), WovenCalls::body).bindTo(site)
        .asType(type);
    MethodHandle accepts = MethodHandles.insertArguments(ACCEPTS, 0, logger.getClass())
        .asType(MethodType.methodType(boolean.class, type.parameterType(0)));
    return MethodHandles.guardWithTest(accepts, body, original);
  }

  /** Returns the index of the first argument, which comes after the logger, perhaps a marker, and the format. */
  private static int firstArgument(MethodType type) {
    return type.parameterType(1) == String.class ? 2 : 3;
  }

  private static boolean isSpecial(Class<?> last) {
    return last == Object[].class || last == Throwable.class;
  }

  private static MethodType erase(MethodType type) {
    MethodType erased = type.erase();
    int first = firstArgument(type);
    int last = type.parameterCount() - 1;
    // The format tells where the arguments begin.
    erased = erased.changeParameterType(first - 1, String.class);
    return last >= first && isSpecial(type.parameterType(last))
        ? erased.changeParameterType(last, type.parameterType(last)) : erased;
  }

  /** Makes the chain for a type of call, which takes the statement first. */
  private static MethodHandle body(Kind kind) {
    MethodType call = kind.type;
    MethodType type = call.insertParameterTypes(0, WovenSite.class);
    int first = firstArgument(call) + 1;
    List<Class<?>> arguments = type.parameterList().subList(first, type.parameterCount());
    boolean isSpecial = !arguments.isEmpty() && isSpecial(arguments.get(arguments.size() - 1));
    MethodHandle made = slow(type, first, isSpecial);
    if (kind.isPlain) made = fast(type, arguments, made);
    made = MethodHandles.guardWithTest(IS_ENABLED, made, MethodHandles.empty(type));
    return MethodHandles.catchException(made, Throwable.class, REFUSE);
  }

  private static MethodHandle slow(MethodType type, int first, boolean isSpecial) {
    MethodHandle log = LOG;
    if (isSpecial && type.lastParameterType() == Throwable.class) {
      log = LOG_THROWN;
    } else if (!isSpecial && type.parameterCount() == first) {
      log = MethodHandles.insertArguments(LOG, 3, (Object) Channel.NO_ARGUMENTS);
    } else if (!isSpecial) {
      log = LOG.asCollector(Object[].class, type.parameterCount() - first);
    }
    if (first == 3) log = MethodHandles.insertArguments(log, 2, (Object) null);
    return MethodHandles.dropArguments(log, first - 1, String.class).asType(type);
  }

  /**
   * A record is written straight into the ring (see {@link PlainRecord}); where that cannot be, the call is slow. What one step finds
   * out is the first argument of the steps after it, which are made from the last to the first: how far it has come, its place, the ring,
   * the variant, and the time.
   */
  private static MethodHandle fast(MethodType type, List<Class<?>> arguments, MethodHandle slow) {
    MethodType begun = type.insertParameterTypes(0, Ring.class, Statement.Variant.class, long.class);
    MethodType placed = begun.insertParameterTypes(0, long.class, long.class);
    MethodHandle write = with(END, placed, 0, 1, 2, 3, 5, 6);
    for (int i = arguments.size() - 1; i >= 0; i--) {
      MethodHandle put = with(PlainRecord.put(arguments.get(i)), placed, 0, 1, 2, 8 + i);
      write = MethodHandles.foldArguments(MethodHandles.dropArguments(write, 1, long.class), put);
    }
    write = MethodHandles.foldArguments(write, with(FIRST, placed.dropParameterTypes(0, 1), 2));
    write = MethodHandles.foldArguments(write, with(START, begun, 0, 2));
    MethodHandle slowInstead = MethodHandles.dropArguments(slow, 0, begun.parameterList().subList(0, 3));
    MethodHandle nothing = MethodHandles.empty(begun);
    write = MethodHandles.guardWithTest(HAS_BEGUN, MethodHandles.guardWithTest(write, nothing, slowInstead), slowInstead);
    write = MethodHandles.foldArguments(write, with(BEGIN, begun.dropParameterTypes(0, 1), 0, 2, 3));
    write = MethodHandles.foldArguments(write, MethodHandles.dropArguments(variant(type, arguments), 0, long.class));
    // The counter is read first: reading it waits for the instructions before it, and those after it need not wait.
    return MethodHandles.foldArguments(write, CLOCK);
  }

  /** The site for the types that arguments have: where they may be several, they are looked at. */
  private static MethodHandle variant(MethodType type, List<Class<?>> arguments) {
    MethodType ofTypes = type.insertParameterTypes(0, long.class);
    MethodHandle find = with(VARIANT, ofTypes, 0, 1);
    long signature = 0;
    for (int i = arguments.size() - 1; i >= 0; i--) {
      ArgumentType always = PlainRecord.typeOf(arguments.get(i));
      if (always != null) {
        signature |= always.in(i);
      } else {
        MethodHandle look = MethodHandles.insertArguments(PlainRecord.look(arguments.get(i)), 1, i);
        find = MethodHandles.foldArguments(MethodHandles.dropArguments(find, 1, long.class), with(look, ofTypes, 0, 4 + i));
      }
    }
    return MethodHandles.insertArguments(find, 0, signature);
  }

  /** A method that takes more, of which it needs those of some indices. */
  private static MethodHandle with(MethodHandle method, MethodType taken, int... needed) {
    return MethodHandles.permuteArguments(method, taken.changeReturnType(method.type().returnType()), needed);
  }

  private static boolean accepts(Class<?> type, Object logger) {
    return logger != null && logger.getClass() == type && ((WovenLogger) logger).channel() != null;
  }

  private static boolean isEnabled(WovenSite site, Object logger) {
    return channel(logger).isEnabled(site.level());
  }

  private static Channel channel(Object logger) {
    return ((WovenLogger) logger).channel();
  }

  private static long clock(WovenSite site) {
    return site.session().clock();
  }

  private static Statement.Variant variant(long signature, WovenSite site) {
    return PlainRecord.variant(signature, site.statement());
  }

  /** Returns null if the call has to be slow. Package-private for tests. */
  static Ring begin(Statement.Variant variant, WovenSite site, Object logger) {
    // A logger's number enters the dictionary first, which may wait, and may say something.
    if (variant == null || channel(logger).knownId() == Dictionary.NONE) return null;
    return Recorder.beginPlain(site.session(), site.statement());
  }

  private static boolean hasBegun(Ring ring) {
    return ring != null;
  }

  private static long start(Ring ring, long clock) {
    return PlainRecord.start(ring, clock);
  }

  private static long first(Statement.Variant variant) {
    return variant.first;
  }

  private static boolean end(long at, long place, Ring ring, Statement.Variant variant, WovenSite site, Object logger) {
    return PlainRecord.end(at, place, ring, variant, site.statement(), channel(logger).knownId());
  }

  private static void log(WovenSite site, Object logger, Object marker, Object[] arguments) {
    ((WovenLogger) logger).log(site, marker, arguments, null);
  }

  private static void logThrown(WovenSite site, Object logger, Object marker, Throwable thrown) {
    ((WovenLogger) logger).log(site, marker, Channel.NO_ARGUMENTS, thrown);
  }

  private static void refuse(Throwable cause, WovenSite site) {
    Recorder.abandonPlain();  // first: what refuses may log, or wait
    site.session().refuse(cause);
  }

  private WovenCalls() {}
}
