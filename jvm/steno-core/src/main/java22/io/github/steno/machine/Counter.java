package io.github.steno.machine;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The machine's counter, by way of the native library, which has been loaded: after {@link #prepare()} by a call that does not leave the
 * state of a thread that runs Java, before that, and where the JVM would warn of it, by a native method.
 */
public final class Counter {
  /** Apart, for making it takes some 50 ms. */
  private static final class Quick {
    static final MethodHandle TICKS = SymbolLookup.loaderLookup().find("steno_jvm_ticks").map(symbol ->
        Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(ValueLayout.JAVA_LONG), Linker.Option.critical(false)))
        .orElse(null);

    static long read() {
      try {
        return (long) TICKS.invokeExact();
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  private static boolean prepared;

  /** Must not run in a thread of the program's. */
  public static void prepare() {
    try {
      prepared = Counter.class.getModule().isNativeAccessEnabled() && Quick.TICKS != null;
    } catch (RuntimeException | Error e) {
      prepared = false;  // the native method does as well
    }
  }

  public static long read() {
    return prepared ? Quick.read() : Native.ticks();
  }

  private Counter() {}
}
