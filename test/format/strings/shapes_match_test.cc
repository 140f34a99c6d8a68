// Taking strings apart by shapes, held against a plain reading of what a shape says (file.md §9.4).
#include "format/strings/shapes/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace steno::format {
namespace {

using Rng = std::mt19937_64;

struct Parts {
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> texts;
  bool operator==(const Parts&) const = default;
};

// A byte at a time. A text goes as far as word bytes do, a number as far as its digits.
std::optional<Parts> read_as(const Shape& shape, const std::string& s) {
  Parts parts;
  std::size_t at = 0;
  for (const Piece& piece : shape.pieces) {
    if (piece.kind == PieceKind::kConstant) {
      if (s.compare(at, piece.text.size(), piece.text) != 0) return std::nullopt;
      at += piece.text.size();
    } else if (piece.kind == PieceKind::kText) {
      const std::size_t begin = at;
      while (at < s.size() && is_word_byte(static_cast<std::uint8_t>(s[at]))) ++at;
      parts.texts.push_back(s.substr(begin, at - begin));
    } else {
      const std::size_t begin = at;
      const std::size_t most = piece.exact ? piece.width : most_digits(piece.kind);
      while (at < s.size() && at - begin < most && is_digit_of(piece.kind, static_cast<std::uint8_t>(s[at]))) ++at;
      const std::size_t size = at - begin;
      if (size < piece.width || (size > piece.width && s[begin] == '0')) return std::nullopt;
      parts.numbers.push_back(std::stoull(s.substr(begin, size), nullptr, piece.kind == PieceKind::kDecimal ? 10 : 16));
    }
  }
  return at == s.size() ? std::optional(parts) : std::nullopt;
}

Piece random_piece(Rng& rng) {
  static const std::string kTexts[] = {"/",           ":",          "a",    std::string(1, '\0'), "request ", "1", "0x",
                                       "\"items\":[", "abcdefghij", "\x80", "12345678901234567",  "abcdefgi"};
  Piece piece;
  piece.kind = static_cast<PieceKind>(rng() % 5);
  if (piece.kind == PieceKind::kConstant) {
    piece.text = kTexts[rng() % std::size(kTexts)];
  } else if (piece.is_number()) {
    piece.exact = rng() % 2 == 0;
    piece.width = static_cast<std::uint8_t>(1 + rng() % (rng() % 4 == 0 ? most_digits(piece.kind) : 4));
  }
  return piece;
}

// Many of them begin alike.
std::vector<Shape> random_shapes(Rng& rng) {
  std::vector<Shape> shapes;
  const std::size_t count = 1 + rng() % kMaxShapes;
  while (shapes.size() < count) {
    Shape shape;
    if (!shapes.empty() && rng() % 4 != 0) {
      shape = shapes[rng() % shapes.size()];
      shape.pieces.resize(rng() % (shape.pieces.size() + 1));
    }
    for (std::size_t n = rng() % 6; n != 0; --n) shape.pieces.push_back(random_piece(rng));
    shapes.push_back(shape);
  }
  return shapes;
}

std::string random_string(const Shape& shape, Rng& rng) {
  static const std::string kWords[] = {"", "a", "Word", "caf\xC3\xA9s", "averylongwordindeed", "x12345678", "0", "ABC"};
  std::string s;
  for (const Piece& piece : shape.pieces) {
    if (piece.is_number()) {
      const std::size_t size =
          piece.exact ? piece.width : piece.width + rng() % (most_digits(piece.kind) + 1 - piece.width);
      const char* digits = piece.kind == PieceKind::kUpperHex ? "0123456789ABCDEF" : "0123456789abcdef";
      for (std::size_t i = 0; i < size; ++i) s += digits[rng() % (piece.kind == PieceKind::kDecimal ? 10 : 16)];
    } else {
      s += piece.kind == PieceKind::kText ? kWords[rng() % std::size(kWords)] : piece.text;
    }
  }
  if (rng() % 4 == 0 && !s.empty()) s[rng() % s.size()] = static_cast<char>(rng());
  if (rng() % 8 == 0) s.resize(rng() % (s.size() + 1));
  if (rng() % 8 == 0) s += static_cast<char>(rng());
  return s;
}

// A string with just as many bytes before it as StringRef promises, and none after.
struct Placed {
  explicit Placed(const std::string& s)
      : memory(std::make_unique<std::uint8_t[]>(16 + s.size())),
        ref{memory.get() + 16, static_cast<std::uint32_t>(s.size())} {
    if (!s.empty()) std::memcpy(memory.get() + 16, s.data(), s.size());
  }

