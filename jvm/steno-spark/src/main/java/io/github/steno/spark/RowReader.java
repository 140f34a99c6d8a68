package io.github.steno.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;

/** Makes rows of the batches that a task reads. */
abstract class RowReader implements PartitionReader<InternalRow> {
  final LogPartitionReader batches;

  RowReader(LogPartitionReader batches) {
    this.batches = batches;
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
