package io.github.steno;

import java.util.Iterator;

/** Where a statement is. */
record Location(String file, String method, int line) {
  static final Location UNKNOWN = new Location("", "", 0);
  private static final StackWalker WALKER = StackWalker.getInstance();

  /**
   * Of the first caller of a class, the one that programs call. Costs some microseconds.
   *
   * @param boundary the class's name; its callers that are of a logging interface are passed over, too
   */
  static Location ofCaller(String boundary) {
    return WALKER.walk(frames -> {
      boolean within = false;
      for (Iterator<StackWalker.StackFrame> all = frames.iterator(); all.hasNext(); ) {
        StackWalker.StackFrame frame = all.next();
        String name = frame.getClassName();
        if (name.equals(boundary)) {
          within = true;
        } else if (within && !isOfAnInterface(name)) {
          return new Location(frame.getFileName() == null ? "" : frame.getFileName(), name + "." + frame.getMethodName(),
              Math.max(0, frame.getLineNumber()));
        }
      }
      return UNKNOWN;
    });
  }

  private static boolean isOfAnInterface(String name) {
    return name.startsWith("org.slf4j.") || name.startsWith("java.lang.System$Logger")
        || name.startsWith("jdk.internal.logger.");
  }
}
