package io.github.steno.spark;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column of a batch, whose values are read where the native library has them: valid until the next batch. All types are one class, so
 * that the calls of generated code have one target.
 */
final class NativeColumn extends ColumnVector {
  private static final int FIRST = 0;
  private static final int NULLS = 1;
  private static final int VALIDITY = 2;
  private static final int VALUES = 3;
  private static final int TEXTS = 4;

  private Batches.Keeper keeper;
  private long first;
  private int nulls;
  private int rows;
  private long validity;
  private long values;
  private long texts;

  NativeColumn(DataType type) {
    super(type);
  }

  /** A column for each of some batches. */
  static NativeColumn[] of(Batches batches) throws StenoException {
    NativeColumn[] columns = new NativeColumn[batches.columns().size()];
    for (int i = 0; i < columns.length; ++i) columns[i] = new NativeColumn(Types.of(batches.columns().get(i)));
    return columns;
  }

  /** Lets all columns have the values of the batch that has come. */
  static void show(Batches batches, NativeColumn[] columns) {
    for (int i = 0; i < columns.length; ++i) columns[i].show(batches, i);
  }

  /** Has the values of a batch. */
  private void show(Batches batches, int column) {
    keeper = batches.keeper();
    rows = batches.rows();
    first = batches.fact(column, FIRST);
    nulls = (int) batches.fact(column, NULLS);
    validity = nulls == 0 ? 0 : batches.fact(column, VALIDITY);
    values = batches.fact(column, VALUES);
    texts = batches.fact(column, TEXTS);
  }

  @Override
  public void close() {
    keeper = null;
    rows = 0;
  }

  /** Spark calls this after each batch that it has read; the next one is shown by the same column. */
  @Override
  public void closeIfFreeable() {}

  @Override
  public boolean hasNull() {
    return numNulls() != 0;
  }

  @Override
  public int numNulls() {
    if (validity == 0) return 0;
    if (nulls >= 0) return nulls;
    int count = 0;
    for (int row = 0; row < rows; ++row) count += isNullAt(row) ? 1 : 0;
    return count;
  }

  @Override
  public boolean isNullAt(int row) {
    return validity != 0 && !bit(validity, first + row);
  }

  private static boolean bit(long bits, long number) {
    return (Platform.getByte(null, bits + (number >> 3)) >> (number & 7) & 1) != 0;
  }

  @Override
  public boolean getBoolean(int row) {
    return bit(values, first + row);
  }

  @Override
  public byte getByte(int row) {
    return Platform.getByte(null, values + first + row);
  }

  @Override
  public short getShort(int row) {
    return Platform.getShort(null, values + 2 * (first + row));
  }

  @Override
  public int getInt(int row) {
    return Platform.getInt(null, values + 4 * (first + row));
  }

  @Override
  public long getLong(int row) {
    return Platform.getLong(null, values + 8 * (first + row));
  }

  @Override
  public float getFloat(int row) {
    return Platform.getFloat(null, values + 4 * (first + row));
  }

  @Override
  public double getDouble(int row) {
    return Platform.getDouble(null, values + 8 * (first + row));
  }

  @Override
  public UTF8String getUTF8String(int row) {
    if (isNullAt(row)) return null;
    int begin = getInt(row);
    return UTF8String.fromAddress(null, texts + begin, getInt(row + 1) - begin);
  }

  /** The bytes that a text has, which is there. */
  int textSize(int row) {
    return getInt(row + 1) - getInt(row);
  }

  /** A number that a text of up to eight bytes shares with no other of its size. */
  long shortText(int row, int size) {
    int begin = getInt(row);
    // Texts lie one after the other. Sizes differ from row to row, so that a branch for each would cost more than all else.
    if (begin + Long.BYTES <= getInt(rows)) return size == 0 ? 0 : Platform.getLong(null, texts + begin) << Long.SIZE - 8 * size;
    long number = 0;
    for (int i = size - 1; i >= 0; --i) number = number << 8 | Platform.getByte(null, texts + begin + i) & 0xff;
    return size == 0 ? 0 : number << Long.SIZE - 8 * size;
  }

  @Override
  public byte[] getBinary(int row) {
    if (isNullAt(row)) return null;
    int begin = getInt(row);
    byte[] bytes = new byte[getInt(row + 1) - begin];
    Platform.copyMemory(null, texts + begin, bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
    return bytes;
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    throw new UnsupportedOperationException("a column of steno has no decimals");
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw new UnsupportedOperationException("a column of steno has no arrays");
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw new UnsupportedOperationException("a column of steno has no maps");
  }

  @Override
  public ColumnVector getChild(int number) {
    throw new UnsupportedOperationException("a column of steno has no others within");
  }
}
