package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructField;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tasks compute of groups what Spark computes of the rows itself. */
class AggregateTest extends SparkTest {
  private static Path log;
  private static Path types;

  @BeforeAll
  static void write() throws Exception {
    Path made = Files.createDirectory(folder.resolve("aggregated"));
    log = Logs.responses(made, "many.steno", 100_000);
    types = Logs.allTypes(made);
  }

  private static Dataset<Row> ask(Dataset<Row> rows, List<String> groups, List<String> wanted) {
    Column[] by = groups.stream().map(functions::col).toArray(Column[]::new);
    Column first = functions.expr(wanted.get(0));
    Column[] rest = wanted.stream().skip(1).map(functions::expr).toArray(Column[]::new);
    return rows.groupBy(by).agg(first, rest);
  }

  /** The rows in an order of their own; or why there are none. */
  private static List<String> answer(Dataset<Row> query) {
    try {
      return query.collectAsList().stream().map(Row::toString).sorted().toList();
    } catch (Exception e) {
      String why = e.toString() + e.getCause();
      assertTrue(why.contains("ARITHMETIC_OVERFLOW") || why.contains("overflow"), why);
      return List.of("overflow");
    }
  }

  @Test
  void groupsAreThoseOfSpark() {
    Dataset<Row> responses = load(log, "statement", "response", "partitionBytes", "200000");
    Dataset<Row> rows = held(responses);
    List<String> wanted = List.of("count(*)", "sum(us)", "max(bytes)", "min(time)", "avg(status)", "count(tenant)");
    for (List<String> groups : List.of(List.of("tenant", "status"), List.of("tenant"), List.of("status"), List.<String>of())) {
      Dataset<Row> query = ask(responses, groups, wanted);
      assertEquals(answer(ask(rows, groups, wanted)), answer(query), groups.toString());
      assertTrue(plan(query).contains("sum(us)") && plan(query).contains(", count(*)"), plan(query));
    }
    List<String> few = List.of("count(*)", "sum(us)");
    Dataset<Row> filtered = ask(responses.filter("status = 503"), List.of("tenant"), few);
    assertEquals(answer(ask(rows.filter("status = 503"), List.of("tenant"), few)), answer(filtered));
    assertTrue(plan(filtered).contains("by tenant"), plan(filtered));
    Dataset<Row> none = responses.filter("us < 0");
    assertEquals(List.of(), answer(ask(none, List.of("tenant"), few)));
    assertEquals(List.of("[0,null]"), answer(ask(none, List.of(), few)));
  }

  /** More groups than a task keeps, each of which comes once and twice. */
  @Test
  void manyGroups() {
    Dataset<Row> responses = load(log, "statement", "response");
    Dataset<Row> rows = held(responses);
    List<String> wanted = List.of("count(*)", "max(us)");
    for (String group : new String[] {"id", "us"}) {
      Dataset<Row> query = ask(responses, List.of(group), wanted);
      assertEquals(answer(ask(rows, List.of(group), wanted)), answer(query), group);
      assertTrue(plan(query).contains("by " + group), plan(query));
    }
  }

  /** Conditions that Spark has to look at itself, and functions of what is no column, are not handed down. */
  @Test
  void whatTasksCannotCompute() {
    Dataset<Row> responses = load(log, "statement", "response");
    Dataset<Row> rows = held(responses);
    for (List<String> wanted : List.of(List.of("count(distinct tenant)"), List.of("sum(us + 1)"), List.of("max(tenant)"),
        List.of("count(*) filter (where us > 5)"), List.of("percentile(us, 0.5)"), List.of("stddev(us)"))) {
      assertEquals(answer(ask(rows, List.of("status"), wanted)), answer(ask(responses, List.of("status"), wanted)), wanted.toString());
    }
    Dataset<Row> odd = ask(responses.filter("us % 2 = 1"), List.of("status"), List.of("count(*)"));
    assertEquals(answer(ask(rows.filter("us % 2 = 1"), List.of("status"), List.of("count(*)"))), answer(odd));
    assertFalse(plan(odd).contains("by status"), plan(odd));
  }

