package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Planning and tasks share what is open, as long as it is the same. */
class OpenLogsTest extends SparkTest {
  private static final int COUNT = 100_000;

  private static long opensOf(Callable<Long> query, long rows) throws Exception {
    long before = OpenLogs.opened();
    assertEquals(rows, query.call());
    return OpenLogs.opened() - before;
  }

  private static long count(Path log) {
    return load(log, "statement", "response", "partitionBytes", "100000").filter("us >= 0").count();
  }

  @Test
  void aQueryOpensAFileOnce() throws Exception {
    Path log = Logs.responses(folder, "once.steno", COUNT);
    assertTrue(load(log, "statement", "response", "partitionBytes", "100000").javaRDD().getNumPartitions() > 2);
    Files.setLastModifiedTime(log, FileTime.fromMillis(1_000_000));
    assertEquals(2, opensOf(() -> count(log), COUNT));  // to see whether it is finished, then as a finished one
    assertEquals(0, opensOf(() -> count(log), COUNT));
    Files.setLastModifiedTime(log, FileTime.fromMillis(2_000_000));
    assertEquals(2, opensOf(() -> count(log), COUNT));
  }

  @Test
  void anotherFileInItsPlaceIsOpened() throws Exception {
    Path log = Logs.responses(folder, "place.steno", COUNT);
    assertEquals(COUNT, count(log));
    Files.move(log, folder.resolve("elsewhere.steno"));
    Logs.responses(folder, "place.steno", COUNT / 2);
    assertEquals(COUNT / 2, count(log));
    assertEquals(COUNT, count(folder.resolve("elsewhere.steno")));
  }

  /** A file that is being written has no index, so each opening would copy it. */
  @Test
  void theBeginningOfAFileIsSharedToo() throws Exception {
    Path log = folder.resolve("begun.steno");
    byte[] whole = Files.readAllBytes(Logs.responses(folder, "finished.steno", 10 * COUNT));  // several blocks, however large they are
    Files.write(log, Arrays.copyOf(whole, whole.length / 2));
    long left = count(log);
    assertTrue(left > 0 && left < 10 * COUNT, String.valueOf(left));
    assertEquals(0, opensOf(() -> count(log), left));
    Files.write(log, whole);
    assertEquals(10 * COUNT, count(log));
  }

  @Test
  void fewAreKeptThatNobodyUses() throws Exception {
    Path log = Logs.responses(folder, "many.steno", 10);
    for (int i = 0; i < 2 * OpenLogs.MOST_UNUSED; ++i) {
      Files.setLastModifiedTime(log, FileTime.fromMillis(3_000_000 + i));
      new Request(Map.of("path", log.toString())).open().close();
    }
    assertTrue(OpenLogs.unused() <= OpenLogs.MOST_UNUSED, String.valueOf(OpenLogs.unused()));
  }

  private static OpenLogs.Key key(Path log, String access) throws Exception {
    List<LogFile> files = new Request(Map.of("path", log.toString())).files;
    return new OpenLogs.Key(List.of(files.get(0).identity()), List.of(), false, access);
  }

  private static OpenLogs.Opener opener(Path log) {
    return () -> Native.open(new byte[][] {log.toString().getBytes(StandardCharsets.UTF_8)});
  }

  private static long opensOf(OpenLogs.Key key, long heldBytes, Path log) throws Exception {
    long before = OpenLogs.opened();
    OpenLogs.take(key, heldBytes, opener(log)).release();
    return OpenLogs.opened() - before;
  }

  /** Whoever shares a log sees the same losses; one that decoding has found is counted once, and makes others open the log again. */
  @Test
  void lossesAreThoseBeforeDecoding() throws Exception {
    Path log = Logs.responses(folder, "losses.steno", 10);
    OpenLogs.Key key = key(log, "losses");
    List<Log.Loss> known = List.of(new Log.Loss("a", "missing"), new Log.Loss("b", "missing"));
    AtomicReference<List<Log.Loss>> losses = new AtomicReference<>(known);
    OpenLogs.Opener opener = new OpenLogs.Opener() {
      @Override
      public long open() throws StenoException {
        losses.set(known);
        return opener(log).open();
      }

      @Override
      public List<Log.Loss> losses(long reader, boolean all) {
        return losses.get();
      }
    };
    OpenLogs.Shared first = OpenLogs.take(key, 0, opener);
    assertEquals(known, first.firstLosses(false));
    OpenLogs.Shared second = OpenLogs.take(key, 0, opener);
    assertSame(first, second);
    losses.set(List.of(known.get(0), known.get(1), new Log.Loss("b", "undecodable")));
    first.decoded();
    OpenLogs.Shared later = OpenLogs.take(key, 0, opener);
    assertNotSame(first, later);
    assertEquals(known, later.firstLosses(false));
    assertEquals(known, second.firstLosses(false));
    assertEquals(1, second.count(3));
    assertEquals(0, first.count(3));
    for (OpenLogs.Shared one : List.of(first, second, later)) one.release();
    assertTrue(OpenLogs.has(key));
  }

