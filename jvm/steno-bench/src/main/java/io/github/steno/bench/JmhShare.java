package io.github.steno.bench;

import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Repeats a comparison of scala-logging with a disruptor behind it: a counter is incremented, and logged each so many
 * operations. The calls are in Scala.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class JmhShare {
  @Param({"1000000", "100000", "10000", "1000", "500"})
  private int operationsACall;

  private IntToLongFunction counter;

  /** Loads the counter by its name, because it is compiled after this class. */
  @Setup
  public void load() throws ReflectiveOperationException {
    String name = System.getProperty("bench.counter", "Counter");
    counter = (IntToLongFunction) Class.forName("io.github.steno.bench." + name).getDeclaredConstructor().newInstance();
  }

  @Benchmark
  public long operation() {
    return counter.applyAsLong(operationsACall);
  }
}
