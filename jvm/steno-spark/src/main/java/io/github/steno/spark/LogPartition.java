package io.github.steno.spark;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * A share of the blocks of some files: one of {@code parts}.
 *
 * @param firstSessions of each file the number of its first session among those of all files of the query
 * @param hosts that have some of the bytes, if the filesystem knows
 */
record LogPartition(List<LogFile> files, int part, int parts, List<Long> firstSessions, List<String> hosts) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return hosts.toArray(String[]::new);
  }
}
