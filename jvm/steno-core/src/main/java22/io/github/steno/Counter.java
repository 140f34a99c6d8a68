package io.github.steno;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The machine's counter, by a call of the native library, which has been loaded, that does not leave the state of a thread that runs
 * Java. Where the JVM would warn of that, by the usual way.
 */
final class Counter {
  private static final MethodHandle TICKS = find();

  private static MethodHandle find() {
    if (!Counter.class.getModule().isNativeAccessEnabled()) return null;
    return SymbolLookup.loaderLookup().find("steno_jvm_ticks").map(symbol -> Linker.nativeLinker().downcallHandle(symbol,
        FunctionDescriptor.of(ValueLayout.JAVA_LONG), Linker.Option.critical(false))).orElse(null);
  }

  static long read() {
    if (TICKS == null) return Native.ticks();
    try {
      return (long) TICKS.invokeExact();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private Counter() {}
}
