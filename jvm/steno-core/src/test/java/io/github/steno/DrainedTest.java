package io.github.steno;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a {@link DrainedLog} each. */
public abstract class DrainedTest {
  @TempDir protected Path directory;
  protected DrainedLog drained;

  @BeforeEach
  protected void startScribe() throws IOException {
    drained = new DrainedLog(directory);
  }

  @AfterEach
  protected void stopScribe() {
    if (drained != null) drained.close();
  }
}
