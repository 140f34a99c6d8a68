package io.github.steno.sparklogging;

import java.io.IOException;
import org.apache.spark.util.SparkErrorUtils$;

/** Has Spark log that something failed. Before that, it looks whether Log4j's core has a configuration, and casts loggers for it. */
final class SparkProgram {
  public static void main(String[] arguments) throws Exception {
    try {
      SparkErrorUtils$.MODULE$.tryOrIOException(() -> fail());
    } catch (Exception e) {
      if (!(e instanceof IOException)) throw e;  // which Scala does not declare
      System.out.println("Spark has thrown it on");
    }
  }

  private static Object fail() {
    throw new IllegalStateException("out of stock");
  }

  private SparkProgram() {}
}
