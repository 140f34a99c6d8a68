package io.github.steno.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.SerializableConfiguration;

/** Makes readers where tasks run. */
final class LogReaderFactory implements PartitionReaderFactory {
  private static final long serialVersionUID = 1;

  private final Question question;
  private final Selection selection;
  private final int limit;
  private final int counts;
  private final Options.Losses losses;
  private final SerializableConfiguration hadoop;

  LogReaderFactory(Question question, Selection selection, int limit, int counts, Options.Losses losses,
      SerializableConfiguration hadoop) {
    this.question = question.withColumns(selection.columns());
    this.selection = selection;
    this.limit = limit;
    this.counts = counts;
    this.losses = losses;
    this.hadoop = hadoop;
  }

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return counts == 0 && partition instanceof LogPartition;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    try {
      if (partition instanceof StreamPartition part) return new StreamReader(batches(part.of()), part);
      return new CountReader(batches((LogPartition) partition), counts);
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
    return new LogPartitionReader(partition, question, selection, limit, losses, hadoop.value());
  }
}
