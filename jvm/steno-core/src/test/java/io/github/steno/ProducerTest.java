package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.github.steno.staging.Location;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests which producer a statement has at hand. */
class ProducerTest {
  /** More than a thread has to make before a statement has its producer at hand. */
  private static final int CALLS = 2000;

  private final Statement statement = Statement.ofTexts(Levels.INFO, "", Location.UNKNOWN);

  @Test
  void eachThreadHasItsOwn() throws Exception {
    int threads = 4;
    AtomicInteger others = new AtomicInteger();
    CyclicBarrier begin = new CyclicBarrier(threads);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> {
        Producer own = Recorder.ofThread().producer();
        try {
          begin.await();
        } catch (Exception e) {
          others.incrementAndGet();
        }
        for (int call = 0; call < CALLS; call++) {
          if (statement.producer() != own) others.incrementAndGet();
        }
      });
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) thread.join();
    assertEquals(0, others.get());
  }

  @Test
  void oneIsItsThreadsAlone() throws Exception {
    Producer own = Recorder.ofThread().producer();
    boolean[] isOfOther = {true};
    Thread other = new Thread(() -> isOfOther[0] = own.isOfThread());
    other.start();
    other.join();
    assertFalse(isOfOther[0]);
    assertSame(own, statement.producer());
  }

  @Test
  void aStatementKeepsNoThread() throws Exception {
    WeakReference<Thread> ended = callOnce();
    for (int waited = 0; waited < 1000 && ended.get() != null; waited++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(ended.get());
    assertSame(Recorder.ofThread().producer(), statement.producer());
    assertSame(Recorder.ofThread().producer(), statement.atHand());
  }

  @Test
  void aThreadsFirstCallsTakeNoStatement() throws Exception {
    Producer own = Recorder.ofThread().producer();
    assertSame(own, statement.producer());
    assertSame(own, statement.atHand());
    callOnce();
    assertSame(own, statement.atHand());
  }

  /** The thread, which has ended. */
  private WeakReference<Thread> callOnce() throws InterruptedException {
    Thread thread = new Thread(statement::producer);
    thread.start();
    thread.join();
    return new WeakReference<>(thread);
  }
}
