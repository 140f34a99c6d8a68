package io.github.steno.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Columns that any table has where a query names them. */
final class Metadata {
  /** The file that has the record. */
  static final String PATH = "_path";

  /** The amount that is missing in this file, as far as it is known when it is opened. */
  static final String LOSSES = "_losses";

  /** The number of the run of the program, among those of all files of the query. The reader has that of the files of a task. */
  static final String SESSION = "session";

  private static final Map<String, DataType> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("time", DataTypes.TimestampType);
    for (String name : new String[] {"time_ns", "line", "tid", "stable_id", "ticks", SESSION, "ring", "sequence", "pid"}) {
      TYPES.put(name, DataTypes.LongType);
    }
    TYPES.put("severity", DataTypes.ShortType);
    for (String name : new String[] {"level", "thread", "logger", "file", "function", "format", "program", "host", "message", PATH}) {
      TYPES.put(name, DataTypes.StringType);
    }
    TYPES.put(LOSSES, DataTypes.LongType);
  }

  /** The names of columns that are not arguments. */
  static final Set<String> NAMES = TYPES.keySet();

  private record Hidden(String name, DataType dataType, String comment) implements MetadataColumn {}

  /** Shows one of {@link #NAMES} under another name, or its own. */
  static MetadataColumn column(String name, String shown) {
    return new Hidden(name, TYPES.get(shown), "of the record");
  }

  /** Returns whether a column is computed from the reader's session numbers. A null name is no column. */
  static boolean isMade(String name) {
    return PATH.equals(name) || LOSSES.equals(name) || SESSION.equals(name);
  }

  private Metadata() {}
}
