package io.github.steno.spark;

import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Computes a function of each group. */
final class Accumulator {
  private final Aggregates.Kind kind;
  private final DataType type;
  private final Full full;
  private long[] values = new long[16];
  /** Whether a group has a value; of counts it says nothing. */
  private boolean[] hasValue = new boolean[16];
  private int withValue;
  private long[] read = new long[0];

  /** Takes a sum of a group, which goes on with what would have made it larger than 64 bits. */
  interface Full {
    void take(int group, long sum);
  }

  /** {@code type}: of the column; null: of COUNT_ALL. */
  Accumulator(Aggregates.Kind kind, DataType type, Full full) {
    this.kind = kind;
    this.type = type;
    this.full = full;
  }

  /** Takes the rows of a batch, which are of these groups. {@code column}: null for COUNT_ALL. */
  void take(ColumnVector column, int rows, int[] groups, int groupCount) {
    makeRoom(groupCount);
    if (kind == Aggregates.Kind.COUNT_ALL && groupCount == 1) {
      values[0] += rows;
      return;
    }
    if (kind == Aggregates.Kind.COUNT_ALL) {
      for (int row = 0; row < rows; ++row) ++values[groups[row]];
      return;
    }
    boolean hasNull = column.hasNull();
    if (kind == Aggregates.Kind.COUNT) {
      for (int row = 0; row < rows; ++row) values[groups[row]] += hasNull && column.isNullAt(row) ? 0 : 1;
      return;
    }
    if (read.length < rows) read = new long[rows];
    WholeNumbers.read(column, type, rows, read);
    if (hasNull) {
      int there = 0;
      int[] groupsThere = new int[rows];
      for (int row = 0; row < rows; ++row) {
        if (column.isNullAt(row)) continue;
        groupsThere[there] = groups[row];
        read[there++] = read[row];
      }
      take(groupsThere, there, groupCount);
    } else {
      take(groups, rows, groupCount);
    }
  }

  /** Takes the first values that were read, which are of these groups. */
  private void take(int[] groups, int count, int groupCount) {
    long[] found = values;
    for (int i = 0; i < count && withValue < groupCount; ++i) {
      if (hasValue[groups[i]]) continue;
      hasValue[groups[i]] = true;
      ++withValue;
      found[groups[i]] = kind == Aggregates.Kind.SUM ? 0 : read[i];
    }
    if (kind == Aggregates.Kind.MIN) {
      for (int i = 0; i < count; ++i) found[groups[i]] = Math.min(found[groups[i]], read[i]);
    } else if (kind == Aggregates.Kind.MAX) {
      for (int i = 0; i < count; ++i) found[groups[i]] = Math.max(found[groups[i]], read[i]);
    } else {
      for (int i = 0; i < count; ++i) found[groups[i]] = sum(groups[i], found[groups[i]], read[i]);
    }
  }

  private long sum(int group, long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) >= 0) return sum;
    full.take(group, a);
    return b;
  }

  private void makeRoom(int groupCount) {
    if (groupCount <= values.length) return;
    values = Arrays.copyOf(values, Math.max(groupCount, 2 * values.length));
    hasValue = Arrays.copyOf(hasValue, values.length);
  }

  /** The result of no rows. */
  Object nothing() {
    return isCount() ? (Object) 0L : null;
  }

  private boolean isCount() {
    return kind == Aggregates.Kind.COUNT_ALL || kind == Aggregates.Kind.COUNT;
  }

  /** The result of a group, as rows of Spark have it; null: it had no value. */
  Object result(int group) {
    makeRoom(group + 1);
    if (!isCount() && !hasValue[group]) return null;
    return isCount() || kind == Aggregates.Kind.SUM ? (Object) values[group] : WholeNumbers.boxed(type, values[group]);
  }
}
