package io.github.steno.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests which library is taken from the jar, and that it is one for that platform. */
class NativeTest {
  /** The numbers that processors have in the ELF format. */
  private static final Map<String, Integer> PROCESSORS = Map.of("x86_64", 62, "aarch64", 183);
  private static final int PROCESSOR = 18;

  @Test
  void theLibraryIsThatOfProcessorAndCLibrary() {
    assertEquals("linux-x86_64", Native.platform("Linux", "amd64", false));
    assertEquals("linux-x86_64-musl", Native.platform("Linux", "amd64", true));
    assertEquals("linux-aarch64", Native.platform("Linux", "aarch64", false));
    assertEquals("linux-aarch64-musl", Native.platform("Linux", "aarch64", true));
    assertNull(Native.platform("Linux", "riscv64", false));
    assertNull(Native.platform("Mac OS X", "aarch64", false));
  }

  @Test
  void eachLibraryIsForItsPlatform() throws Exception {
    Path folder = Path.of(System.getProperty("steno.native", ""), "META-INF", "native");
    assumeTrue(Files.isDirectory(folder), "there is no native library in this build");
    try (var platforms = Files.newDirectoryStream(folder)) {
      for (Path platform : platforms) {
        String name = platform.getFileName().toString();
        byte[] library = Files.readAllBytes(platform.resolve("libsteno_jvm.so"));
        int processor = ByteBuffer.wrap(library).order(ByteOrder.LITTLE_ENDIAN).getShort(PROCESSOR);
        assertEquals(PROCESSORS.get(name.split("-")[1]), processor, name);
        // The GNU library's symbols have versions, musl's have none.
        boolean isGnu = new String(library, StandardCharsets.ISO_8859_1).contains("GLIBC_2.");
        assertTrue(isGnu != name.endsWith("-musl"), name);
      }
    }
  }
}
