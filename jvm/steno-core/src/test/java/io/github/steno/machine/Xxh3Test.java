package io.github.steno.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class Xxh3Test {
  private static final long SEED = 0xFEDCBA98L;
  /** Size, hash and that with {@link #SEED}, by {@code spec/reference/xxh3.py}: byte i is 7 i + size. */
  private static final long[][] KNOWN = {
      {0, 0x2d06800538d394c2L, 0x8e98ad88212f5f70L},
      {1, 0xe12ef9d2eb86ceebL, 0x80def970c2e5c643L},
      {3, 0xa9088dda485b481cL, 0x07990afee2574359L},
      {4, 0x57648c318a7a307eL, 0xad3f18735d37f431L},
      {8, 0xb0fb3e3c3f94990aL, 0xe1f36ab3488a8c63L},
      {9, 0x8aca5cb309437c2eL, 0x7b02255782a5f4b0L},
      {16, 0x2bd926d88792965aL, 0x4278a4bb9ad9cc9fL},
      {17, 0x621f018aad19b14aL, 0xfd3da240a195006dL},
      {128, 0xe9549af9a74093e6L, 0x418ff93fb248b1b6L},
      {129, 0xb54ad1cd8a4c84b9L, 0x71d68d11f7b4264dL},
      {240, 0x3e136902ec966624L, 0x9510c07a4f071ff6L},
      {241, 0xbd7d29b6ba966d6aL, 0x136c73d22e999173L},
      {1000, 0x918d265b440e5611L, 0x7e14da9063ab85b3L},
      {1025, 0xc856c953bbdbc807L, 0x69f3d6b51640c24aL},
      {5000, 0x308f149a673a1625L, 0x357a5eafdb3fa167L},
  };

  @Test
  void hashesOfAllSizesAreThoseOfTheReference() {
    for (long[] known : KNOWN) {
      byte[] data = new byte[(int) known[0]];
      for (int i = 0; i < data.length; i++) data[i] = (byte) (i * 7 + data.length);
      assertEquals(known[1], Xxh3.hash(data), "of " + data.length + " bytes");
      assertEquals(known[2], Xxh3.hash(data, SEED), "of " + data.length + " bytes with a seed");
    }
  }
}