  /** It decodes all of a log, and does not count what is lost. */
  @Test
  void aStreamLooksAtALogOfItsOwn() throws Exception {
    Path log = Logs.responses(folder, "stream.steno", 10);
    Request request = new Request(Map.of("path", log.toString()));
    Log.open(request.findAgain(), request.hadoop).close();
    long before = OpenLogs.opened();
    int unused = OpenLogs.unused();
    new LogStream(request, request.question, null).latestOffset();
    assertEquals(1, OpenLogs.opened() - before);
    assertEquals(unused, OpenLogs.unused());
  }

  /** As where a file is renamed while it is opened. */
  @Test
  void anOpenerThatRefusesLeavesNothing() throws Exception {
    Path log = Logs.responses(folder, "refused.steno", 10);
    OpenLogs.Key key = key(log, "refused");
    assertNull(OpenLogs.take(key, 0, () -> 0));
    assertFalse(OpenLogs.has(key));
    assertEquals(1, opensOf(key, 0, log));
    assertEquals(0, opensOf(key, 0, log));
  }

  @Test
  void whatIsOpenedInVainIsClosed() throws Exception {
    Path log = Logs.responses(folder, "vain.steno", 5 * COUNT);  // a small one is read whole
    OpenLogs.Check fails = () -> {
      assertTrue(isOpen(log));
      throw new UncheckedIOException(new IOException("a folder cannot be read"));
    };
    assertThrows(UncheckedIOException.class, () -> OpenLogs.openIf(opener(log), fails));
    assertFalse(isOpen(log));
    assertEquals(0, OpenLogs.openIf(opener(log), () -> false));
    assertFalse(isOpen(log));
  }

  private static boolean isOpen(Path log) {
    File[] handles = new File("/proc/self/fd").listFiles();
    return Arrays.stream(handles).anyMatch(one -> isLinkTo(one.toPath(), log));
  }

  private static boolean isLinkTo(Path link, Path log) {
    try {
      return Files.readSymbolicLink(link).equals(log);
    } catch (IOException e) {
      return false;  // it has been closed meanwhile
    }
  }

  @Test
  void fewBytesAreKeptThatNobodyUses() throws Exception {
    Path log = Logs.responses(folder, "held.steno", 10);
    long held = OpenLogs.MOST_UNUSED_BYTES / 2;
    OpenLogs.Key[] keys = {key(log, "first"), key(log, "second"), key(log, "third")};
    for (OpenLogs.Key key : keys) assertEquals(1, opensOf(key, held, log));
    for (int i = 0; i < keys.length; ++i) assertEquals(i > 0, OpenLogs.has(keys[i]));
    assertEquals(1, opensOf(key(log, "large"), 2 * held + 1, log));
    for (OpenLogs.Key key : keys) assertFalse(OpenLogs.has(key));
    assertFalse(OpenLogs.has(key(log, "large")));
  }

  @Test
  void manyThreads() throws Exception {
    Path log = Logs.responses(folder, "threads.steno", COUNT);
    List<LogFile> files = new Request(Map.of("path", log.toString())).files;
    Question question = new Question("response", 0, List.of("us"), List.of("us >= 0"), Long.MIN_VALUE, Long.MAX_VALUE);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<Long>> sums = new ArrayList<>();
    for (int i = 0; i < 200; ++i) {
      sums.add(threads.submit(() -> {
        long rows = 0;
        try (Log opened = Log.open(files, spark.sparkContext().hadoopConfiguration());
            Batches batches = opened.read(question)) {
          while (batches.next()) rows += batches.rows();
          assertEquals(0, opened.losses().size());
        }
        return rows;
      }));
    }
    for (Future<Long> one : sums) assertEquals(COUNT, one.get());
    threads.shutdown();
  }
}
