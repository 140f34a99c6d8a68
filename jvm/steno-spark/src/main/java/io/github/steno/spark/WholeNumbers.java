package io.github.steno.spark;

import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Reads columns whose values are whole numbers to Spark: numbers, truth, times and durations in microseconds. */
final class WholeNumbers {
  /** The types of numbers, which have sums. */
  static final Set<DataType> NUMBERS = Set.of(DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType);

  /** Stores the first {@code rows} values of a column; anything where it has none. */
  static void read(ColumnVector column, DataType type, int rows, long[] into) {
    if (type.equals(DataTypes.BooleanType)) {
      for (int row = 0; row < rows; ++row) into[row] = column.getBoolean(row) ? 1 : 0;
    } else if (type.equals(DataTypes.ByteType)) {
      for (int row = 0; row < rows; ++row) into[row] = column.getByte(row);
    } else if (type.equals(DataTypes.ShortType)) {
      for (int row = 0; row < rows; ++row) into[row] = column.getShort(row);
    } else if (type.equals(DataTypes.IntegerType)) {
      for (int row = 0; row < rows; ++row) into[row] = column.getInt(row);
    } else {
      for (int row = 0; row < rows; ++row) into[row] = column.getLong(row);
    }
  }

  /** A value as rows of Spark have it. */
  static Object boxed(DataType type, long value) {
    if (type.equals(DataTypes.BooleanType)) return value != 0;
    if (type.equals(DataTypes.ByteType)) return (byte) value;
    if (type.equals(DataTypes.ShortType)) return (short) value;
    if (type.equals(DataTypes.IntegerType)) return (int) value;
    return value;
  }

  private WholeNumbers() {}
}