  std::unique_ptr<std::uint8_t[]> memory;
  StringRef ref;
};

TEST(ShapeMatcher, TakesApartWhatAPlainReadingDoes) {
  Rng rng(1);
  ShapeMatcher matcher;
  ShapeParts found;
  std::size_t matched = 0;
  for (int round = 0; round < 400; ++round) {
    const std::vector<Shape> shapes = random_shapes(rng);
    matcher.set(shapes);
    ASSERT_EQ(matcher.size(), shapes.size());
    for (int i = 0; i < 60; ++i) {
      const std::string s = random_string(shapes[rng() % shapes.size()], rng);
      const Placed placed(s);
      const std::size_t guess = rng() % shapes.size();
      std::size_t expected = guess;
      std::optional<Parts> parts = read_as(shapes[guess], s);
      for (std::size_t k = 0; k < shapes.size() && !parts; ++k) parts = read_as(shapes[expected = k], s);
      if (!parts) expected = shapes.size();
      const std::size_t k = matcher.match(placed.ref, guess, &found);
      ASSERT_EQ(k, expected) << ::testing::PrintToString(s);
      if (k == shapes.size()) continue;
      ++matched;
      Parts taken;
      taken.numbers.assign(found.numbers, found.numbers + shapes[k].numbers());
      for (std::size_t t = 0; t < shapes[k].texts(); ++t) {
        taken.texts.emplace_back(reinterpret_cast<const char*>(found.texts[t].data), found.texts[t].size);
      }
      ASSERT_TRUE(taken == *parts) << ::testing::PrintToString(s);
    }
  }
  EXPECT_GT(matched, 10'000u);  // else little was tried
}

constexpr std::size_t kBatch = ShapeMatcher::kBatch;

// The parts of one shape, as match_batch() stores them.
struct Rows {
  std::vector<std::array<std::uint64_t, kBatch>> numbers;
  std::vector<std::array<StringRef, kBatch>> texts;
  ShapeRows rows;

  explicit Rows(const Shape& shape) : numbers(shape.numbers()), texts(shape.texts()) {
    for (std::size_t p = 0; p < numbers.size(); ++p) rows.numbers[p] = numbers[p].data();
    for (std::size_t p = 0; p < texts.size(); ++p) rows.texts[p] = texts[p].data();
  }
  Parts parts_of(std::size_t k) const {
    Parts parts;
    for (const auto& column : numbers) parts.numbers.push_back(column[k]);
    for (const auto& column : texts) {
      parts.texts.emplace_back(reinterpret_cast<const char*>(column[k].data), column[k].size);
    }
    return parts;
  }
};

TEST(ShapeMatcher, TakesManyApartWhichAPlainReadingDoes) {
  constexpr std::size_t kLongest = 63;
  Rng rng(2);
  ShapeMatcher matcher;
  std::size_t matched = 0;
  for (int round = 0; round < 2'000; ++round) {
    const std::vector<Shape> shapes = random_shapes(rng);
    matcher.set(shapes);
    const std::size_t k = rng() % shapes.size();
    std::vector<std::string> strings;
    std::vector<Placed> placed;
    std::vector<StringRef> refs;
    for (std::size_t i = 0; i < kBatch; ++i) {
      strings.push_back(random_string(shapes[rng() % 8 == 0 ? rng() % shapes.size() : k], rng));
      strings.back().resize(std::min(strings.back().size(), kLongest));
      refs.push_back(placed.emplace_back(strings.back()).ref);
      if (rng() % 64 == 0) refs.back().size = kNullString;
    }
    Rows rows(shapes[k]);
    const std::uint32_t fit = matcher.match_batch(refs.data(), k, rows.rows);
#if !defined(__SSE2__)
    ASSERT_EQ(fit, 0u);
    continue;
#endif
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::optional<Parts> parts = refs[i].is_null() ? std::nullopt : read_as(shapes[k], strings[i]);
      ASSERT_EQ((fit >> i & 1) != 0, parts.has_value()) << ::testing::PrintToString(strings[i]);
      if (!parts) continue;
      ++matched;
      ASSERT_TRUE(rows.parts_of(i) == *parts) << ::testing::PrintToString(strings[i]);
    }
    const Placed long_one(std::string(kLongest + 1, 'a'));
    refs[rng() % kBatch] = long_one.ref;
    ASSERT_EQ(matcher.match_batch(refs.data(), k, rows.rows), 0u);
  }
#if defined(__SSE2__)
  EXPECT_GT(matched, 10'000u);
#endif
}

}  // namespace
}  // namespace steno::format
