package io.github.steno.spark;

import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;

/**
 * Batches of a log, one at a time. Spark may close it in another thread than the one that reads: that one then finds no further batch,
 * and the one that it has stays there until nothing refers to its columns.
 */
final class Batches implements AutoCloseable {
  static final int FEWEST_ROWS = 1 << 12;
  static final int MOST_ROWS = 1 << 16;
  static final int PER_COLUMN = 5;

  private static final Cleaner CLEANER = Cleaner.create();

  /** A column, its type as Arrow writes it, and the name that it has as an argument; empty: it is none. */
  record Column(String name, String format, String argument) {}

  /** The memory of the batch that is there, which columns refer to. */
  static final class Memory implements Runnable {
    private long batch;

    @Override
    public synchronized void run() {
      if (batch != 0) Native.release(batch);
      batch = 0;
    }

    private synchronized void take(long next) {
      run();
      batch = next;
    }
  }

  /** Keeps the memory as long as it is reachable. */
  static final class Keeper {
    private final Memory memory = new Memory();

    Keeper() {
      CLEANER.register(this, memory);
    }
  }

  private final String statement;
  private final long[] facts;
  private final List<Column> columns = new ArrayList<>();
  private final Keeper keeper = new Keeper();
  private final long[] counts = new long[2];
  private Thread reader;
  private long stream;

  Batches(long stream) throws StenoException {
    this.stream = stream;
    try {
      Packed packed = new Packed(Native.schema(stream));
      statement = packed.text();
      while (packed.hasMore()) columns.add(new Column(packed.text(), packed.text(), packed.text()));
    } catch (StenoException e) {
      close();
      throw e;
    }
    facts = new long[1 + PER_COLUMN * columns.size()];
  }

  /** The format of the statement; empty: it is the whole log. */
  String statement() {
    return statement;
  }

  List<Column> columns() {
    return columns;
  }

  /** Whoever has it may read the values of the batch. */
  Keeper keeper() {
    return keeper;
  }

  /** Releases what there was. False: there is no more. */
  synchronized boolean next() throws StenoException {
    reader = Thread.currentThread();
    if (stream == 0) return false;
    keeper.memory.run();
    long batch = Native.next(stream, facts);
    keeper.memory.take(batch);
    return batch != 0;
  }

  int rows() {
    return (int) facts[0];
  }

  /** A fact of a column, as {@link Native#next} numbers them. */
  long fact(int column, int number) {
    return facts[1 + PER_COLUMN * column + number];
  }

  /** Returns how many blocks there are to look at, and how many were decoded so far. */
  synchronized long[] progress() {
    if (stream != 0) Native.progress(stream, counts);
    return counts.clone();
  }

  /** Again: does nothing. */
  @Override
  public synchronized void close() {
    if (stream == 0) return;
    progress();
    Native.closeStream(stream);
    stream = 0;
    if (reader == null || reader == Thread.currentThread()) keeper.memory.run();
  }
}
