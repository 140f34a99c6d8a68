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
 * What JMH can say of a call: what one costs that is not enabled, and what one allocates. As fast as calls are made here, a queue or a ring is full,
 * so how long one takes is the harness's to say ({@link Calls}).
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

  /** What JMH's loop takes. */
  @Benchmark
  public int nothing() {
    return number++;
  }
}
