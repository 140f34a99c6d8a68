package io.github.steno.spark;

/** Throws where Spark's interfaces declare nothing. */
final class Thrown {
  /** Throw this: it is the exception itself. */
  static RuntimeException unchecked(StenoException e) {
    return Thrown.<RuntimeException>as(e);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Exception> E as(Exception e) throws E {
    throw (E) e;
  }

  private Thrown() {}
}
