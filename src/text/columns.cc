#include "text/columns.h"

#include <algorithm>
#include <cstdint>

#include "text/utf8.h"

namespace steno::text {
namespace {

struct WideRange {
  std::uint32_t first;
  std::uint32_t last;
};
// The wide ranges are those of C++20 ([format.string.std]), whatever later versions of Unicode do.
constexpr WideRange kWide[] = {
    {0x1100, 0x115F},   {0x2329, 0x232A},   {0x2E80, 0x303E},   {0x3040, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};

std::size_t columns_of(std::uint32_t code) {
  if (code < kWide[0].first) return 1;
  const WideRange* const range = std::lower_bound(std::begin(kWide), std::end(kWide), code,
                                                  [](const WideRange& r, std::uint32_t c) { return r.last < c; });
  return range != std::end(kWide) && code >= range->first ? 2 : 1;
}

// Calls on_character(size, columns) until it returns false.
template <class OnCharacter>
void each_character(std::string_view text, OnCharacter on_character) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
  for (const std::uint8_t* const end = p + text.size(); p != end;) {
    std::uint32_t code = 0;
    const std::size_t size = decode_utf8(p, static_cast<std::size_t>(end - p), &code);
    if (!on_character(std::max<std::size_t>(size, 1), size == 0 ? 1 : columns_of(code))) return;
    p += std::max<std::size_t>(size, 1);
  }
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t sum = 0;
  each_character(text, [&](std::size_t, std::size_t columns) {
    sum += columns;
    return true;
  });
  return sum;
}

std::size_t size_of_columns(std::string_view text, std::size_t columns) {
  if (columns >= 2 * text.size()) return text.size();
  std::size_t end = 0;
  std::size_t sum = 0;
  each_character(text, [&](std::size_t size, std::size_t more) {
    sum += more;
    if (sum > columns) return false;
    end += size;
    return true;
  });
  return end;
}

}  // namespace steno::text
