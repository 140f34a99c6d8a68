package io.github.steno.log4j;

import io.github.steno.Log4jMessages;
import java.io.IOException;
import java.io.InputStream;
import java.lang.StackWalker.StackFrame;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.logging.log4j.spi.LoggerContextFactory;

/**
 * Log4j's core where it is on the class path beside steno. A class that casts loggers to those of core, as Spark does, gets core's: with
 * others it would end with a {@code ClassCastException}. So do classes of core itself. All others get steno's. Any thread.
 */
final class CoreBeside {
  private static final String API = "org.apache.logging.log4j.";
  private static final String CORE = API + "core.";
  private static final String FACTORY = CORE + "impl.Log4jContextFactory";
  private static final int MOST_BYTES = 1 << 21;
  private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final ClassLoader loader;
  private final ClassValue<Boolean> casts = new ClassValue<>() {
    @Override
    protected Boolean computeValue(Class<?> type) {
      return CoreBeside.casts(type);
    }
  };
  private volatile LoggerContextFactory factory;

  private CoreBeside(ClassLoader loader) {
    this.loader = loader;
  }

  /** Returns null if Log4j's core is not there. */
  static CoreBeside find(ClassLoader loader) {
    try {
      Class.forName(FACTORY, false, loader);
      return new CoreBeside(loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  /** The factory of core, where a class that needs it has called Log4j's API; null: steno's does. Costs some microseconds. */
  LoggerContextFactory factoryOfCaller() {
    Class<?> caller = WALKER.walk(CoreBeside::callerOfApi);
    if (caller == null) return null;
    if (caller.getName().startsWith(CORE)) return factory();
    if (!casts.get(caller)) return null;
    Log4jMessages.sayThatCoreIsUsed(caller.getName());
    return factory();
  }

  private static Class<?> callerOfApi(Stream<StackFrame> frames) {
    return frames.map(StackFrame::getDeclaringClass)
        .filter(type -> type != CoreBeside.class && type != StenoLoggerContextFactory.class && !isOfApi(type.getName()))
        .findFirst().orElse(null);
  }

  private static boolean isOfApi(String name) {
    return name.startsWith(API) && !name.startsWith(CORE);
  }

  /** Returns null if nobody has needed it yet. */
  LoggerContextFactory factoryInUse() {
    return factory;
  }

  /** Returns null if it cannot be made, which Log4j itself would report as well. */
  private synchronized LoggerContextFactory factory() {
    if (factory != null) return factory;
    try {
      return factory = (LoggerContextFactory) Class.forName(FACTORY, true, loader).getConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError e) {
      return null;
    }
  }

  private static boolean casts(Class<?> type) {
    String name = type.getName();
    try (InputStream in = type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
      return in != null && CoreCasts.areIn(in.readNBytes(MOST_BYTES));
    } catch (IOException | RuntimeException | LinkageError e) {
      return false;  // class loaders are the program's, and may throw anything
    }
  }
}
