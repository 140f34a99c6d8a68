package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

/** Files that are no logs, or were changed to deceive: rows or an exception, and the process lives. */
class HostileTest extends SparkTest {
  /** Bytes that were changed, cut off, or put in front of others. Each value of what is left is looked at. */
  @Test
  void changedBytes() throws Exception {
    byte[] whole = Files.readAllBytes(Logs.allTypes(folder));
    byte[] large = Files.readAllBytes(Logs.responses(folder, "large.steno", 5000));
    Random random = new Random(11);
    int read = 0;
    for (int i = 0; i < 400; ++i) {
      Path file = folder.resolve("changed" + i + ".steno");
      Files.write(file, changed(i % 2 == 0 ? whole : large, random));
      try {
        look(file);
        ++read;
      } catch (StenoException e) {
        // It is no log any more.
      }
      Files.delete(file);
    }
    assertTrue(read > 50, String.valueOf(read));
  }

  private static byte[] changed(byte[] whole, Random random) {
    byte[] bytes = whole.clone();
    for (int i = random.nextInt(8); i >= 0; --i) bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    int begin = random.nextInt(10) == 0 ? random.nextInt(100) : 0;
    int end = random.nextInt(3) == 0 ? begin + random.nextInt(bytes.length - begin) : bytes.length;
    return Arrays.copyOfRange(bytes, begin, end);
  }

  private static void look(Path file) throws StenoException {
    LogFile found = new LogFile(file.toString(), file.toFile().length(), 0, true);
    try (Log log = Log.open(List.of(found), new Configuration())) {
      for (Log.Site site : log.sites()) {
        Question question = new Question("", site.stableId(), List.of(), List.of(), Long.MIN_VALUE, Long.MAX_VALUE);
        if (site.stableId() != 0) look(log, question);
      }
      look(log, new Question("", 0, List.of(), List.of(), Long.MIN_VALUE, Long.MAX_VALUE));
      log.losses().forEach(Record::hashCode);
    }
  }

  private static void look(Log log, Question question) throws StenoException {
    try (Batches batches = log.read(question)) {
      StructType types = Types.of(batches.columns());
      NativeColumn[] columns = NativeColumn.of(batches);
      while (batches.next()) {
        NativeColumn.show(batches, columns);
        for (int row = 0; row < batches.rows(); ++row) {
          for (int i = 0; i < columns.length; ++i) look(columns[i], types.apply(i).dataType(), row);
        }
      }
    }
  }

  private static void look(NativeColumn column, DataType type, int row) {
    if (column.isNullAt(row)) return;
    if (type.equals(DataTypes.StringType)) column.getUTF8String(row).toString();
    else if (type.equals(DataTypes.BinaryType)) column.getBinary(row);
    else if (type.defaultSize() == 8) column.getLong(row);
    else column.getByte(row);
  }

  @Test
  void otherFiles() throws Exception {
    Path text = folder.resolve("text.steno");
    Files.writeString(text, "no log at all\n".repeat(1000));
    Path empty = Files.createFile(folder.resolve("empty.steno"));
    for (Path file : List.of(text, empty)) assertThrows(StenoException.class, () -> look(file));
    Exception e = assertThrows(Exception.class, () -> load(text).count());
    assertTrue(e.toString().contains("StenoException") && e.toString().contains("text.steno"), e.toString());
  }

  /** A file becomes shorter after a query was planned: the rows that are left, or a failure if the query asks for it. */
  @Test
  void aFileIsCutShort() throws Exception {
    Path log = Logs.responses(folder, "cut.steno", 500_000);
    Dataset<Row> query = load(log, "statement", "response");
    byte[] bytes = Files.readAllBytes(log);
    Dataset<Row> strict = load(log, "statement", "response", "losses", "fail").selectExpr("sum(us)");
    assertEquals(500_000, query.count());
    plan(strict);
    Files.write(log, Arrays.copyOf(bytes, bytes.length / 2));
    long left = query.select("us").collectAsList().size();
    assertTrue(left < 500_000, String.valueOf(left));
    Exception e = assertThrows(Exception.class, strict::first);
    assertTrue(e.toString().contains("losses=allow"), e.toString());
  }
}
