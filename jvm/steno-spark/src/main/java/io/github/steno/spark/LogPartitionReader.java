package io.github.steno.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the share of a log that a task has. */
final class LogPartitionReader implements PartitionReader<ColumnarBatch> {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogPartitionReader.class);

  private final Log log;
  private final Options.Losses losses;
  private final boolean isFirst;
  private final int known;
  private final Batches batches;
  private final NativeColumn[] read;
  private final ColumnarBatch batch;
  private int lossCount;
  private boolean isClosed;
  private long left;

  /** {@code question}: with the columns of {@link #columns(StructType)}. */
  LogPartitionReader(LogPartition partition, Question question, StructType schema, long limit, Options.Losses losses, Configuration hadoop)
      throws StenoException {
    this.losses = losses;
    left = limit;
    isFirst = partition.part() == 0;
    log = Log.open(partition.files(), hadoop);
    try {
      known = log.losses().size();
      lossCount = isFirst ? known : 0;
      batches = log.read(question, partition.part(), partition.parts(), Question.PROFILE_SPARK);
      List<String> names = batches.columns().stream().map(Batches.Column::name).toList();
      read = NativeColumn.of(batches);
      ColumnVector[] wanted = new ColumnVector[schema.size()];
      for (int i = 0; i < wanted.length; ++i) {
        String name = schema.apply(i).name();
        if (Metadata.isMade(name)) {
          wanted[i] = SessionColumn.of(name, read[names.indexOf(Metadata.SESSION)], log);
        } else {
          wanted[i] = read[names.indexOf(name)];
        }
      }
      batch = new ColumnarBatch(wanted);
    } catch (StenoException | RuntimeException e) {
      log.close();
      throw e;
    }
  }

  /** The columns to be read for those that Spark wants. */
  static List<String> columns(StructType schema) {
    List<String> names = new ArrayList<>();
    for (StructField field : schema.fields()) {
      if (!Metadata.isMade(field.name()) && !names.contains(field.name())) names.add(field.name());
    }
    boolean isMade = Arrays.stream(schema.fieldNames()).anyMatch(Metadata::isMade);
    if (isMade && !names.contains(Metadata.SESSION)) names.add(Metadata.SESSION);
    if (names.isEmpty()) names.add("severity");  // for the count of rows, the one that costs least
    return names;
  }

  /** Open as long as this is. */
  Log log() {
    return log;
  }

  @Override
  public synchronized boolean next() throws StenoException {
    if (isClosed) return false;
    if (left == 0 || !batches.next()) {
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
    lossCount = isFirst ? all.size() : all.size() - Math.min(known, all.size());
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
