package io.github.steno.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The columns that the reader reads, and what each column that Spark wants is made of.
 *
 * @param columns as the reader names them, each once
 * @param wanted of each column that Spark wants
 */
record Selection(List<String> columns, List<Wanted> wanted) implements Serializable {
  /**
   * A column that Spark wants.
   *
   * @param from which of the columns that are read it has its values from
   * @param made which column of {@link Metadata} is made of the numbers of sessions there; null: none is
   */
  record Wanted(int from, String made) implements Serializable {}

  static Selection of(Columns columns, StructType schema) {
    return of(columns, schema, List.of());
  }

  /** {@code more}: columns of records after those of the schema, as the reader has them. */
  static Selection of(Columns columns, StructType schema, List<String> more) {
    List<String> read = new ArrayList<>();
    List<Wanted> wanted = new ArrayList<>();
    for (StructField field : schema.fields()) {
      String record = columns.record(field.name());
      String made = Metadata.isMade(record) ? record : null;
      wanted.add(new Wanted(indexIn(read, made == null ? columns.reader(field.name()) : Metadata.SESSION), made));
    }
    for (String name : more) wanted.add(new Wanted(indexIn(read, name), null));
    if (read.isEmpty()) read.add("pid");  // for the count of rows: an index tells it
    return new Selection(List.copyOf(read), List.copyOf(wanted.stream().toList()));
  }

  private static int indexIn(List<String> read, String name) {
    if (!read.contains(name)) read.add(name);
    return read.indexOf(name);
  }
}
