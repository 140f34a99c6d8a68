package io.github.steno.agent;

import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/** The bootstrap method of woven calls. It is public because classes of the program call it. */
public final class CallSites {
  /** The name of steno's interface. The class loader that has the class need not be known. */
  private static final String WOVEN_LOGGER = "io.github.steno.WovenLogger";
  /**
   * The number of foreign logger classes that a call site tests for. A call that meets more keeps its original target.
   */
  private static final int MOST_OTHERS = 4;
  private static final MethodType LINK = MethodType.methodType(MethodHandle.class, Object.class, MethodType.class,
      MethodHandle.class, int.class, String.class, String.class, String.class, int.class);

  /** One call in a program's class. Its target is known when the first logger comes. */
  private static final class Site extends MutableCallSite {
    private static final MethodHandle RELINK = find("relink", MethodType.methodType(MethodHandle.class, Object.class));
    private static final MethodHandle IS =
        find("is", MethodType.methodType(boolean.class, Class.class, Object.class));

    private final MethodHandle original;
    private final int level;
    private final String format;
    private final String file;
    private final String function;
    private final int line;
    private int others;

    Site(MethodType type, MethodHandle original, int level, String format, String file, String function, int line) {
      super(type);
      this.original = original;
      this.level = level;
      this.format = format;
      this.file = file;
      this.function = function;
      this.line = line;
      setTarget(relinker());
    }

    private static MethodHandle find(String name, MethodType type) {
      try {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        return name.equals("is") ? lookup.findStatic(Site.class, name, type) : lookup.findVirtual(Site.class, name, type);
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }

    private MethodHandle relinker() {
      MethodHandle relink = RELINK.bindTo(this).asType(MethodType.methodType(MethodHandle.class, type().parameterType(0)));
      return MethodHandles.foldArguments(MethodHandles.exactInvoker(type()), relink);
    }

    /** Decides by a logger what this call, and those that come, are to do. */
    private MethodHandle relink(Object logger) {
      if (logger == null) return original;  // which throws what it is to throw
      MethodHandle target;
      try {
        target = link(logger);
      } catch (Throwable e) {
        target = original;
      }
      setTarget(target);
      return target;
    }

    private MethodHandle link(Object logger) throws Throwable {
      Class<?> woven = wovenLogger(logger.getClass());
      if (woven != null) {
        MethodHandle linked = (MethodHandle) MethodHandles.publicLookup().findStatic(woven, "link", LINK)
            .invoke(logger, type(), original, level, format, file, function, line);
        return linked == null ? original : linked;
      }
      if (++others > MOST_OTHERS) return original;
      MethodHandle is = IS.bindTo(logger.getClass());
      return MethodHandles.guardWithTest(is.asType(MethodType.methodType(boolean.class, type().parameterType(0))), original,
          others == MOST_OTHERS ? original : relinker());
    }

    private static Class<?> wovenLogger(Class<?> type) {
      for (Class<?> at = type; at != null; at = at.getSuperclass()) {
        for (Class<?> implemented : at.getInterfaces()) {
          if (implemented.getName().equals(WOVEN_LOGGER)) return implemented;
        }
      }
      return null;
    }

    private static boolean is(Class<?> type, Object logger) {
      return logger != null && logger.getClass() == type;
    }
  }

  /**
   * Links a call.
   *
   * @param type of the call: the logger, a marker if it has one, the format, and arguments
   * @param original the logger's method; where it takes an array, and the call has none, it has what would be in that
   * @param function class and method
   */
  public static CallSite link(MethodHandles.Lookup caller, String name, MethodType type, MethodHandle original, int level,
      String format, String file, String function, int line) {
    MethodHandle fixed = original.asFixedArity();
    int taken = fixed.type().parameterCount();
    boolean takesArray = fixed.type().lastParameterType() == Object[].class;
    if (takesArray && (type.parameterCount() != taken || type.lastParameterType() != Object[].class)) {
      fixed = fixed.asCollector(Object[].class, type.parameterCount() - taken + 1);
    }
    return new Site(type, fixed.asType(type), level, format, file, function, line);
  }

  private CallSites() {}
}
