package io.github.steno;

/** Where a statement is. */
record Location(String file, String method, int line) {
  static final Location UNKNOWN = new Location("", "", 0);
  private static final StackWalker WALKER = StackWalker.getInstance();

  /**
   * Of the first caller of a class, the one that programs call. Costs some microseconds.
   *
   * @param boundary the class's name; its callers that are of {@code org.slf4j} are passed over, too
   */
  static Location ofCaller(String boundary) {
    return WALKER.walk(frames -> frames
        .dropWhile(frame -> !frame.getClassName().equals(boundary))
        .dropWhile(frame -> frame.getClassName().equals(boundary) || frame.getClassName().startsWith("org.slf4j."))
        .findFirst()
        .map(frame -> new Location(frame.getFileName() == null ? "" : frame.getFileName(),
            frame.getClassName() + "." + frame.getMethodName(), Math.max(0, frame.getLineNumber())))
        .orElse(UNKNOWN));
  }
}
