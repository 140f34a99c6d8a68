// A column as texts: each distinct one once where that is had for nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/statistics/parts.h"

namespace steno::query {

// Returns whether values of the type are distinguished by what they print as, rather than by their bits.
bool counts_as_text(ArgType type);

struct TextCodes {
  std::vector<std::string> texts;    // as `{}` prints them: UTF-8, "(null)" for null
  std::vector<std::uint32_t> codes;  // per row; of rows that are not kept: anything
};

// Empty if the column is damaged.
TextCodes read_texts(const Part& part, std::uint32_t column);

}  // namespace steno::query