  /** Random groups and functions of columns of each type, with nulls and the least and greatest numbers. */
  @Test
  void eachTypeIsThatOfSpark() {
    Random random = new Random(11);
    int pushed = 0;
    for (String statement : new String[] {"integers", "others", "times", "no backend"}) {
      Dataset<Row> scanned = load(statement.equals("no backend") ? log : types, "statement", statement);
      Dataset<Row> rows = held(scanned);
      List<StructField> fields = Stream.of(scanned.schema().fields()).toList();
      for (int i = 0; i < 12; ++i) {
        List<String> groups = Stream.generate(() -> quoted(fields.get(random.nextInt(fields.size())))).limit(random.nextInt(3)).distinct().toList();
        List<String> wanted = new ArrayList<>(List.of("count(*)"));
        for (int n = random.nextInt(4); n >= 0; --n) wanted.add(function(fields.get(random.nextInt(fields.size())), random));
        Dataset<Row> query = ask(scanned, groups, wanted);
        assertEquals(answer(ask(rows, groups, wanted)), answer(query), groups + " " + wanted);
        pushed += plan(query).contains(", count(*)") ? 1 : 0;
      }
    }
    assertTrue(pushed > 12, pushed + " were pushed");
  }

  private static String quoted(StructField field) {
    return "`" + field.name() + "`";
  }

  private static String function(StructField field, Random random) {
    boolean isNumber = WholeNumbers.NUMBERS.contains(field.dataType());
    List<String> all = isNumber ? List.of("count", "min", "max", "sum", "avg") : List.of("count", "min", "max");
    return all.get(random.nextInt(all.size())) + "(" + quoted(field) + ")";
  }

  /** Spark says what becomes of sums beyond 64 bits: an error in ANSI mode, or they begin again; for try_sum there is none. */
  @Test
  void sumsThatAreTooLarge() {
    Dataset<Row> large = load(log, "statement", "response", "columns", "time_ns,tenant");
    Dataset<Row> rows = held(large);
    List<String> wanted = List.of("count(*)", "max(time_ns)", "try_sum(time_ns)", "avg(time_ns) > 0");
    for (String ansi : new String[] {"true", "false"}) {
      spark.conf().set("spark.sql.ansi.enabled", ansi);
      try {
        for (List<String> groups : List.of(List.<String>of(), List.of("tenant"))) {
          assertEquals(answer(ask(rows, groups, wanted)), answer(ask(large, groups, wanted)));
          assertEquals(answer(ask(rows, groups, wanted.subList(0, 3))), answer(ask(large, groups, wanted.subList(0, 3))));
          assertEquals(answer(ask(rows, groups, List.of("count(*)", "sum(time_ns)"))), answer(ask(large, groups, List.of("count(*)", "sum(time_ns)"))));
        }
        assertEquals(ansi.equals("true") ? List.of("overflow") : answer(rows.selectExpr("sum(time_ns)")), answer(large.selectExpr("sum(time_ns)")));
      } finally {
        spark.conf().set("spark.sql.ansi.enabled", "true");
      }
    }
  }

  /** Each text has a number of its own, of whatever size. */
  @Test
  void groupsOfShortTexts() {
    for (int size = 0; size < 10; ++size) {
      LongNumbers numbers = new LongNumbers();
      int next = 0;
      for (long text = 0; text < 5000; ++text) {
        long key = size == 0 ? 0 : text << 64 - 8 * Math.min(size, 8);
        int number = numbers.get(key, next);
        if (number == next) ++next;
        assertEquals(number, numbers.get(key, next));
      }
      assertEquals(size == 0 ? 1 : size == 1 ? 256 : 5000, next);
    }
  }
}
