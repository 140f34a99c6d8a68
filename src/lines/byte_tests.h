// Tests of sixteen bytes at a time, by the compiler's vectors, which all machines have.
#pragma once

#include <cstdint>
#include <cstring>

namespace steno::lines {

typedef std::uint8_t Bytes __attribute__((vector_size(16)));

inline bool any(Bytes x) {
  std::uint64_t halves[2];
  std::memcpy(halves, &x, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// Lanes that are not 0 where a byte is a control character.
inline Bytes controls(Bytes x) {
  return static_cast<Bytes>(x < 0x20) | static_cast<Bytes>(x == 0x7F);
}

// Tests for bytes that may need an escape in text: their lanes are not 0.
struct NoTest {
  static Bytes suspicious(Bytes) { return Bytes{}; }
};
struct ControlsTest {
  // C1 controls are C2 80 .. C2 9F in UTF-8. Tabs stay as they are.
  static Bytes suspicious(Bytes x) {
    return (controls(x) & static_cast<Bytes>(x != '\t')) | static_cast<Bytes>(x == 0xC2);
  }
};
struct TerminalTest {
  static Bytes suspicious(Bytes x) {
    return (controls(x) & static_cast<Bytes>(x != '\t')) | static_cast<Bytes>(x >= 0x80);
  }
};

}  // namespace steno::lines
