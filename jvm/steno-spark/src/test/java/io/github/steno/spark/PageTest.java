package io.github.steno.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** docs/spark.md says what is so. */
class PageTest extends SparkTest {
  private static final Pattern EXAMPLE = Pattern.compile("```sql\n(.*?)```\n```\n(.*?)```", Pattern.DOTALL);

  @Test
  void examplesOfThePageSayWhatItShows() throws Exception {
    Process program = new ProcessBuilder(System.getProperty("steno.requests")).directory(folder.toFile()).inheritIO().start();
    assertEquals(0, program.waitFor());
    List<String> shown = new ArrayList<>();
    List<String> found = new ArrayList<>();
    Matcher example = EXAMPLE.matcher(Files.readString(Path.of(System.getProperty("steno.docs"), "spark.md")));
    while (example.find()) {
      shown.add(example.group(2));
      found.add(answer(example.group(1)));
    }
    assertEquals(2, shown.size());
    assertEquals(String.join("\n", shown), String.join("\n", found));
  }

  /** Runs statements, and shows the answer of the last one. */
  private static String answer(String statements) {
    String answer = "";
    for (String one : statements.replace("app.steno'", folder + "/app.steno'").replace("'%" + folder + "/", "'%").split(";\n")) {
      Dataset<Row> rows = spark.sql(one);
      answer = ((org.apache.spark.sql.classic.Dataset<Row>) rows).showString(20, 20, false).stripTrailing() + "\n";
    }
    return answer;
  }
}
