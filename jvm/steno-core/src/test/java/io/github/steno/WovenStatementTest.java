package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WovenStatementTest {
  /** More than a thread has to make before a statement has its recorder at hand. */
  private static final int CALLS = 2000;

  private final WovenStatement statement = new WovenStatement(null, null, true);

  @Test
  void eachThreadHasItsOwnRecorder() throws Exception {
    int threads = 4;
    AtomicInteger others = new AtomicInteger();
    CyclicBarrier begin = new CyclicBarrier(threads);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> {
        Recorder own = Recorder.ofThread();
        try {
          begin.await();
        } catch (Exception e) {
          others.incrementAndGet();
        }
        for (int call = 0; call < CALLS; call++) {
          if (statement.recorder() != own) others.incrementAndGet();
        }
      });
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) thread.join();
    assertEquals(0, others.get());
  }

  @Test
  void aRecorderIsItsThreadsAlone() throws Exception {
    Recorder own = Recorder.ofThread();
    boolean[] isOfOther = {true};
    Thread other = new Thread(() -> isOfOther[0] = own.isOfThread());
    other.start();
    other.join();
    assertFalse(isOfOther[0]);
    assertSame(own, statement.recorder());
  }

  @Test
  void aStatementKeepsNoThread() throws Exception {
    List<WeakReference<Object>> kept = callOnce();
    for (WeakReference<Object> ended : kept) {
      for (int waited = 0; waited < 1000 && ended.get() != null; waited++) {
        System.gc();
        Thread.sleep(10);
      }
      assertNull(ended.get());
    }
    assertSame(Recorder.ofThread(), statement.recorder());
  }

  @Test
  void aThreadsFirstCallsTakeNoStatement() throws Exception {
    WeakReference<Recorder> own = Recorder.ofThread().weak();
    assertSame(own.get(), statement.recorder());
    assertSame(own, statement.usual());
    callOnce();
    assertSame(own, statement.usual());
  }

  /** The thread, which has ended, and its recorder. */
  private List<WeakReference<Object>> callOnce() throws InterruptedException {
    List<WeakReference<Object>> made = new ArrayList<>();
    Thread thread = new Thread(() -> made.add(new WeakReference<>(statement.recorder())));
    made.add(new WeakReference<>(thread));
    thread.start();
    thread.join();
    return made;
  }
}
