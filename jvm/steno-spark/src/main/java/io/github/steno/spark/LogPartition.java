package io.github.steno.spark;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * A share of the blocks of some files: one of {@code parts}.
 *
 * @param hosts that have some of the bytes, if the filesystem knows
 */
record LogPartition(List<LogFile> files, int part, int parts, List<String> hosts) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return hosts.toArray(String[]::new);
  }
}
