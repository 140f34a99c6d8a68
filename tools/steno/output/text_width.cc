#include "output/text_width.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "text/utf8.h"

namespace steno::cli {
namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

// By Unicode's East_Asian_Width W and F, emoji among them; what is unassigned in between counts as its neighbours.
constexpr CodeRange kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
    {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

// Marks that combine, and what is not visible.
constexpr CodeRange kNone[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},
    {0x06D6, 0x06DC}, {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

template <std::size_t N>
bool is_in(const CodeRange (&ranges)[N], std::uint32_t code) {
  const CodeRange* const after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](std::uint32_t c, const CodeRange& range) { return c < range.first; });
  return after != std::begin(ranges) && code <= (after - 1)->last;
}

std::size_t columns_of(std::uint32_t code) {
  if (code < 0x300) return 1;
  return is_in(kNone, code) ? 0 : is_in(kWide, code) ? 2 : 1;
}

// The size in bytes of the character at `at`, and its width. A byte that is no character takes a column.
std::size_t next_character(std::string_view text, std::size_t at, std::size_t* width) {
  std::uint32_t code = 0;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::size_t size = text::decode_utf8(bytes + at, text.size() - at, &code);
  *width = size == 0 ? 1 : columns_of(code);
  return std::max<std::size_t>(size, 1);
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t all = 0;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); all += width) at += next_character(text, at, &width);
  return all;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = text_width(text);
  const std::string room(own < width ? width - own : 0, ' ');
  return right ? room + text : text + room;
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (width == 0 || text_width(text) <= width) return text;
  std::size_t at = 0;
  std::size_t taken = 0;
  for (;;) {
    std::size_t one = 0;
    const std::size_t size = next_character(text, at, &one);
    if (taken + one + 1 > width) break;
    taken += one;
    at += size;
  }
  return text.substr(0, at) + "\u2026";
}

}  // namespace steno::cli
