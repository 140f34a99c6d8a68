package io.github.steno.spark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** A column with what is known of the session that each record belongs to. */
final class SessionColumn extends ColumnVector {
  private final NativeColumn sessions;
  private final UTF8String[] texts;
  private final long[] numbers;

  private SessionColumn(DataType type, NativeColumn sessions, UTF8String[] texts, long[] numbers) {
    super(type);
    this.sessions = sessions;
    this.texts = texts;
    this.numbers = numbers;
  }

  /** {@code name}: of a column that {@link Metadata#isMade}; {@code sessions}: the numbers of sessions among those of the log. */
  static SessionColumn of(String name, NativeColumn sessions, Log log, LogPartition partition) throws StenoException {
    List<Log.Session> all = log.sessions();
    if (name.equals(Metadata.SESSION)) return new SessionColumn(DataTypes.LongType, sessions, null, numbers(all, partition));
    if (name.equals(Metadata.PATH)) {
      UTF8String[] paths = all.stream().map(session -> UTF8String.fromString(session.path())).toArray(UTF8String[]::new);
      return new SessionColumn(DataTypes.StringType, sessions, paths, null);
    }
    List<Log.Loss> losses = log.firstLosses(false);
    long[] counts = all.stream().mapToLong(session -> losses.stream().filter(loss -> loss.path().equals(session.path())).count()).toArray();
    return new SessionColumn(DataTypes.LongType, sessions, null, counts);
  }

  /** Returns the number of each session among those of all files of the query. */
  private static long[] numbers(List<Log.Session> sessions, LogPartition partition) {
    Map<String, Long> next = new HashMap<>();
    for (int i = 0; i < partition.files().size(); ++i) next.put(partition.files().get(i).path(), partition.firstSessions().get(i));
    return sessions.stream().mapToLong(session -> next.merge(session.path(), 1L, Long::sum) - 1).toArray();
  }

  @Override
  public void close() {}

  @Override
  public void closeIfFreeable() {}

  @Override
  public boolean hasNull() {
    return false;
  }

  @Override
  public int numNulls() {
    return 0;
  }

  @Override
  public boolean isNullAt(int row) {
    return false;
  }

  @Override
  public UTF8String getUTF8String(int row) {
    return texts[(int) sessions.getLong(row)];
  }

  @Override
  public long getLong(int row) {
    return numbers[(int) sessions.getLong(row)];
  }

  @Override
  public boolean getBoolean(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public byte getByte(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public short getShort(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int getInt(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public float getFloat(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public double getDouble(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public byte[] getBinary(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ColumnVector getChild(int number) {
    throw new UnsupportedOperationException();
  }
}
