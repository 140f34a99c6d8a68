package io.github.steno.spark;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the share of a log that a task has. */
final class LogPartitionReader implements PartitionReader<ColumnarBatch> {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogPartitionReader.class);

  private final Log log;
  private final Options.Losses losses;
  private final Batches batches;
  private final NativeColumn[] read;
  private final ColumnarBatch batch;
  private int lossCount;
  private boolean isClosed;
  private long left;

  /** {@code question}: with the columns of the selection. */
  LogPartitionReader(LogPartition partition, Question question, Selection selection, long limit, Options.Losses losses,
      Configuration hadoop) throws StenoException {
    this.losses = losses;
    left = limit;
    log = Log.openLater(partition.files(), hadoop);
    Batches opened = null;
    try {
      int first = log.firstLosses(losses != Options.Losses.ALLOW).size();  // asked for by each task, before it decodes
      lossCount = partition.part() == 0 ? first : 0;
      opened = log.read(question, partition.part(), partition.parts(), Question.PROFILE_SPARK);
      batches = opened;
      read = NativeColumn.of(batches);
      ColumnVector[] wanted = new ColumnVector[selection.wanted().size()];
      for (int i = 0; i < wanted.length; ++i) {
        Selection.Wanted one = selection.wanted().get(i);
        wanted[i] = one.made() == null ? read[one.from()] : SessionColumn.of(one.made(), read[one.from()], log, partition);
      }
      batch = new ColumnarBatch(wanted);
    } catch (StenoException | RuntimeException e) {
      if (opened != null) opened.close();
      log.close();
      throw e;
    }
  }

  /** Open as long as this is. */
  Log log() {
    return log;
  }

  int columnCount() {
    return batch.numCols();
  }

  @Override
  public synchronized boolean next() throws StenoException {
    if (isClosed) return false;
    boolean hasMore = left != 0 && batches.next();
    log.decoded();
    if (!hasMore) {
      lookAtLosses();
      return false;
    }
    NativeColumn.show(batches, read);
    batch.setNumRows((int) Math.min(left, batches.rows()));
    left -= batch.numRows();
    return true;
  }

  /** Damage that only decoding finds is known now, and what has befallen a file since the driver looked at it. */
  private void lookAtLosses() throws StenoException {
    List<Log.Loss> all = log.losses();
    lossCount += log.countLosses(all);
    Losses.tell(all, losses, LOGGER);
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }

  /** Spark asks after each batch, and once more when it has closed this: it must cost nothing. */
  @Override
  public synchronized CustomTaskMetric[] currentMetricsValues() {
    long[] blocks = batches.progress();
    return Metrics.values(lossCount, blocks[0], blocks[1]);
  }

  @Override
  public synchronized void close() {
    if (isClosed) return;
    isClosed = true;
    batches.close();
    log.close();
  }
}
