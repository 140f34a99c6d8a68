package io.github.steno.spark;

import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Types of Spark for those of Arrow that the profile {@code spark} of the reader has. */
final class Types {
  static DataType of(Batches.Column column) throws StenoException {
    switch (column.format()) {
      case "b":
        return DataTypes.BooleanType;
      case "c":
        return DataTypes.ByteType;
      case "s":
        return DataTypes.ShortType;
      case "i":
        return DataTypes.IntegerType;
      case "l":
        return DataTypes.LongType;
      case "f":
        return DataTypes.FloatType;
      case "g":
        return DataTypes.DoubleType;
      case "u":
        return DataTypes.StringType;
      case "z":
        return DataTypes.BinaryType;
      case "tDu":
        return DayTimeIntervalType.apply();
      default:
        if (column.format().startsWith("tsu:")) return DataTypes.TimestampType;
        throw new StenoException("the column '" + column.name() + "' has the type " + column.format() + ", which is none of Spark");
    }
  }

  static StructType of(List<Batches.Column> columns) throws StenoException {
    StructField[] fields = new StructField[columns.size()];
    for (int i = 0; i < fields.length; ++i) fields[i] = DataTypes.createStructField(columns.get(i).name(), of(columns.get(i)), true);
    return DataTypes.createStructType(fields);
  }

  private Types() {}
}
