package io.github.steno.spark;

import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.SerializableConfiguration;

/** Makes readers where tasks run. */
final class LogReaderFactory implements PartitionReaderFactory {
  private static final long serialVersionUID = 1;

  private final Question question;
  private final Selection selection;
  private final long limit;
  private final Aggregates aggregates;
  private final StructType input;
  private final Options.Losses losses;
  private final Broadcast<SerializableConfiguration> hadoop;

  /**
   * @param aggregates groups of rows, and functions that each task computes of them; null: the query reads rows
   * @param input the columns that are read for it
   * @param hadoop settings, which are larger than all else that a task gets; null: all files are local, and need none
   */
  LogReaderFactory(Question question, Selection selection, long limit, Aggregates aggregates, StructType input, Options.Losses losses,
      Broadcast<SerializableConfiguration> hadoop) {
    this.question = question.withColumns(selection.columns());
    this.selection = selection;
    this.limit = limit;
    this.aggregates = aggregates;
    this.input = input;
    this.losses = losses;
    this.hadoop = hadoop;
  }

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return aggregates == null && partition instanceof LogPartition;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    try {
      if (partition instanceof StreamPartition part) return new StreamReader(batches(part.of()), part);
      return new AggregateReader(batches((LogPartition) partition), aggregates, input);
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    try {
      return batches((LogPartition) partition);
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  private LogPartitionReader batches(LogPartition partition) throws StenoException {
    return new LogPartitionReader(partition, question, selection, limit, losses, hadoop == null ? null : hadoop.value().value());
  }
}
