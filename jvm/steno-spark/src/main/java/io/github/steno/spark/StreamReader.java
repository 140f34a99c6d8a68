package io.github.steno.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Reads the records of a part of a stream: those after a mark and up to another. */
final class StreamReader extends RowReader {
  /** Columns that name a record. */
  static final List<String> KEY = List.of(Metadata.SESSION, "ring", "sequence");

  private final StreamPartition partition;
  private final List<Log.Session> sessions;
  private final int key;
  private ColumnarBatch batch;
  private int row;

  /** {@code batches}: of a selection with {@link #KEY} at its end; closed if this cannot be made. */
  StreamReader(LogPartitionReader batches, StreamPartition partition) throws StenoException {
    super(batches);
    this.partition = partition;
    key = batches.columnCount() - KEY.size();
    try {
      sessions = batches.log().sessions();
    } catch (StenoException | RuntimeException e) {
      batches.close();
      throw e;
    }
  }

  @Override
  public boolean next() throws StenoException {
    while (true) {
      while (batch != null && ++row < batch.numRows()) {
        if (isWanted()) return true;
      }
      if (!batches.next()) return false;
      batch = batches.get();
      row = -1;
    }
  }

  private boolean isWanted() {
    long session = sessions.get((int) batch.column(key).getLong(row)).id();
    long ring = batch.column(key + 1).getLong(row);
    long sequence = batch.column(key + 2).getLong(row);
    return sequence > partition.from().of(session, ring) && sequence <= partition.to().of(session, ring);
  }

  @Override
  public InternalRow get() {
    return batch.getRow(row);
  }
}
