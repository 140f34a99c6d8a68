package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests the meaning of names: of columns that arguments have too, of statements in several files, and of numbers of
 * sessions.
 */
class NamesTest extends SparkTest {
  private static Path day;
  private static Path odd;

  @BeforeAll
  static void write() throws Exception {
    day = Files.createDirectory(folder.resolve("names"));
    Logs.responses(day, "first.steno", 5000);
    odd = Logs.odd(day, "odd.steno", 4000);
  }

  @Test
  void argumentsHaveTheirNames() throws Exception {
    Dataset<Row> names = load(odd, "statement", "names");
    assertEquals(List.of("time", "thread", "logger", "host", "level", "line", "message", "time_2", "time_2_2", "thread_2", "pid", "_path"),
        Arrays.asList(names.columns()));
    Dataset<Row> some = names.orderBy("line").select("host", "level", "line", "message", "time_2", "time_2_2", "thread_2", "pid", "_path");
    assertEquals("[a host,41,1,a message,2.5,a second time,7,a pid,101]", some.collectAsList().get(1).toString());
    assertEquals(List.of("a host", "a host", "a host"), names.select("host").as(org.apache.spark.sql.Encoders.STRING()).collectAsList());
    for (String condition : new String[] {"level = 41", "line = 1", "time_2_2 = 'a second time' and thread_2 = 7", "pid = 'a pid' and line in (1)"}) {
      Dataset<Row> query = names.filter(condition);
      assertEquals(1, query.count(), condition);
      assertTrue(plan(query).contains("where: "), plan(query));
    }
  }

  /** The columns of records come after those of the table: their names get a number. */
  @Test
  void columnsOfRecordsGetANumber() throws Exception {
    Dataset<Row> names = load(odd, "statement", "names");
    Row one = names.filter("level_2 = 'WARN' and severity = 4").select("host_2", "level_2", "pid_2", "_path_2", "message_2").first();
    List<String> lines = Logs.lines("cat", "--where", "{_path} >= 100", "--pattern", "{host}|{pid}", odd.toString());
    assertEquals(lines.get(0), one.getString(0) + "|" + one.getLong(2));
    assertEquals("WARN", one.getString(1));
    assertEquals(odd.toString(), one.getString(3));
    assertTrue(one.getString(4).startsWith("names a host 40 0 a message"), one.getString(4));
    assertEquals(0, names.filter("level_2 = 'INFO'").count());
  }

  @Test
  void columnsThatOptionsName() {
    Dataset<Row> names = load(odd, "statement", "names", "columns", "{time}, host, host_2, {level}, line");
    assertEquals(List.of("time_2", "host", "host_2", "level", "line"), Arrays.asList(names.columns()));
    Row one = names.filter("line = 2").first();
    assertEquals(3.5, one.getDouble(0));
    assertEquals("a host", one.getString(1));
    assertFalse(one.getString(2).equals("a host"));
    assertEquals(42, one.getInt(3));
  }

  /** A name without braces is an argument in each file if a statement of any file has one of that name. */
  @Test
  void aNameInAConditionIsTheSameInAllFiles() throws Exception {
    String host = Logs.lines("cat", "--head", "1", "--pattern", "{host}", odd.toString()).get(0);
    for (String where : new String[] {"host == \"" + host + "\"", "session.host == \"" + host + "\"", "host == \"a host\""}) {
      long wanted = where.startsWith("session") ? load(day).count() : Logs.count(odd, where);
      assertEquals(wanted, load(day, "where", where, "partitionBytes", "10000").count(), where);
    }
  }

  /** A part of a text is a statement of all files together, whichever of them a task has. */
  @Test
  void aStatementIsTheSameInAllFiles() throws Exception {
    assertEquals(5000, load(day + "/first.steno", "statement", "response").count());
    Exception e = assertThrows(Exception.class, () -> load(day, "statement", "response", "partitionBytes", "10000").count());
    assertTrue(e.toString().contains("'response' is in several statements"), e.toString());
    Dataset<Row> whole = load(day, "statement", "bytes in", "partitionBytes", "10000");
    assertEquals(9000, whole.select("us").collectAsList().size());
    assertEquals(3, load(day, "statement", "late", "partitionBytes", "10000").select("id").collectAsList().size());
  }

  /** The text of the source differs from the format where it has structures. */
  @Test
  void theTextInTheSourceIsFound() {
    Dataset<Row> connected = load(day, "statement", "connected to {peer}", "partitionBytes", "10000");
    List<Row> rows = connected.orderBy("`peer.id`").select("`peer.id`", "`peer.port`").collectAsList();
    assertEquals("[[0,80], [1,80], [2,80]]", rows.toString());
  }

  @Test
  void sessionsAreNumberedThroughAllFiles() {
    Dataset<Row> all = load(day, "partitionBytes", "10000");
    List<Row> rows = all.select("session", "_path").distinct().orderBy("session").collectAsList();
    assertEquals("[[0," + day + "/first.steno], [1," + odd + "]]", rows.toString());
    assertEquals(0, all.filter("session = 2").count());
    assertEquals(5000, load(day, "statement", "bytes in", "partitionBytes", "10000").filter("session = 0").count());
  }
}
