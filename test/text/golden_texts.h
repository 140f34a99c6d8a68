// The lines of golden/texts.tsv.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"

namespace steno::text::testing {

inline std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

inline UInt128 read_hex(std::string_view digits) {
  UInt128 number = 0;
  for (const char c : digits) number = number << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  return number;
}

inline Argument read_value(ArgType type, std::string_view text) {
  if (type == ArgType::kString) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) bytes += static_cast<char>(read_hex(text.substr(i, 2)));
    return Argument::string(bytes);
  }
  const UInt128 bits = read_hex(text);
  if (fixed_size(type) == 16) return Argument::wide(type, bits);
  if (!is_signed_integer(type)) return Argument::integer(type, static_cast<std::uint64_t>(bits));
  const auto shift = static_cast<unsigned>(64 - 8 * fixed_size(type));
  return Argument::integer(type, static_cast<std::uint64_t>(signed_bits(static_cast<std::uint64_t>(bits), shift)));
}

// A line of the file; format and text are escaped.
struct GoldenText {
  std::string style, type, value, format, text;
};

inline std::vector<GoldenText> golden_texts(const char* path) {
  std::vector<GoldenText> all;
  std::ifstream file(path);
  GoldenText line;
  while (std::getline(file, line.style, '\t') && std::getline(file, line.type, '\t') &&
         std::getline(file, line.value, '\t') && std::getline(file, line.format, '\t') &&
         std::getline(file, line.text)) {
    all.push_back(line);
  }
  return all;
}

}  // namespace steno::text::testing
