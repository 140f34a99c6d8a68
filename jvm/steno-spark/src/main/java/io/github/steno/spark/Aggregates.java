package io.github.steno.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.StructType;

/**
 * The groups and functions of a query that each task computes of its share, and Spark then of all shares: what is exact whichever way the
 * rows are divided. That is counts, and of whole numbers, times and durations the least, the greatest, and of numbers the sum.
 *
 * @param groups columns, all of whose values make a group
 */
record Aggregates(List<String> groups, List<Function> functions) implements Serializable {
  enum Kind {
    COUNT_ALL, COUNT, MIN, MAX, SUM
  }

  /** {@code column}: empty for COUNT_ALL. */
  record Function(Kind kind, String column) implements Serializable {}

  /** Returns null where a task cannot compute some of it. */
  static Aggregates of(Aggregation aggregation, StructType schema) {
    List<String> groups = new ArrayList<>();
    for (Expression group : aggregation.groupByExpressions()) {
      String name = column(group, schema);
      if (name == null || !canBeGrouped(schema.apply(name).dataType())) return null;
      groups.add(name);
    }
    List<Function> functions = new ArrayList<>();
    for (AggregateFunc asked : aggregation.aggregateExpressions()) {
      Function function = function(asked, schema);
      if (function == null) return null;
      functions.add(function);
    }
    return new Aggregates(List.copyOf(groups), List.copyOf(functions));
  }

  /**
   * Whether a query has the mean of a column of 64 bits. Spark asks for its sum and its count then, but the sum may be too large for 64
   * bits where the mean, which Spark computes of doubles, is not.
   */
  static boolean hasMeanOfLongs(Aggregation aggregation, StructType schema) {
    return Arrays.stream(aggregation.aggregateExpressions()).anyMatch(one -> {
      String name = one instanceof Avg mean ? column(mean.column(), schema) : null;
      return name != null && schema.apply(name).dataType().equals(DataTypes.LongType);
    });
  }

  private static Function function(AggregateFunc asked, StructType schema) {
    if (asked instanceof CountStar) return new Function(Kind.COUNT_ALL, "");
    if (asked instanceof Count count && !count.isDistinct()) return function(Kind.COUNT, count.column(), schema);
    if (asked instanceof Min min) return function(Kind.MIN, min.column(), schema);
    if (asked instanceof Max max) return function(Kind.MAX, max.column(), schema);
    if (asked instanceof Sum sum && !sum.isDistinct()) return function(Kind.SUM, sum.column(), schema);
    return null;
  }

  private static Function function(Kind kind, Expression of, StructType schema) {
    String name = column(of, schema);
    if (name == null) return null;
    DataType type = schema.apply(name).dataType();
    boolean fits = kind == Kind.COUNT || WholeNumbers.NUMBERS.contains(type) || (kind != Kind.SUM && isTime(type));
    return fits ? new Function(kind, name) : null;
  }

  private static boolean isTime(DataType type) {
    return type.equals(DataTypes.TimestampType) || type instanceof DayTimeIntervalType;
  }

  private static boolean canBeGrouped(DataType type) {
    return WholeNumbers.NUMBERS.contains(type) || isTime(type) || type.equals(DataTypes.StringType) || type.equals(DataTypes.BooleanType);
  }

  /** Null: it is no column of the table. */
  private static String column(Expression expression, StructType schema) {
    if (!(expression instanceof NamedReference reference) || reference.fieldNames().length != 1) return null;
    String name = reference.fieldNames()[0];
    return Arrays.asList(schema.fieldNames()).contains(name) ? name : null;
  }

  /** Returns the columns that are read for it, each once. */
  StructType input(StructType schema) {
    List<String> names = new ArrayList<>(groups);
    for (Function function : functions) names.add(function.column());
    StructType input = new StructType();
    for (String name : names.stream().filter(one -> !one.isEmpty()).distinct().toList()) input = input.add(schema.apply(name));
    return input;
  }

  /** Returns the columns of the rows that a task makes: the groups, then the functions. */
  StructType output(StructType schema) {
    StructType output = new StructType();
    for (String name : groups) output = output.add(schema.apply(name));
    for (int i = 0; i < functions.size(); ++i) {
      Function function = functions.get(i);
      boolean isLong = function.kind() != Kind.MIN && function.kind() != Kind.MAX;
      DataType type = isLong ? DataTypes.LongType : schema.apply(function.column()).dataType();
      output = output.add("aggregate" + i, type, true);
    }
    return output;
  }

  /** A plan shows this. */
  @Override
  public String toString() {
    List<String> all = new ArrayList<>();
    for (Function one : functions) {
      String name = one.kind() == Kind.COUNT_ALL ? "count" : one.kind().name().toLowerCase(Locale.ROOT);
      all.add(name + "(" + (one.column().isEmpty() ? "*" : one.column()) + ")");
    }
    return String.join(", ", all) + (groups.isEmpty() ? "" : " by " + String.join(", ", groups));
  }
}
