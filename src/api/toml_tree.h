// A TOML file as a tree of plain values, each with its line and column. Hides the parser from all other code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steno/status.h"

namespace steno::api {

struct TomlNode {
  enum class Kind : std::uint8_t { kBool, kInteger, kString, kArray, kTable, kOther };  // kOther: reals and dates
  Kind kind = Kind::kTable;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string string;
  std::string key;                 // in its table
  std::vector<TomlNode> children;  // of a table in the order of the file, or of an array
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// "LINE:COLUMN: what is wrong" where it is no TOML. kUnsupported: steno was built without a parser for it.
Result<TomlNode> parse_toml(std::string_view text);

}  // namespace steno::api
