// Cuts a line of text into what its template keeps and the words that vary (file.md §9.6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/strings/codec.h"

namespace steno::format {

// Words are runs of bytes other than blanks, quotes, brackets and the punctuation that stands between the parts of a
// message (`=,;|&?`).
struct Word {
  std::uint16_t begin;  // of the line
  std::uint16_t end : 15;
  std::uint16_t numbered : 1;  // it has a digit or a slash: a number, time, address, id or path
};

// Which of a line's first 64 words vary besides those that are numbered: a bit for each.
using WordMask = std::uint64_t;
inline constexpr std::size_t kMaskedWords = 64;

inline bool varies(Word word, std::size_t number, WordMask mask) {
  return word.numbered != 0 || (number < kMaskedWords && (mask >> number & 1) != 0);
}

// How often words come, about: it is never less.
class WordCounts {
 public:
  void clear() { counts_.assign(kCounts, 0); }
  void add(const std::uint8_t* word, std::size_t n) { ++counts_[place_of(word, n)]; }
  std::uint32_t of(const std::uint8_t* word, std::size_t n) const { return counts_[place_of(word, n)]; }

 private:
  static constexpr std::size_t kCounts = std::size_t{1} << 14;
  static std::size_t place_of(const std::uint8_t* word, std::size_t n);
  std::vector<std::uint32_t> counts_;
};

// Not thread-safe; used again and again.
class WordCutter {
 public:
  static constexpr std::size_t kLongest = 4096;  // bytes of a line
  static constexpr std::size_t kMostWords = 512;

  // Finds the words of a string. A word that is numbered begins with the blanks that align it. False: it is null, too
  // long, or has too many of them.
  [[nodiscard]] bool cut(const StringRef& s);
  // The words of the last string that was cut, in their order; none is empty.
  std::span<const Word> words() const { return {words_.data(), count_}; }

 private:
  std::array<Word, kMostWords> words_;
  std::size_t count_ = 0;
};

// The words that a template leaves out of a line, and hashes of what is left. Not thread-safe; used again and again.
class WordsOut {
 public:
  static constexpr std::size_t kMost = 128;

  // Those of a line that vary. False: too many.
  [[nodiscard]] bool choose(std::span<const Word> words, WordMask mask);
  std::span<const Word> words() const { return {words_.data(), count_}; }
  // The hash of the rest of the string and of the places of its words: the same for all strings of a template.
  std::uint64_t hash_of_rest(const StringRef& s);
  // After that: of the rest up to each word.
  std::span<const std::uint64_t> prefix_hashes() const { return {prefixes_.data(), count_}; }

 private:
  std::array<Word, kMost> words_;
  std::array<std::uint64_t, kMost> prefixes_;
  std::size_t count_ = 0;
};

// The hash of a word or of a text between two. At least 8 bytes before it are readable.
std::uint64_t word_hash(const std::uint8_t* p, std::size_t n);

}  // namespace steno::format
