#include "format/strings/shapes/words.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace steno::format {
namespace {

using Words = std::span<const std::string_view>;

// A word that is the same in so many strings is taken for a constant.
constexpr std::size_t kSureOfConstant = 12;
// Fewer digits are rather the letters of a word.
constexpr std::size_t kLeastHexDigits = 4;

bool all_digits(std::string_view word, PieceKind kind) {
  return std::all_of(word.begin(), word.end(),
                     [kind](char c) { return is_digit_of(kind, static_cast<std::uint8_t>(c)); });
}

bool all_digits(Words words, PieceKind kind) {
  return std::all_of(words.begin(), words.end(), [kind](std::string_view word) { return all_digits(word, kind); });
}

bool all_equal(Words words) {
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) { return word == words[0]; });
}

bool all_equally_long(Words words) {
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) { return word.size() == words[0].size(); });
}

std::uint64_t value_of(std::string_view digits, PieceKind kind) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    value = value * (kind == PieceKind::kDecimal ? 10 : 16) + digit;
  }
  return value;
}

// One piece for words of digits, none of more than most_digits(kind).
void append_number(Words words, PieceKind kind, std::size_t width, bool exact, Shape* shape, ShapeEstimate* estimate) {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  for (const std::string_view word : words) {
    const std::uint64_t value = value_of(word, kind);
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  estimate->shaped += static_cast<std::size_t>(std::bit_width(greatest - least)) * words.size();
  Piece piece;
  piece.kind = kind;
  piece.width = static_cast<std::uint8_t>(width);
  piece.exact = exact;
  shape->pieces.push_back(std::move(piece));
}

// Words of digits that are equally long, in as many pieces as their digits need.
void append_digits(Words words, PieceKind kind, Shape* shape, ShapeEstimate* estimate) {
  const std::size_t size = words[0].size();
  std::vector<std::string_view> parts(words.size());
  for (std::size_t at = 0; at < size;) {
    const std::size_t n = std::min(size - at, most_digits(kind));
    std::transform(words.begin(), words.end(), parts.begin(),
                   [&](std::string_view word) { return word.substr(at, n); });
    append_number(parts, kind, n, true, shape, estimate);
    at += n;
  }
}

// Numbers with or without leading zeros.
bool append_decimal(Words words, Shape* shape, ShapeEstimate* estimate) {
  if (!all_digits(words, PieceKind::kDecimal)) return false;
  std::size_t shortest = SIZE_MAX;
  std::size_t longest = 0;
  std::size_t padded = 1;
  for (const std::string_view word : words) {
    shortest = std::min(shortest, word.size());
    longest = std::max(longest, word.size());
    if (word[0] == '0') padded = std::max(padded, word.size());
  }
  if (longest > kMaxDecimalDigits) {
    if (shortest != longest) return false;
    append_digits(words, PieceKind::kDecimal, shape, estimate);
    return true;
  }
  if (padded > shortest) return false;
  append_number(words, PieceKind::kDecimal, padded, false, shape, estimate);
  return true;
}

bool append_hex(Words words, Shape* shape, ShapeEstimate* estimate) {
  const std::size_t size = words[0].size();
  if (size < kLeastHexDigits || !all_equally_long(words)) return false;
  const auto with_decimal_digit = static_cast<std::size_t>(std::count_if(words.begin(), words.end(), [](auto word) {
    return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  }));
  if (with_decimal_digit * 4 < words.size() * 3) return false;  // rather words of a language
  for (const PieceKind kind : {PieceKind::kLowerHex, PieceKind::kUpperHex}) {
    if (!all_digits(words, kind)) continue;
    append_digits(words, kind, shape, estimate);
    return true;
  }
  return false;
}

// Hexadecimal numbers after 0x, as they are printed without a width.
bool append_prefixed_hex(Words words, Shape* shape, ShapeEstimate* estimate) {
  std::vector<std::string_view> digits;
  for (const std::string_view word : words) {
    if (word.size() < 3 || word.size() > 2 + kMaxHexDigits || word.substr(0, 2) != "0x") return false;
    digits.push_back(word.substr(2));
  }
  if (!all_digits(digits, PieceKind::kLowerHex)) return false;
  const bool equally_long = all_equally_long(digits);
  const bool padded =
      std::any_of(digits.begin(), digits.end(), [](std::string_view d) { return d.size() > 1 && d[0] == '0'; });
  if (padded && !equally_long) return false;
  append_constant("0x", shape);
  append_number(digits, PieceKind::kLowerHex, padded ? digits[0].size() : 1, padded, shape, estimate);
  return true;
}

// How many bytes at the beginning of a word are digits, or are not.
std::size_t same_kind(std::string_view word) {
  const bool digits = is_digit_of(PieceKind::kDecimal, static_cast<std::uint8_t>(word[0]));
  std::size_t n = 1;
  while (n < word.size() && is_digit_of(PieceKind::kDecimal, static_cast<std::uint8_t>(word[n])) == digits) ++n;
  return n;
}

// Letters that are the same in all words, and numbers: `user0007087`, `22T03`, `15ms`.
bool append_mixed(Words words, Shape* shape, ShapeEstimate* estimate) {
  constexpr std::size_t kMostParts = 6;
  Shape parts;
  ShapeEstimate cost;
  std::vector<std::string_view> rest(words.begin(), words.end());
  std::vector<std::string_view> heads(words.size());
  for (std::size_t k = 0; !rest[0].empty(); ++k) {
    if (k == kMostParts) return false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i].empty()) return false;
      const std::size_t n = same_kind(rest[i]);
      heads[i] = rest[i].substr(0, n);
      rest[i].remove_prefix(n);
    }
    if (all_equal(heads) && !all_digits(heads, PieceKind::kDecimal)) {
      append_constant(heads[0], &parts);
    } else if (!append_decimal(heads, &parts, &cost)) {
      return false;
    }
  }
  if (std::any_of(rest.begin(), rest.end(), [](std::string_view r) { return !r.empty(); })) return false;
  for (Piece& piece : parts.pieces) {
    if (piece.kind == PieceKind::kConstant) {
      append_constant(piece.text, shape);
    } else {
      shape->pieces.push_back(std::move(piece));
    }
  }
  estimate->shaped += cost.shaped;
  return true;
}

