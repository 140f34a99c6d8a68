#include "lines/unseen.h"

#include <algorithm>
#include <iterator>

namespace steno::lines {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode 15: Bidi_Control, Default_Ignorable_Code_Point (unassigned ones too, but variation selectors 1-16), what else
// of category Cf is not drawn, and the separators of lines and paragraphs.
constexpr Range kUnseen[] = {
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors, vowel separator
    {0x200B, 0x200F},    // zero width space, joiners, direction marks
    {0x2028, 0x202E},    // line, paragraph; embeddings, overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates, deprecated ones
    {0x3164, 0x3164},    // Hangul filler
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // half-width Hangul filler
    {0xFFF0, 0xFFFB},    // interlinear annotations
    {0x13430, 0x1343F},  // of hieroglyphs
    {0x1BCA0, 0x1BCA3},  // of shorthand
    {0x1D173, 0x1D17A},  // of music
    {0xE0000, 0xE0FFF},  // tags, variation selectors 17-256
};

}  // namespace

bool is_unseen(std::uint32_t code) {
  if (code < kUnseen[0].first) return false;
  const auto* range = std::upper_bound(std::begin(kUnseen), std::end(kUnseen), code,
                                       [](std::uint32_t c, const Range& r) { return c < r.first; });
  return code <= (range - 1)->last;
}

}  // namespace steno::lines
