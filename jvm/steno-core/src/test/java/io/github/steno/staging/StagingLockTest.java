package io.github.steno.staging;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.steno.machine.Native;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of the native library, of Java, and of both on the same file. */
class StagingLockTest {
  private static final boolean NATIVE = true;
  private static final boolean JAVA = false;

  @TempDir Path directory;

  private static void loadNative() {
    assumeTrue(Files.isDirectory(Path.of(System.getProperty("steno.native", ""), "META-INF")), "no native library was built");
    assertNull(Native.load());
  }

  private Path file() throws IOException {
    return Files.createFile(directory.resolve("consumer"));
  }

  @Test
  void nativeOneExcludesOthers() throws IOException {
    loadNative();
    Path file = file();
    try (StagingLock lock = StagingLock.take(file, NATIVE)) {
      assertNotNull(lock);
      for (int look = 0; look < 2; look++) {  // that Java opens and closes the file does not end it
        assertFalse(StagingLock.canTake(file, true, NATIVE));
        assertFalse(StagingLock.canTake(file, true, JAVA));
        assertFalse(StagingLock.canTake(file, false, JAVA));
      }
    }
    assertTrue(StagingLock.canTake(file, false, NATIVE));
    assertTrue(StagingLock.canTake(file, false, JAVA));
  }

  @Test
  void javasExcludesNativeOnes() throws IOException {
    loadNative();
    Path file = file();
    try (StagingLock lock = StagingLock.tryToTake(file, false, JAVA)) {
      assertNotNull(lock);
      assertNull(StagingLock.tryToTake(file, true, NATIVE));
    }
    assertTrue(StagingLock.canTake(file, false, NATIVE));
  }

  @Test
  void sharedOnesExcludeExclusiveOnes() throws IOException {
    loadNative();
    Path file = file();
    try (StagingLock lock = StagingLock.tryToTake(file, true, NATIVE)) {
      assertNotNull(lock);
      assertTrue(StagingLock.canTake(file, true, NATIVE));
      assertFalse(StagingLock.canTake(file, false, NATIVE));
    }
  }

  @Test
  void fileThatIsNotThereIsRefused() {
    loadNative();
    Path file = directory.resolve("consumer");
    assertThrows(IOException.class, () -> StagingLock.tryToTake(file, true, NATIVE));
    assertThrows(IOException.class, () -> StagingLock.take(file, NATIVE));
  }
}
