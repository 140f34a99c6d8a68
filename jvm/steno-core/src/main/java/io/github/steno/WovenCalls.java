package io.github.steno;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the call sites do that the agent wove: test the level, and write the arguments into the ring, each by its type; where that
 * cannot be done, put them into an array, as the call would have. One chain of method handles for each type of call, of which the
 * statement is the first argument: to the compiler, where it is inlined, all of it but the arguments is constant.
 */
final class WovenCalls {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodHandle ACCEPTS = find("accepts", boolean.class, Class.class, Object.class);
  private static final MethodHandle IS_ENABLED = find("isEnabled", boolean.class, WovenStatement.class, Object.class);
  private static final MethodHandle BEGIN = find("begin", PlainRecord.class, WovenStatement.class);
  private static final MethodHandle HAS_BEGUN = find("hasBegun", boolean.class, PlainRecord.class);
  private static final MethodHandle END = find("end", boolean.class, PlainRecord.class, Object.class, WovenStatement.class);
  private static final MethodHandle LOG =
      find("log", void.class, WovenStatement.class, Object.class, Object.class, Object[].class);
  private static final MethodHandle LOG_THROWN =
      find("logThrown", void.class, WovenStatement.class, Object.class, Object.class, Throwable.class);
  private static final MethodHandle REFUSE = find("refuse", void.class, Throwable.class, WovenStatement.class);

  /** By types in which all references are {@link Object}, but for those that say what the last argument is. */
  private static final ConcurrentHashMap<MethodType, MethodHandle> BODIES = new ConcurrentHashMap<>();

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
    WovenStatement statement = logger.channel().weave(level, format, location, first == 2 && isSimple ? count : -1);
    if (statement == null) return null;
    MethodHandle body = BODIES.computeIfAbsent(erase(type), WovenCalls::body).bindTo(statement).asType(type);
    MethodHandle accepts = MethodHandles.insertArguments(ACCEPTS, 0, logger.getClass())
        .asType(MethodType.methodType(boolean.class, type.parameterType(0)));
    return MethodHandles.guardWithTest(accepts, body, original);
  }

  /** Behind the logger, perhaps a marker, and the format. */
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

  /** Of a call, with the statement in front. */
  private static MethodHandle body(MethodType call) {
    MethodType type = call.insertParameterTypes(0, WovenStatement.class);
    int first = firstArgument(call) + 1;
    List<Class<?>> arguments = type.parameterList().subList(first, type.parameterCount());
    boolean isSpecial = !arguments.isEmpty() && isSpecial(arguments.get(arguments.size() - 1));
    MethodHandle made = slow(type, first, isSpecial);
    if (!isSpecial && first == 3) made = fast(type, arguments, made);
    made = MethodHandles.guardWithTest(IS_ENABLED, made, MethodHandles.empty(type));
    return MethodHandles.catchException(made, Throwable.class, REFUSE);
  }

  private static MethodHandle slow(MethodType type, int first, boolean isSpecial) {
    MethodHandle log = LOG;
    if (isSpecial && type.lastParameterType() == Throwable.class) {
      log = LOG_THROWN;
    } else if (!isSpecial) {
      log = LOG.asCollector(Object[].class, type.parameterCount() - first);
    }
    if (first == 3) log = MethodHandles.insertArguments(log, 2, (Object) null);
    return MethodHandles.dropArguments(log, first - 1, String.class).asType(type);
  }

  private static MethodHandle fast(MethodType type, List<Class<?>> arguments, MethodHandle slow) {
    // From the last step to the first.
    List<Class<?>> put = new ArrayList<>(arguments);
    Collections.reverse(put);
    // One that is put comes before those that are put after it: (record, argument, ..., logger, statement).
    MethodHandle chain = END;
    for (Class<?> argument : put) {
      chain = MethodHandles.foldArguments(MethodHandles.dropArguments(chain, 1, argument), put(argument));
    }
    chain = inOrder(chain, type);
    MethodHandle nothing = MethodHandles.empty(type);
    MethodHandle later = MethodHandles.dropArguments(slow, 0, PlainRecord.class);
    MethodHandle write = MethodHandles.guardWithTest(chain, MethodHandles.dropArguments(nothing, 0, PlainRecord.class), later);
    return MethodHandles.foldArguments(MethodHandles.guardWithTest(HAS_BEGUN, write, later), BEGIN);
  }

  /** (record, arguments..., logger, statement) as (record, statement, logger, format, arguments...). */
  private static MethodHandle inOrder(MethodHandle chain, MethodType type) {
    int count = type.parameterCount() - 3;
    int[] order = new int[count + 3];
    for (int i = 0; i < count; i++) order[1 + i] = 4 + i;
    order[count + 1] = 2;
    order[count + 2] = 1;
    return MethodHandles.permuteArguments(chain, type.insertParameterTypes(0, PlainRecord.class).changeReturnType(boolean.class),
        order);
  }

  private static MethodHandle put(Class<?> type) {
    try {
      return LOOKUP.findVirtual(PlainRecord.class, "put", MethodType.methodType(void.class, type));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean accepts(Class<?> type, Object logger) {
    return logger != null && logger.getClass() == type && ((WovenLogger) logger).channel() != null;
  }

  private static boolean isEnabled(WovenStatement statement, Object logger) {
    return ((WovenLogger) logger).channel().isEnabled(statement.statement.level);
  }

  private static PlainRecord begin(WovenStatement statement) {
    return statement.isPlain ? statement.recorder().beginPlain(statement.session, statement.statement) : null;
  }

  private static boolean hasBegun(PlainRecord record) {
    return record != null;
  }

  private static boolean end(PlainRecord record, Object logger, WovenStatement statement) {
    return record.end(((WovenLogger) logger).channel(), statement.statement);
  }

  private static void log(WovenStatement statement, Object logger, Object marker, Object[] arguments) {
    ((WovenLogger) logger).log(statement, marker, arguments, null);
  }

  private static void logThrown(WovenStatement statement, Object logger, Object marker, Throwable thrown) {
    ((WovenLogger) logger).log(statement, marker, Channel.NO_ARGUMENTS, thrown);
  }

  private static void refuse(Throwable cause, WovenStatement statement) {
    Recorder.abandonPlain();  // first: what refuses may log, or wait
    statement.session.refuse(cause);
  }

  private WovenCalls() {}
}
