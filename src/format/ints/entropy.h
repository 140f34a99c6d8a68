// The memory of the entropy codec between estimate and encoding (file.md §9.2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/ints/rans.h"

namespace steno::format {

// How an offset becomes a token and bits: one below 2^direct is its token; else the token says where its highest bit is
// and the `detail` bits after that.
struct TokenForm {
  unsigned direct = 8;
  unsigned detail = 3;
};

// How a column becomes offsets, and these tokens.
struct EntropyChoice {
  enum class Base : std::uint8_t { kLeast, kMiddle, kLow };  // of the values or differences

  bool of_differences = false;
  bool of_both_signs = false;  // offsets lie on both sides of the base
  Base from = Base::kLeast;
  TokenForm form;
  bool may_have_contexts = true;  // false: it is known that tokens tell little of those after them
};

struct EntropyScratch {
  // The choices that estimate() has, and the most bytes that encoding may plan.
  bool values = true;
  bool differences = true;
  std::size_t limit = SIZE_MAX;
  // The choice that it made; the caller's, where the column is taken to be like another one.
  EntropyChoice choice;
  std::uint64_t base = 0;  // unless it is the least value
  // The bytes that encoding planned: more than the bytes of small columns.
  std::size_t planned = 0;

  std::vector<std::uint64_t> offsets;
  std::vector<std::uint16_t> ids;
  std::vector<std::uint8_t> tokens;
  RansEncoder rans;
};

}  // namespace steno::format
