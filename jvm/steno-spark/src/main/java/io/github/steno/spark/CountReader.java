package io.github.steno.spark;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;

/** Counts the rows of a task's share: one row, with the number as often as the query asks for it. */
final class CountReader implements PartitionReader<InternalRow> {
  private final LogPartitionReader batches;
  private final int columns;
  private long count;
  private boolean isDone;

  CountReader(LogPartitionReader batches, int columns) {
    this.batches = batches;
    this.columns = columns;
  }

  @Override
  public boolean next() throws StenoException {
    if (isDone) return false;
    while (batches.next()) count += batches.get().numRows();
    isDone = true;
    return true;
  }

  @Override
  public InternalRow get() {
    Object[] values = new Object[columns];
    Arrays.fill(values, count);
    return new GenericInternalRow(values);
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return batches.currentMetricsValues();
  }

  @Override
  public void close() {
    batches.close();
  }
}
