package io.github.steno.spark;

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
  final Question question;

  Request(Map<String, String> options) throws StenoException {
    this.options = new Options(options);
    hadoop = hadoop(options);
    files = Files.find(this.options.paths, hadoop);
    try (Log log = open()) {
      question = Statements.question(log, this.options);
    }
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

  /** All columns that are there without asking for them by name. */
  StructType schema() throws StenoException {
    try (Log log = open();
        Batches batches = log.read(question)) {
      return Types.of(batches.columns());
    }
  }

  /** The bytes of all files. */
  long size() {
    return files.stream().mapToLong(LogFile::size).sum();
  }
}
