// Values of arguments with the memory that they view, and what a printer makes of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "text/printer.h"
#include "text/value.h"

namespace steno::text::testing {

// A value with the memory that it views. Moves keep the views valid; copies would not.
struct Argument {
  Value value;
  std::vector<std::uint8_t> memory;  // of wide numbers and strings

  Argument() = default;
  Argument(Argument&&) = default;
  Argument& operator=(Argument&&) = default;

  static Argument integer(ArgType type, std::uint64_t bits) {
    Argument a;
    a.value.type = type;
    a.value.bits = bits;
    return a;
  }
  template <class T>
  static Argument floating(ArgType type, T number) {
    Argument a;
    a.value.type = type;
    if (sizeof(T) <= 8) {
      std::memcpy(&a.value.bits, &number, sizeof number);
    } else {
      a.memory.resize(16);
      std::memcpy(a.memory.data(), &number, type == ArgType::kF80 ? 10 : 16);
      a.value.wide = a.memory.data();
    }
    return a;
  }
  static Argument wide(ArgType type, UInt128 bits) {
    Argument a;
    a.value.type = type;
    a.memory.resize(16);
    std::memcpy(a.memory.data(), &bits, 16);
    a.value.wide = a.memory.data();
    return a;
  }
  // `units` as they lie in memory; the copy is never null, even when empty.
  static Argument string(ArgType type, const void* units, std::size_t bytes) {
    Argument a;
    a.value.type = type;
    a.memory.resize(bytes + 1);
    if (bytes != 0) std::memcpy(a.memory.data(), units, bytes);
    a.value.string = {reinterpret_cast<const char*>(a.memory.data()), bytes};
    return a;
  }
  static Argument string(std::string_view text) { return string(ArgType::kString, text.data(), text.size()); }
  static Argument string(std::u16string_view text) { return string(ArgType::kString16, text.data(), 2 * text.size()); }
  static Argument string(std::u32string_view text) { return string(ArgType::kString32, text.data(), 4 * text.size()); }
  static Argument null(ArgType type) {
    Argument a;
    a.value.type = type;
    return a;
  }
};

inline std::vector<Value> values_of(const std::vector<Argument>& arguments) {
  std::vector<Value> values;
  for (const Argument& a : arguments) values.push_back(a.value);
  return values;
}

inline std::string types_of(const std::vector<Argument>& arguments) {
  std::string types;
  for (const Argument& a : arguments) types += static_cast<char>(a.value.type);
  return types;
}

inline std::string printed_values(const Printer& printer, const std::vector<Value>& values) {
  ByteBuffer out;
  printer.print(values, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

}  // namespace steno::text::testing
