package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Conditions that are handed down select the rows that Spark selects itself. */
class PushDownTest extends SparkTest {
  private static final int MAGIC = 0x314e5453;
  private static final int DICTIONARY = 2;
  private static final int INDEX = 7;

  private static Path log;
  private static Path types;
  private static Path few;

  @BeforeAll
  static void write() throws Exception {
    Path made = Files.createDirectory(folder.resolve("pushed"));
    log = Logs.responses(made, "many.steno", 100_000);
    few = Logs.responses(made, "few.steno", 2000);
    types = Logs.allTypes(made);
  }

  @Test
  void theReaderAnswersWhatItTakes() throws Exception {
    Dataset<Row> responses = load(log, "statement", "response");
    Map<String, String> conditions = new TreeMap<>();
    conditions.put("us > 60000 and tenant = 'acme'", "us > 60000 and tenant == 'acme'");
    conditions.put("status in (503, 504) or id < 10", "status in (503, 504) or {id} < 10");
    conditions.put("not (us > 100 or status = 503)", "{us} <= 100 and status != 503");
    conditions.put("tenant like '%lobe%'", "tenant contains 'lobe'");
    for (Map.Entry<String, String> one : conditions.entrySet()) {
      Dataset<Row> query = responses.filter(one.getKey());
      long wanted = Logs.count(log, "(" + one.getValue() + ") and {bytes} >= 0");
      assertTrue(wanted > 0, one.getKey());
      assertEquals(wanted, query.count(), one.getKey());
      assertFalse(plan(query).contains("Filter ("), plan(query));
    }
    Dataset<Row> odd = responses.filter("us % 2 = 1 and us > 65000");
    assertTrue(plan(odd).contains("Filter ("));
    assertEquals(responses.collectAsList().stream().filter(row -> isOdd(row.getAs("us"))).count(), odd.count());
  }

  private static boolean isOdd(long us) {
    return us % 2 == 1 && us > 65000;
  }

  @Test
  void blocksAreSkippedByTime() throws Exception {
    Dataset<Row> all = load(Logs.responses(folder, "large.steno", 1_000_000), "statement", "response");
    long last = all.selectExpr("max(unix_micros(time))").first().getLong(0);
    Dataset<Row> late = all.filter("time >= timestamp_micros(" + (last - 100) + ")").select("us");
    long wanted = all.filter("unix_micros(time) >= " + (last - 100)).count();
    assertEquals(wanted, late.collectAsList().size());
    Map<String, Long> metrics = metrics(late);
    assertTrue(metrics.get("decodedBlocks") > 0 && metrics.get("decodedBlocks") < metrics.get("blocks"), metrics.toString());
  }

  /** The statements of a block are known: none is opened for a count, and tasks are made of the blocks that are left. */
  @Test
  void aCountOpensNoBlock() throws Exception {
    Path log = Logs.responses(folder, "indexed.steno", 14_000_000);
    assertTrue(Files.size(log) > 64 << 20, "it is opened by its index");
    Dataset<Row> responses = load(log, "statement", "response");
    assertEquals(14_000_000L, responses.count());
    Request request = new Request(Map.of("path", log.toString(), "statement", "response"));
    for (String column : new String[] {"pid", "severity", "us"}) {
      Question question = request.question.withColumns(List.of(column));
      try (Log opened = request.open();
          Batches batches = opened.read(question)) {
        assertEquals(column.equals("us"), opened.bytes(question, true) > 0);
        assertTrue(opened.bytes(question, false) > 0);
        long rows = 0;
        while (batches.next()) rows += batches.rows();
        assertEquals(14_000_000L, rows, column);
        assertTrue(batches.progress()[0] > 0);
        assertEquals(column.equals("us") ? batches.progress()[0] : 0, batches.progress()[1], column);
      }
    }
    long last = responses.selectExpr("max(time_ns)").first().getLong(0);
    assertTrue(responses.select("severity").javaRDD().getNumPartitions() > 1);
    assertEquals(1, responses.filter("time_ns > " + (last - 1_000_000)).javaRDD().getNumPartitions());
  }

  /** Numbers from 10^8 to 10^17 are nanoseconds as well: times before 1973. */
  @Test
  void timesAreExact() {
    Dataset<Row> all = load(few, "statement", "response");
    long count = all.count();
    for (String time : new String[] {"1900000000", "1900000000000000"}) {
      Dataset<Row> later = all.filter("time_ns > " + time);
      assertEquals(count, later.count(), time);
      assertTrue(plan(later).contains("where: "), plan(later));
      assertEquals(0, all.filter("time_ns <= " + time).count(), time);
      Dataset<Row> after = all.filter("time > timestamp_micros(" + time + " div 1000)");
      assertEquals(count, after.count(), time);
      assertTrue(plan(after).contains("where: "), plan(after));
      assertEquals(0, all.filter("time = timestamp_micros(" + time + " div 1000)").count(), time);
    }
    long first = all.selectExpr("min(time_ns)").first().getLong(0);
    assertEquals(1, all.filter("time_ns <= " + first).count());
    assertEquals(0, all.filter("time_ns < " + first).count());
  }

