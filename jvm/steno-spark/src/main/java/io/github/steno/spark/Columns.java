package io.github.steno.spark;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.StructType;

/**
 * This says what the names of columns mean in a table of Spark. First come those that the table shows, as the reader names them: of a statement
 * time, thread, logger and its arguments; then the other columns of records. A name that is taken gets a number.
 */
final class Columns implements Serializable {
  private static final long serialVersionUID = 1;

  private final LinkedHashMap<String, String> arguments = new LinkedHashMap<>();
  private final LinkedHashMap<String, String> records = new LinkedHashMap<>();

  private Columns(List<Batches.Column> shown) {
    for (Batches.Column column : shown) {
      if (column.argument().isEmpty()) records.put(column.name(), column.name());
      else arguments.put(column.name(), column.argument());
    }
    List<String> others = Metadata.NAMES.stream().filter(name -> !records.containsKey(name)).toList();
    for (String name : others) records.put(free(name), name);
  }

  /** Returns the columns of a question, whichever of them it asks for. */
  static Columns of(Log log, Question question) throws StenoException {
    try (Batches batches = log.read(question.withColumns(List.of()))) {
      return new Columns(batches.columns());
    }
  }

  /** Spark tells names apart without regard to case. */
  private String free(String name) {
    String free = name;
    for (int number = 2; isTaken(free); ++number) free = name + "_" + number;
    return free;
  }

  private boolean isTaken(String name) {
    return Stream.concat(arguments.keySet().stream(), records.keySet().stream()).anyMatch(name::equalsIgnoreCase);
  }

  /** The argument that a column shows; null: it shows none. */
  String argument(String name) {
    return arguments.get(name);
  }

  /** Returns the name of {@link Metadata#NAMES} that a column shows; null: none. */
  String record(String name) {
    return records.get(name);
  }

  boolean has(String name) {
    return arguments.containsKey(name) || records.containsKey(name);
  }

  /** Returns the name that a column has for the reader. */
  String reader(String name) {
    String argument = arguments.getOrDefault(name, "");
    if (!argument.isEmpty()) return "{" + argument + "}";
    return records.getOrDefault(name, name);
  }

  /** The column that a person means who may write an argument in braces, as for the reader. */
  String named(String text) {
    if (arguments.containsKey(text) || !text.startsWith("{") || !text.endsWith("}")) return text;
    String argument = text.substring(1, text.length() - 1);
    Stream<Map.Entry<String, String>> found = arguments.entrySet().stream().filter(one -> one.getValue().equals(argument));
    return found.map(Map.Entry::getKey).findFirst().orElse(text);
  }

  /** The columns of records that a table with a schema does not show. */
  MetadataColumn[] besides(StructType schema) {
    List<String> there = List.of(schema.fieldNames());
    return records.entrySet().stream().filter(one -> !there.contains(one.getKey()))
        .map(one -> Metadata.column(one.getKey(), one.getValue())).toArray(MetadataColumn[]::new);
  }
}