void append_text(Words words, Shape* shape, ShapeEstimate* estimate) {
  std::size_t bytes = 0;
  for (const std::string_view word : words) bytes += word.size();
  const std::size_t distinct = count_distinct(words);
  std::size_t bits = 8 * bytes + kLengthBits * words.size();
  // Few different ones become a dictionary, which repeated ones share.
  if (distinct * 2 <= words.size()) {
    bits = static_cast<std::size_t>(std::bit_width(distinct)) * words.size() + bits / 16;
  }
  estimate->shaped += bits;
  estimate->texts += bits;
  Piece piece;
  piece.kind = PieceKind::kText;
  shape->pieces.push_back(std::move(piece));
}

}  // namespace

bool has_shape(Words words) {
  Shape shape;
  ShapeEstimate estimate;
  append_word(words, &shape, &estimate);
  return shape.pieces.back().kind != PieceKind::kText;
}

std::uint32_t word_class(std::string_view word) {
  constexpr std::uint32_t kDecimalClass = 1;
  constexpr std::uint32_t kLetters = 2;
  constexpr std::uint32_t kLowerHexClass = 3;
  constexpr std::uint32_t kUpperHexClass = 4;
  constexpr std::uint32_t kMixed = 5;
  const auto of_size = [&](std::uint32_t kind) { return kind | static_cast<std::uint32_t>(word.size()) << 3; };
  if (all_digits(word, PieceKind::kDecimal))
    return word.size() <= kMaxDecimalDigits ? kDecimalClass : of_size(kDecimalClass);
  if (same_kind(word) == word.size()) return kLetters;
  if (word.size() >= kLeastHexDigits && all_digits(word, PieceKind::kLowerHex)) return of_size(kLowerHexClass);
  if (word.size() >= kLeastHexDigits && all_digits(word, PieceKind::kUpperHex)) return of_size(kUpperHexClass);
  return kMixed;
}

std::size_t count_distinct(Words words) {
  std::vector<std::string_view> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

void append_constant(std::string_view text, Shape* shape) {
  if (text.empty()) return;
  if (shape->pieces.empty() || shape->pieces.back().kind != PieceKind::kConstant) shape->pieces.emplace_back();
  shape->pieces.back().text += text;
}

void append_word(Words words, Shape* shape, ShapeEstimate* estimate) {
  if (words.size() >= kSureOfConstant && all_equal(words)) return append_constant(words[0], shape);
  if (append_decimal(words, shape, estimate) || append_hex(words, shape, estimate) ||
      append_prefixed_hex(words, shape, estimate) || append_mixed(words, shape, estimate)) {
    return;
  }
  append_text(words, shape, estimate);
}

}  // namespace steno::format
