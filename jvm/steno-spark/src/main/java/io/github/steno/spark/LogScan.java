package io.github.steno.spark;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A query of a log, as it will be read. */
final class LogScan implements Scan, Batch, SupportsReportStatistics {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogScan.class);

  private final Request request;
  private final Question question;
  private final StructType schema;
  private final long limit;
  private final Aggregates aggregates;

  /**
   * @param schema the columns that Spark wants, with those that are made of others
   * @param aggregates groups of rows, and functions that each task computes of them; null: the query reads rows
   */
  LogScan(Request request, Question question, StructType schema, long limit, Aggregates aggregates) {
    this.request = request;
    this.question = question;
    this.schema = schema;
    this.limit = limit;
    this.aggregates = aggregates;
  }

  /** Throws where a schema has columns, or types, that the log has not. */
  static void check(Request request, StructType schema) throws StenoException {
    List<String> names = Arrays.stream(schema.fieldNames()).map(request.columns::reader).toList();
    try (Log log = request.open();
        Batches batches = log.read(request.question.withColumns(names))) {
      StructType there = Types.of(batches.columns());
      for (int i = 0; i < schema.size(); ++i) {
        StructField asked = schema.apply(i);
        if (there.apply(i).dataType().equals(asked.dataType())) continue;
        throw new StenoException("the schema that was asked for: the column '" + asked.name() + "' is "
            + there.apply(i).dataType().sql() + ", not " + asked.dataType().sql());
      }
    }
  }

  @Override
  public StructType readSchema() {
    return aggregates == null ? schema : aggregates.output(schema);
  }

  @Override
  public String description() {
    String shown = question.where().isEmpty() ? "" : ", where: " + question.where();
    String made = aggregates == null ? "" : ", " + aggregates;
    return "steno " + request.files.size() + " file(s)" + made + shown + (limit == Long.MAX_VALUE ? "" : ", limit: " + limit);
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return aggregates == null ? ColumnarSupportMode.PARTITION_DEFINED : ColumnarSupportMode.UNSUPPORTED;
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return new CustomMetric[] {new Metrics.Losses(), new Metrics.Blocks(), new Metrics.DecodedBlocks()};
  }

  /** The bytes of the files, which have a few times as many once they are read. */
  @Override
  public Statistics estimateStatistics() {
    long size = request.size();
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return OptionalLong.of(size);
      }

      @Override
      public OptionalLong numRows() {
        return OptionalLong.empty();
      }
    };
  }

  @Override
  public InputPartition[] planInputPartitions() {
    try {
      lookAtLosses();
      Question asked = question.withColumns(selection().columns());
      StructType read;
      List<Log.Session> sessions;
      long bytes;
      try (Log log = request.open();
          Batches batches = log.read(asked)) {
        read = Types.of(batches.columns());
        sessions = log.sessions();
        bytes = log.bytes(asked, aggregates != null);
      }
      return Groups.of(request, asked, aggregates != null, read, sessions, bytes);
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  private void lookAtLosses() throws StenoException {
    if (request.options.losses == Options.Losses.ALLOW) return;
    try (Log log = request.open()) {
      Losses.tell(log.firstLosses(true), request.options.losses, LOGGER);
    }
  }

  /** The columns that are read. */
  private StructType input() {
    return aggregates == null ? schema : aggregates.input(schema);
  }

  private Selection selection() {
    return Selection.of(request.columns, input());
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return readers(selection(), request.files.stream().allMatch(LogFile::isLocal));
  }

  private PartitionReaderFactory readers(Selection selection, boolean areLocal) {
    Broadcast<SerializableConfiguration> hadoop = areLocal ? null
        : JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext()).broadcast(new SerializableConfiguration(request.hadoop));
    return new LogReaderFactory(question, selection, limit, aggregates, input(), request.options.losses, hadoop);
  }

  @Override
  public MicroBatchStream toMicroBatchStream(String checkpoint) {
    return new LogStream(request, question, readers(Selection.of(request.columns, schema, StreamReader.KEY), false));
  }
}
