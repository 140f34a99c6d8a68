// A column as texts: each distinct one once where that is had for nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "query/statistics/parts.h"

namespace steno::query {

// Returns whether values of the type are distinguished by what they print as, rather than by their bits.
bool counts_as_text(ArgType type);

// Texts in a row, numbered from 0 on. Views of them are good until the table changes or is moved.
class TextTable {
 public:
  void add(std::string_view text) {
    characters_ += text;
    ends_.push_back(characters_.size());
  }
  void clear() {
    characters_.clear();
    ends_.clear();
  }
  bool empty() const { return ends_.empty(); }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(characters_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string characters_;
  std::vector<std::size_t> ends_;
};

struct TextCodes {
  TextTable texts;                   // as `{}` prints them: UTF-8, "(null)" for null
  std::vector<std::uint32_t> codes;  // per row; of rows that are not kept: any that there is
};

// Into *out, whose memory is used again. Both are empty if the column is damaged.
void read_texts(const Part& part, std::uint32_t column, TextCodes* out);

}  // namespace steno::query
