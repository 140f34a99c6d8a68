// The parts that a column of template strings consists of, for those that take strings apart (file.md §9.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/strings/codec.h"

namespace steno::format {

struct TemplateParts {
  std::size_t longest = 0;                          // bytes of a string
  std::span<const std::uint32_t> words;             // how many each template has
  std::span<const std::uint32_t> places;            // the column of each of these words
  std::span<const StringRef> texts;                 // around them
  std::span<const std::uint32_t> lines;             // how many strings have each template
  std::span<const std::uint32_t> indices;           // of each string: its template + 1, or 0
  std::span<const std::vector<StringRef>> columns;  // the words
  std::span<const std::uint64_t> keys;              // what each of these columns is known by
  std::span<const StringRef> others;                // strings without a template
};

// Appends the column, codec byte not included.
void append_templates(const TemplateParts& parts, const StringContext& context, ByteBuffer& out);

}  // namespace steno::format
