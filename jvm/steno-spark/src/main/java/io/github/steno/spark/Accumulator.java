package io.github.steno.spark;

import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** What a function has found so far, of each group. */
final class Accumulator {
  private final Aggregates.Kind kind;
  private final DataType type;
  private final boolean wraps;
  private long[] values = new long[16];
  /** Whether a group has a value; of counts it says nothing. */
  private boolean[] hasValue = new boolean[16];
  private int withValue;
  private long[] read = new long[0];

  /** {@code type}: of the column; null: of COUNT_ALL. */
  Accumulator(Aggregates.Kind kind, DataType type, boolean wraps) {
    this.kind = kind;
    this.type = type;
    this.wraps = wraps;
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
    } else if (wraps) {
      for (int i = 0; i < count; ++i) found[groups[i]] += read[i];
    } else {
      for (int i = 0; i < count; ++i) found[groups[i]] = sum(found[groups[i]], read[i]);
    }
  }

  private static long sum(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw new ArithmeticException("[ARITHMETIC_OVERFLOW] long overflow: the sum of a column is beyond 64 bits. Take sum(cast(… as decimal(38)))");
    }
    return sum;
  }

  private void makeRoom(int groupCount) {
    if (groupCount <= values.length) return;
    values = Arrays.copyOf(values, Math.max(groupCount, 2 * values.length));
    hasValue = Arrays.copyOf(hasValue, values.length);
  }

  /** What was found of a group, as rows of Spark have it; null: it had no value. */
  Object result(int group) {
    makeRoom(group + 1);
    boolean isCount = kind == Aggregates.Kind.COUNT_ALL || kind == Aggregates.Kind.COUNT;
    if (!isCount && !hasValue[group]) return null;
    return isCount || kind == Aggregates.Kind.SUM ? (Object) values[group] : WholeNumbers.boxed(type, values[group]);
  }
}