  /** Records whose declaration is lost have the severity 255 and no level that conditions know. */
  @Test
  void negationsWhereDeclarationsAreLost() throws Exception {
    Dataset<Row> damaged = load(withoutDeclarations());
    Dataset<Row> held = held(damaged.select("severity", "level", "line"));
    assertTrue(held.filter("severity = 255").count() > 0);
    for (String text : new String[] {"severity < 4", "level = 'INFO'", "severity in (2, 4)"}) {
      for (String condition : new String[] {text, "not (" + text + ")", "not (line < 0 or not (" + text + " or line < 0))"}) {
        Dataset<Row> query = damaged.filter(condition);
        assertEquals(held.filter(condition).count(), query.count(), condition + "\n" + plan(query));
      }
    }
  }

  /** A log whose records have no declaration any more: its dictionary and index blocks are lost (spec/file.md §1). */
  private static Path withoutDeclarations() throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(few)).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at + 16 < bytes.capacity(); at += 8) {
      boolean isDeclaration = bytes.getInt(at) == MAGIC && (bytes.get(at + 4) == DICTIONARY || bytes.get(at + 4) == INDEX);
      if (isDeclaration) bytes.put(at + 16, (byte) ~bytes.get(at + 16));
    }
    Path damaged = folder.resolve("undeclared.steno");
    Files.write(damaged, bytes.array());
    return damaged;
  }

  @Test
  void aLimitEndsTheReading() {
    Dataset<Row> few = load(log, "statement", "response").limit(10);
    assertEquals(10, few.collectAsList().size());
    assertTrue(plan(few).contains("limit: 10"), plan(few));
  }

  /** The count is that of the tasks, with conditions and without. */
  @Test
  void aCountIsHandedDown() throws Exception {
    Dataset<Row> responses = load(log, "statement", "response", "partitionBytes", "200000");
    Dataset<Row> both = responses.filter("status = 503").selectExpr("count(*) as a", "count(1) as b");
    assertEquals(Logs.count(log, "{status} == 503"), both.first().getLong(0));
    assertTrue(plan(both).contains(", count"), plan(both));
    Dataset<Row> odd = responses.filter("us % 2 = 1").selectExpr("count(*)");
    assertFalse(plan(odd).contains(", count"), plan(odd));
    assertEquals(0, responses.filter("us < 0").count());
  }

  /** The numbers of the scan in a query that has been run. */
  private static Map<String, Long> metrics(Dataset<Row> query) {
    Map<String, Long> found = new HashMap<>();
    var metrics = ((org.apache.spark.sql.classic.Dataset<Row>) query).queryExecution().executedPlan().collectLeaves().apply(0).metrics();
    metrics.foreach(one -> found.put(one._1(), one._2().value()));
    return found;
  }

  /** Random predicates over each column of each type, against Spark's own answer on rows that it holds. */
  @Test
  void eachPredicateHasTheRowsOfSpark() throws Exception {
    Random random = new Random(7);
    int pushed = 0;
    for (String statement : new String[] {"integers", "others", "times", "response", "no backend"}) {
      boolean isOfTypes = !statement.equals("response") && !statement.equals("no backend");
      Path source = isOfTypes ? types : few;
      Dataset<Row> scanned = load(source, "statement", statement);
      Dataset<Row> held = held(scanned);
      List<String> atoms = new ArrayList<>();
      for (StructField field : scanned.schema().fields()) atoms.addAll(atoms(field, held));
      for (int i = 0; i < 10; ++i) {
        String text = random(atoms, random, 2);
        Dataset<Row> query = scanned.filter(text);
        assertEquals(held.filter(text).count(), query.count(), text + "\n" + plan(query));
        pushed += plan(query).contains("where: ") ? 1 : 0;
      }
    }
    assertTrue(pushed > 12, pushed + " were pushed");
  }

  private static String random(List<String> atoms, Random random, int depth) {
    int kind = depth == 0 ? 0 : random.nextInt(4);
    if (kind == 0) return atoms.get(random.nextInt(atoms.size()));
    if (kind == 1) return "not (" + random(atoms, random, depth - 1) + ")";
    return "(" + random(atoms, random, depth - 1) + (kind == 2 ? " and " : " or ") + random(atoms, random, depth - 1) + ")";
  }

  /** Comparisons of a column with values that it has. */
  private static List<String> atoms(StructField field, Dataset<Row> held) {
    String name = "`" + field.name() + "`";
    List<String> all = new ArrayList<>(List.of(name + " is null", name + " is not null"));
    DataType type = field.dataType();
    boolean isText = type.equals(DataTypes.StringType);
    boolean isNumber = WholeNumbers.NUMBERS.contains(type);
    if (!isText && !isNumber && !type.equals(DataTypes.BooleanType) && !type.equals(DataTypes.TimestampType)) return all;
    for (Row row : held.selectExpr("cast(" + name + " as string)").filter(name + " is not null").limit(2).collectAsList()) {
      String value = isNumber ? row.getString(0) : "'" + row.getString(0).replace("\\", "\\\\").replace("'", "\\'") + "'";
      if (type.equals(DataTypes.BooleanType)) value = row.getString(0);
      if (type.equals(DataTypes.TimestampType)) value = "timestamp " + value;
      for (String operator : new String[] {"=", "<>", "<", "<=", ">", ">=", "<=>"}) all.add(name + " " + operator + " " + value);
      all.add(name + " in (" + value + ", " + value + ")");
      if (isText) all.add("contains(" + name + ", " + value + ")");
    }
    return all;
  }
}
