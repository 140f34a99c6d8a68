package io.github.steno.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.security.AccessController;
import java.security.PrivilegedAction;

/** Functions of threads that only later JDKs have. */
public final class Threads {
  private static final MethodHandle IS_VIRTUAL = find();

  private static MethodHandle find() {
    try {
      return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null;  // before 21
    }
  }

  public static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      return false;
    }
  }

  /**
   * A thread of ours, which keeps nothing of who happens to be the first that logs: neither its context class loader, nor, up
   * to JDK 23, the classes on its stack, as the access control context that threads inherit does.
   */
  @SuppressWarnings("removal")
  public static Thread make(Runnable task, String name) {
    Thread made = AccessController.doPrivileged(new PrivilegedAction<Thread>() {
      @Override
      public Thread run() {
        return new Thread(null, task, name, 0, false);
      }
    });
    made.setContextClassLoader(null);
    return made;
  }

  private Threads() {}
}
