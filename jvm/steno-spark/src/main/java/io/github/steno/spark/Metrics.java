package io.github.steno.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** The numbers of a scan that Spark's page shows. Spark makes each by its constructor. */
public final class Metrics {
  private static final String LOSSES = "losses";
  private static final String BLOCKS = "blocks";
  private static final String DECODED_BLOCKS = "decodedBlocks";

  /** The losses of the files, counted in the sentences that steno verify prints. */
  public static final class Losses extends CustomSumMetric {
    @Override
    public String name() {
      return LOSSES;
    }

    @Override
    public String description() {
      return "losses in the log";
    }
  }

  /** The blocks that tasks had to look at. */
  public static final class Blocks extends CustomSumMetric {
    @Override
    public String name() {
      return BLOCKS;
    }

    @Override
    public String description() {
      return "blocks of the log";
    }
  }

  /** The blocks that they did not skip. */
  public static final class DecodedBlocks extends CustomSumMetric {
    @Override
    public String name() {
      return DECODED_BLOCKS;
    }

    @Override
    public String description() {
      return "blocks that were decoded";
    }
  }

  private record Value(String name, long value) implements CustomTaskMetric {}

  static CustomTaskMetric[] values(long losses, long blocks, long decoded) {
    return new CustomTaskMetric[] {new Value(LOSSES, losses), new Value(BLOCKS, blocks), new Value(DECODED_BLOCKS, decoded)};
  }

  private Metrics() {}
}
