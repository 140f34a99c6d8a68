// The ids of codecs: the first byte of each column (file.md §9).
#pragma once

#include <cstdint>

namespace steno::format {

enum class CodecId : std::uint8_t {
  kRaw = 0,
  kConstant = 1,
  kFrameOfReference = 2,
  kDelta = 3,
  kDictionary = 4,
  kDecimal = 5,
  kEntropy = 6,
  kRelated = 7,
  kShownBytes = 27,  // of strings, but only a whole argument's (shown_columns.h)
#define STENO_STRING_CODEC(id, number, descriptor) id = number,
#define STENO_STRING_WRITER(descriptor)
#include "format/strings/codecs.inc"
};

// Columns of strings have ids from here on.
inline constexpr CodecId kFirstOfStrings = CodecId::kStrings;

}  // namespace steno::format
