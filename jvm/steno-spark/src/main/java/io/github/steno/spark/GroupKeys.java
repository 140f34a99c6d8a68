package io.github.steno.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;

/** Numbers the values of a column in the order in which they come, from 0 on; a null is a value, too. */
final class GroupKeys {
  private static final int SHORT_TEXT = Long.BYTES;

  private final DataType type;
  private final List<Object> values = new ArrayList<>();
  /** They number whole numbers, or texts of up to eight bytes by their length. */
  private final LongNumbers[] numbers = new LongNumbers[SHORT_TEXT + 1];
  /** It numbers longer texts. */
  private final Map<UTF8String, Integer> texts = new HashMap<>();
  private int numberOfNull = -1;
  private long textBytes;
  private long[] longs = new long[0];

  GroupKeys(DataType type) {
    this.type = type;
  }

  int size() {
    return values.size();
  }

  /** How many bytes its texts have. */
  long textBytes() {
    return textBytes;
  }

  /** The value that has a number, as rows of Spark have it. */
  Object value(int number) {
    return values.get(number);
  }

  /** Stores the numbers of the first {@code rows} values of a column. */
  void number(ColumnVector column, int rows, int[] into) {
    boolean hasNull = column.hasNull();
    if (type.equals(DataTypes.StringType)) {
      NativeColumn texts = (NativeColumn) column;  // others are not grouped by (Aggregates)
      for (int row = 0; row < rows; ++row) into[row] = hasNull && texts.isNullAt(row) ? ofNull() : ofText(texts, row);
      return;
    }
    if (longs.length < rows) longs = new long[rows];
    WholeNumbers.read(column, type, rows, longs);
    LongNumbers known = numbers(0);
    for (int row = 0; row < rows; ++row) into[row] = hasNull && column.isNullAt(row) ? ofNull() : ofLong(known, longs[row]);
  }

  private LongNumbers numbers(int length) {
    if (numbers[length] == null) numbers[length] = new LongNumbers();
    return numbers[length];
  }

  private int ofNull() {
    if (numberOfNull < 0) numberOfNull = add(null);
    return numberOfNull;
  }

  private int ofLong(LongNumbers known, long value) {
    int number = known.get(value, values.size());
    return number == values.size() ? add(WholeNumbers.boxed(type, value)) : number;
  }

  private int ofText(NativeColumn column, int row) {
    int size = column.textSize(row);
    if (size > SHORT_TEXT) return ofLongText(column.getUTF8String(row));
    int number = numbers(size).get(column.shortText(row, size), values.size());
    return number == values.size() ? addText(column.getUTF8String(row).clone()) : number;
  }

  private int ofLongText(UTF8String text) {
    Integer number = texts.get(text);
    if (number != null) return number;
    UTF8String kept = text.clone();
    texts.put(kept, values.size());
    return addText(kept);
  }

  private int addText(UTF8String kept) {
    textBytes += kept.numBytes();
    return add(kept);
  }

  private int add(Object value) {
    values.add(value);
    return values.size() - 1;
  }
}
