package io.github.steno.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Columns that any table has where a query names them. */
final class Metadata {
  /** The file that has the record. */
  static final String PATH = "_path";

  /** How much is missing in this file, as far as it is known when it is opened. */
  static final String LOSSES = "_losses";

  /** The number of the run of the program, by which the two above are found. */
  static final String SESSION = "session";

  private static final Map<String, DataType> OF_RECORDS = new LinkedHashMap<>();

  static {
    OF_RECORDS.put("time", DataTypes.TimestampType);
    for (String name : new String[] {"time_ns", "line", "tid", "stable_id", "ticks", SESSION, "ring", "sequence", "pid"}) {
      OF_RECORDS.put(name, DataTypes.LongType);
    }
    OF_RECORDS.put("severity", DataTypes.ShortType);
    for (String name : new String[] {"level", "thread", "logger", "file", "function", "format", "program", "host", "message"}) {
      OF_RECORDS.put(name, DataTypes.StringType);
    }
  }

  /** The names of columns that are not arguments. */
  static final Set<String> NAMES = OF_RECORDS.keySet();

  private record Hidden(String name, DataType dataType, String comment) implements MetadataColumn {}

  static MetadataColumn[] besides(StructType schema) {
    Map<String, DataType> all = new LinkedHashMap<>(OF_RECORDS);
    all.put(PATH, DataTypes.StringType);
    all.put(LOSSES, DataTypes.LongType);
    Set<String> there = Set.of(schema.fieldNames());
    return all.entrySet().stream().filter(one -> !there.contains(one.getKey()))
        .map(one -> new Hidden(one.getKey(), one.getValue(), "of the record")).toArray(MetadataColumn[]::new);
  }

  /** Whether the reader has no such column, so that it is made of that of sessions. */
  static boolean isMade(String name) {
    return name.equals(PATH) || name.equals(LOSSES);
  }

  private Metadata() {}
}
