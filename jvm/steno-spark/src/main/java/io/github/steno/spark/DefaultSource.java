package io.github.steno.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The format {@code steno} of Spark: {@code spark.read().format("steno").option("statement", …).load(path)}; docs/spark.md. */
public final class DefaultSource implements TableProvider, DataSourceRegister {
  @Override
  public String shortName() {
    return "steno";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    try {
      return new Request(options.asCaseSensitiveMap()).schema();
    } catch (StenoException e) {
      throw Thrown.unchecked(e);
    }
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new LogTable(schema, properties);
  }

  /** A schema may be given, to choose columns; their types are those of the log. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
