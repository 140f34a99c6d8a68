// Kinds of lines: lines that are the same but for the words that vary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/strings/templates/cut.h"

namespace steno::format {

struct LineKind {
  std::uint64_t hash = 0;     // of what its lines have in common
  std::uint32_t example = 0;  // the first line that has it
  std::uint32_t lines = 0;
  WordMask varying = 0;  // its words that vary, of those without a digit
};

// A hash table of them; memory: kMost. Used again and again.
class LineKinds {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 15;  // kinds that are told apart
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void clear();
  // Adds the lines of a kind, which may be known. Its number, or kNone: too many are known.
  std::uint32_t add(const LineKind& kind);
  // In the order in which they came.
  std::vector<LineKind>& all() { return all_; }

 private:
  void grow();

  std::vector<LineKind> all_;
  std::vector<std::uint32_t> slots_;  // kind + 1
};

}  // namespace steno::format
