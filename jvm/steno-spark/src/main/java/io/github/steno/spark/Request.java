package io.github.steno.spark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** A log that a query names, on the driver: its files, and what is asked of them. */
final class Request {
  final Options options;
  final Configuration hadoop;
  final List<LogFile> files;
  /** The question without columns. */
  final Question question;
  final Columns columns;

  Request(Map<String, String> options) throws StenoException {
    this.options = new Options(options);
    hadoop = hadoop(options);
    files = finished(Files.find(this.options.paths, hadoop));
    try (Log log = open()) {
      question = Statements.question(log, this.options);
      columns = Columns.of(log, question);
    }
  }

  /** The files, with those marked that no program writes to any more. */
  private List<LogFile> finished(List<LogFile> found) throws StenoException {
    if (!found.stream().allMatch(LogFile::isLocal)) return found;
    if (Log.areOpenAndFinished(found)) return found.stream().map(LogFile::finished).toList();
    Map<String, Boolean> haveEnded = new HashMap<>();
    try (Log log = Log.open(found, hadoop)) {
      for (Log.Session session : log.sessions()) haveEnded.merge(session.path(), session.hasEnded(), Boolean::logicalAnd);
    }
    return found.stream().map(file -> haveEnded.getOrDefault(file.path(), false) ? file.finished() : file).toList();
  }

  private static Configuration hadoop(Map<String, String> options) {
    Configuration hadoop = new Configuration(SparkSession.active().sparkContext().hadoopConfiguration());
    options.forEach((name, value) -> {
      if (name.startsWith("fs.")) hadoop.set(name, value);
    });
    return hadoop;
  }

  /** The files that the paths name by now; there may be none. */
  List<LogFile> findAgain() {
    try {
      return Files.find(options.paths, hadoop);
    } catch (StenoException e) {
      return List.of();
    }
  }

  Log open() throws StenoException {
    return Log.open(files, hadoop);
  }

  /** The columns that the options name, else all that are there without asking for them by name. */
  StructType schema() throws StenoException {
    List<String> names = options.columns.stream().map(columns::named).toList();
    try (Log log = open();
        Batches batches = log.read(question.withColumns(names.stream().map(columns::reader).toList()))) {
      StructType shown = new StructType();
      for (int i = 0; i < batches.columns().size(); ++i) {
        Batches.Column column = batches.columns().get(i);
        shown = shown.add(names.isEmpty() || !columns.has(names.get(i)) ? column.name() : names.get(i), Types.of(column));
      }
      return shown;
    }
  }

  /** The bytes of all files. */
  long size() {
    return files.stream().mapToLong(LogFile::size).sum();
  }
}
