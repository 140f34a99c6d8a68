// Cuts sentences into words and what lies between them (file.md §9.6.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace steno::format {

enum class TextByte : std::uint8_t {
  kBlank,   // a blank or a mark that ends words: quotes, brackets, commas, `=`
  kJoiner,  // part of a word between two of its letters: 10.0.0.3, a/b.c, don't, 12:30
  kLetter,  // or a digit, or `_`, or part of a character beyond ASCII
};

constexpr std::array<TextByte, 256> make_text_bytes() {
  std::array<TextByte, 256> bytes{};
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    const bool letter =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
    bytes[c] = letter ? TextByte::kLetter : TextByte::kBlank;
  }
  for (const unsigned char c : {'!', '#', '$', '%', '\'', '*', '+', '-', '.', '/', ':', '@', '\\', '^', '~'})
    bytes[c] = TextByte::kJoiner;
  return bytes;
}
inline constexpr std::array<TextByte, 256> kTextBytes = make_text_bytes();

inline bool is_letter(char c) {
  return kTextBytes[static_cast<std::uint8_t>(c)] == TextByte::kLetter;
}

// Returns whether a string of a dictionary is a word: part of the format.
inline bool is_word(const std::uint8_t* p, std::size_t n) {
  return n != 0 && kTextBytes[*p] == TextByte::kLetter;
}

// Calls take(p, n, whether it is a word) for each token of a text, front to back, until that returns false. A blank
// between two words is none.
template <class Take>
bool for_each_token(const std::uint8_t* p, std::size_t n, const Take& take) {
  const std::uint8_t* const begin = p;
  const std::uint8_t* const end = p + n;
  const auto is_letter = [end](const std::uint8_t* at) { return at != end && kTextBytes[*at] == TextByte::kLetter; };
  while (p != end) {
    const std::uint8_t* const mark = p;
    while (p != end && !is_letter(p)) ++p;
    const bool implied = p - mark == 1 && *mark == ' ' && mark != begin && p != end;
    if (p != mark && !implied && !take(mark, static_cast<std::size_t>(p - mark), false)) return false;
    if (p == end) break;
    const std::uint8_t* const word = p;
    const std::uint8_t* word_end = p;
    do {
      while (is_letter(p)) ++p;
      word_end = p;
      while (p != end && kTextBytes[*p] == TextByte::kJoiner) ++p;
    } while (is_letter(p));
    p = word_end;
    if (!take(word, static_cast<std::size_t>(word_end - word), true)) return false;
  }
  return true;
}

}  // namespace steno::format
