package io.github.steno.staging;

import java.util.Iterator;
import java.util.function.Function;
import java.util.stream.Stream;

/** The place of a statement. */
public record Location(String file, String method, int line) {
  public static final Location UNKNOWN = new Location("", "", 0);
  private static final String SEVERAL = "(several places)";
  private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /**
   * The code that called.
   *
   * @param type null: there was no caller
   */
  public record Caller(Location location, Class<?> type) {}

  /**
   * The first caller of a class, the one that programs call. Costs some microseconds.
   *
   * @param boundary the class's name; its callers that are of a logging interface are passed over, too
   */
  public static Caller callerOf(String boundary) {
    return WALKER.walk(new Function<Stream<StackWalker.StackFrame>, Caller>() {
      @Override
      public Caller apply(Stream<StackWalker.StackFrame> frames) {
        boolean within = false;
        for (Iterator<StackWalker.StackFrame> all = frames.iterator(); all.hasNext(); ) {
          StackWalker.StackFrame frame = all.next();
          String name = frame.getClassName();
          if (name.equals(boundary)) {
            within = true;
          } else if (within && !isOfAnInterface(name)) {
            String file = frame.getFileName() == null ? "" : frame.getFileName();
            Location location = new Location(file, name + "." + frame.getMethodName(), Math.max(0, frame.getLineNumber()));
            return new Caller(location, frame.getDeclaringClass());
          }
        }
        return new Caller(UNKNOWN, null);
      }
    });
  }

  private static boolean isOfAnInterface(String name) {
    return name.startsWith("org.slf4j.") || name.startsWith("java.lang.System$Logger")
        || name.startsWith("jdk.internal.logger.");
  }

  /** Returns the location of a statement that is here and in other lines of the class. */
  public Location andOthers() {
    return new Location(file, type() + ' ' + SEVERAL, 0);
  }

  /** Returns the location of a statement that is in both places. */
  public Location and(Location other) {
    if (file.equals(other.file) && type().equals(other.type())) return andOthers();
    return new Location(file.equals(other.file) ? file : "", SEVERAL, 0);
  }

  private String type() {
    return method.substring(0, Math.max(0, method.lastIndexOf('.')));
  }
}
