package io.github.steno.spark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Computes what a query asks of groups of a task's share: a row a group. Some come more than once, for Spark to put together: where there are
 * very many groups, and where a sum is larger than 64 bits, so that Spark decides what becomes of it.
 */
final class AggregateReader extends RowReader {
  /** More would no longer lie in the caches, and hardly any would come again. */
  private static final int MOST_GROUPS = 1 << 16;
  private static final long MOST_TEXT_BYTES = 16 << 20;

  private final Aggregates asked;
  private final StructType input;
  private RowGroups groups;
  private Accumulator[] found;
  private int[] groupOf = new int[0];
  /** Rows of groups whose sums went on. */
  private final ArrayDeque<Object[]> early = new ArrayDeque<>();
  private int ready;
  private int shown;
  private boolean isDone;
  private Object[] row;

  /** {@code batches}: of the columns of {@code input}, which are those that {@code asked} reads. */
  AggregateReader(LogPartitionReader batches, Aggregates asked, StructType input) {
    super(batches);
    this.asked = asked;
    this.input = input;
  }

  private DataType type(String column) {
    return column.isEmpty() ? null : input.apply(column).dataType();
  }

  @Override
  public boolean next() throws StenoException {
    while (shown == ready && early.isEmpty()) {
      if (isDone) return false;
      fill();
    }
    if (early.isEmpty()) {
      row = row(shown, function -> found[function].result(shown));
      ++shown;
    } else {
      row = early.remove();
    }
    return true;
  }

  private void fill() throws StenoException {
    groups = new RowGroups(asked.groups().stream().map(this::type).toList());
    found = new Accumulator[asked.functions().size()];
    for (int i = 0; i < found.length; ++i) found[i] = accumulator(i);
    while (!isDone && groups.count() + early.size() < MOST_GROUPS && groups.textBytes() < MOST_TEXT_BYTES) {
      TaskContext task = TaskContext.get();
      if (task != null && task.isInterrupted()) throw new TaskKilledException("the task is not wanted any more");
      isDone = !batches.next();
      if (!isDone) take(batches.get());
    }
    ready = groups.count();
    shown = 0;
  }

  private Accumulator accumulator(int number) {
    Aggregates.Function function = asked.functions().get(number);
    return new Accumulator(function.kind(), type(function.column()),
        (group, sum) -> early.add(row(group, other -> other == number ? (Object) sum : found[other].nothing())));
  }

  /** Returns a row of a group, with a value for the number of each function. */
  private Object[] row(int group, IntFunction<Object> value) {
    int first = asked.groups().size();
    Object[] values = new Object[first + found.length];
    groups.values(group, values);
    for (int i = 0; i < found.length; ++i) values[first + i] = value.apply(i);
    return values;
  }

  private void take(ColumnarBatch batch) {
    int rows = batch.numRows();
    if (groupOf.length < rows) groupOf = new int[rows];
    groups.number(columns(batch, asked.groups()), rows, groupOf);
    ColumnVector[] columns = columns(batch, asked.functions().stream().map(Aggregates.Function::column).toList());
    for (int i = 0; i < found.length; ++i) found[i].take(columns[i], rows, groupOf, groups.count());
  }

  /** Returns the columns of these names; null for an empty one. */
  private ColumnVector[] columns(ColumnarBatch batch, List<String> names) {
    return names.stream().map(name -> name.isEmpty() ? null : batch.column(input.fieldIndex(name))).toArray(ColumnVector[]::new);
  }

  @Override
  public InternalRow get() {
    return new GenericInternalRow(row);
  }
}
