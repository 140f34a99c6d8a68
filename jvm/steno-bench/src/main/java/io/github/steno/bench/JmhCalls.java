package io.github.steno.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures with JMH the cost of a call that is not enabled, and the bytes that a call allocates. JMH makes calls so
 * fast that a queue or a ring is full, so the duration of an enabled call is measured by the harness ({@link Calls}).
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class JmhCalls {
  private final Call call = Call.of(System.getProperty("bench.api", "slf4j"));
  private int number;

  @Benchmark
  public void enabled() {
    call.log(number++);
  }

  @Benchmark
  public void disabled() {
    call.logDisabled(number++);
  }

  /** Measures JMH's own loop. */
  @Benchmark
  public int nothing() {
    return number++;
  }
}
