package io.github.steno.spark;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A log, or a statement of it, as a table of Spark. */
final class LogTable implements SupportsRead, SupportsMetadataColumns {
  private final StructType schema;
  private final Map<String, String> properties;
  private Columns columns;

  LogTable(StructType schema, Map<String, String> properties) {
    this.schema = schema;
    this.properties = properties;
  }

  @Override
  public String name() {
    return "steno " + properties.getOrDefault("path", properties.getOrDefault("paths", ""));
  }

  @Override
  public Column[] columns() {
    return Arrays.stream(schema.fields()).map(one -> Column.create(one.name(), one.dataType(), one.nullable())).toArray(Column[]::new);
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ);
  }

  /** Spark may ask several times. */
  @Override
  public MetadataColumn[] metadataColumns() {
    try {
      if (columns == null) columns = new Request(properties).columns;
      return columns.besides(schema);
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  /** {@code options}: those of the query, with which the table was made or which it adds. */
  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    try {
      Map<String, String> all = new HashMap<>(properties);
      all.putAll(options.asCaseSensitiveMap());
      return new LogScanBuilder(new Request(all), schema);
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }
}
