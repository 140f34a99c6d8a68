package io.github.steno.spark;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Numbers groups of rows, which have the same values in some columns, in the order in which they come, from 0 on. */
final class RowGroups {
  /** Pairs of a group by the columns before and a value of this one. */
  private static final class Pairs {
    final LongNumbers numbers = new LongNumbers();
    long[] pairs = new long[64];
    int count;

    int number(int before, int value) {
      long pair = (long) before << 32 | value;
      int number = numbers.get(pair, count);
      if (number < count) return number;
      if (count == pairs.length) pairs = Arrays.copyOf(pairs, 2 * count);
      pairs[count++] = pair;
      return number;
    }
  }

  private final GroupKeys[] keys;
  /** There are some for each column but the first, whose values are the groups so far. */
  private final Pairs[] pairs;
  private int[] values = new int[0];

  /** {@code types}: of the columns; none: all rows are one group, which is there without any. */
  RowGroups(List<DataType> types) {
    keys = types.stream().map(GroupKeys::new).toArray(GroupKeys[]::new);
    pairs = new Pairs[keys.length];
    for (int i = 1; i < pairs.length; ++i) pairs[i] = new Pairs();
  }

  int count() {
    if (keys.length == 0) return 1;
    return keys.length == 1 ? keys[0].size() : pairs[keys.length - 1].count;
  }

  /** How many bytes the texts have that are kept for groups. */
  long textBytes() {
    return Arrays.stream(keys).mapToLong(GroupKeys::textBytes).sum();
  }

  /** Stores the group of each of the first {@code rows} rows; {@code into} has zeros before. */
  void number(ColumnVector[] columns, int rows, int[] into) {
    if (keys.length == 0) return;
    keys[0].number(columns[0], rows, into);
    if (values.length < rows) values = new int[rows];
    for (int i = 1; i < keys.length; ++i) {
      keys[i].number(columns[i], rows, values);
      for (int row = 0; row < rows; ++row) into[row] = pairs[i].number(into[row], values[row]);
    }
  }

  /** Stores the values of a group, as rows of Spark have them. */
  void values(int group, Object[] into) {
    int rest = group;
    for (int i = keys.length - 1; i > 0; --i) {
      long pair = pairs[i].pairs[rest];
      into[i] = keys[i].value((int) pair);
      rest = (int) (pair >>> 32);
    }
    if (keys.length > 0) into[0] = keys[0].value(rest);
  }
}
