package io.github.steno.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;

/** Takes what Spark hands down of a query: columns, conditions, a limit, and groups with functions of them. */
final class LogScanBuilder
    implements SupportsPushDownRequiredColumns, SupportsPushDownV2Filters, SupportsPushDownLimit, SupportsPushDownAggregates {
  private final Request request;
  private StructType schema;
  private final List<String> conditions = new ArrayList<>();
  private final List<Predicate> pushed = new ArrayList<>();
  private long limit = Long.MAX_VALUE;
  private boolean hasMeanOfLongs;
  private Aggregates aggregates;  // null: rows are wanted

  LogScanBuilder(Request request, StructType schema) throws StenoException {
    this.request = request;
    this.schema = schema;
    LogScan.check(request, schema);
  }

  @Override
  public void pruneColumns(StructType required) {
    schema = required;
  }

  /** Each is pushed whole or not at all; those that are, are answered exactly. */
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    try (Log log = request.open()) {
      Conditions translator = new Conditions(log, request);
      return Arrays.stream(predicates).filter(one -> !push(translator, one)).toArray(Predicate[]::new);
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  private boolean push(Conditions translator, Predicate predicate) {
    String condition = translator.of(predicate);
    if (condition == null) return false;
    if (!condition.equals(Conditions.ALWAYS)) conditions.add(condition);
    pushed.add(predicate);
    return true;
  }

  @Override
  public Predicate[] pushedPredicates() {
    return pushed.toArray(Predicate[]::new);
  }

  /** Each task reads no more; Spark takes so many of what they have read. */
  @Override
  public boolean pushLimit(int rows) {
    limit = rows;
    return true;
  }

  @Override
  public boolean isPartiallyPushed() {
    return true;
  }

  /** Spark calls this first, and then the next one with sums and counts in place of means. */
  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    hasMeanOfLongs = hasMeanOfLongs || Aggregates.hasMeanOfLongs(aggregation, schema);
    return false;
  }

  /** Takes it if each task can compute it of its share, for Spark to put together. */
  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    if (hasMeanOfLongs) return false;
    Aggregates found = Aggregates.of(aggregation, schema);
    if (found == null) return false;
    aggregates = found;
    return true;
  }

  @Override
  public Scan build() {
    return new LogScan(request, request.question.with(conditions), schema, limit, aggregates);
  }
}
