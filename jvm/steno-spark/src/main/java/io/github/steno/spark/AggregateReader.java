package io.github.steno.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Computes what a query asks of groups of a task's share: a row a group. Where there are very many groups, some come more than once. */
final class AggregateReader implements PartitionReader<InternalRow> {
  /** More would no longer lie in the caches, and hardly any would come again. */
  private static final int MOST_GROUPS = 1 << 16;

  private final LogPartitionReader batches;
  private final Aggregates asked;
  private final StructType input;
  private RowGroups groups;
  private Accumulator[] found;
  private int[] groupOf = new int[0];
  private int ready;
  private int shown;
  private boolean isDone;

  /** {@code batches}: of the columns of {@code input}, which are those that {@code asked} reads. */
  AggregateReader(LogPartitionReader batches, Aggregates asked, StructType input) {
    this.batches = batches;
    this.asked = asked;
    this.input = input;
  }

  private DataType type(String column) {
    return column.isEmpty() ? null : input.apply(column).dataType();
  }

  @Override
  public boolean next() throws StenoException {
    while (shown == ready) {
      if (isDone) return false;
      fill();
    }
    ++shown;
    return true;
  }

  private void fill() throws StenoException {
    groups = new RowGroups(asked.groups().stream().map(this::type).toList());
    found = asked.functions().stream().map(one -> new Accumulator(one.kind(), type(one.column()), asked.wraps())).toArray(Accumulator[]::new);
    while (groups.count() < MOST_GROUPS && !isDone) {
      isDone = !batches.next();
      if (!isDone) take(batches.get());
    }
    ready = groups.count();
    shown = 0;
  }

  private void take(ColumnarBatch batch) {
    int rows = batch.numRows();
    if (groupOf.length < rows) groupOf = new int[rows];
    groups.number(columns(batch, asked.groups()), rows, groupOf);
    ColumnVector[] columns = columns(batch, asked.functions().stream().map(Aggregates.Function::column).toList());
    for (int i = 0; i < found.length; ++i) found[i].take(columns[i], rows, groupOf, groups.count());
  }

  /** Null for an empty name. */
  private ColumnVector[] columns(ColumnarBatch batch, List<String> names) {
    return names.stream().map(name -> name.isEmpty() ? null : batch.column(input.fieldIndex(name))).toArray(ColumnVector[]::new);
  }

  @Override
  public InternalRow get() {
    int of = asked.groups().size();
    Object[] values = new Object[of + found.length];
    groups.values(shown - 1, values);
    for (int i = 0; i < found.length; ++i) values[of + i] = found[i].result(shown - 1);
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
