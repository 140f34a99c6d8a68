package io.github.steno;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class Xxh3Test {
  /** Size and hash, by {@code spec/reference/xxh3.py}: byte i is 7 i + size. */
  private static final long[][] KNOWN = {
      {0, 0x2d06800538d394c2L},
      {1, 0xe12ef9d2eb86ceebL},
      {3, 0xa9088dda485b481cL},
      {4, 0x57648c318a7a307eL},
      {8, 0xb0fb3e3c3f94990aL},
      {9, 0x8aca5cb309437c2eL},
      {16, 0x2bd926d88792965aL},
      {17, 0x621f018aad19b14aL},
      {128, 0xe9549af9a74093e6L},
      {129, 0xb54ad1cd8a4c84b9L},
      {240, 0x3e136902ec966624L},
      {241, 0xbd7d29b6ba966d6aL},
      {1000, 0x918d265b440e5611L},
      {1025, 0xc856c953bbdbc807L},
      {5000, 0x308f149a673a1625L},
  };

  @Test
  void hashesOfAllSizesAreThoseOfTheReference() {
    for (long[] known : KNOWN) {
      byte[] data = new byte[(int) known[0]];
      for (int i = 0; i < data.length; i++) data[i] = (byte) (i * 7 + data.length);
      assertEquals(known[1], Xxh3.hash(data), "of " + data.length + " bytes");
    }
  }
}
