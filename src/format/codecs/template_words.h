// Cuts a line of text into what its template keeps and the words that vary (file.md §9.6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/codecs/string_codec.h"

namespace steno::format {

// Words are runs of bytes other than blanks, quotes, brackets and the punctuation that stands between the parts of a
// message (`=,;|&?`). What a template leaves out of a line:
enum class WordsOut : std::uint8_t {
  kNumbered,  // words with a digit or a slash: numbers, times, addresses, ids, paths; with the blanks that align them
  kSeldom,    // these, and words that do not come often: names
};

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
  static constexpr std::size_t kMostWords = 128;

  struct Word {
    std::uint32_t begin;
    std::uint32_t end;
  };

  // Words that come less often are seldom.
  void set_counts(const WordCounts* counts, std::uint32_t often) {
    counts_ = counts;
    often_ = often;
  }
  // Finds the words that are left out of a string. False: it is null, too long, or has too many of them.
  [[nodiscard]] bool cut(const StringRef& s, WordsOut out);
  // Counts the words of a string without those that are numbered.
  void count_words(const StringRef& s, WordCounts* counts) const;
  // Of the last string that was cut, in their order; none is empty.
  std::span<const Word> words() const { return {words_.data(), count_}; }
  // Of the rest of that string and where the words were: the same for all strings of a template.
  std::uint64_t hash_of_rest(const StringRef& s);
  // After that: of the rest up to each word.
  std::span<const std::uint64_t> prefix_hashes() const { return {prefixes_.data(), count_}; }

 private:
  template <class Each>
  static void for_each_word(const StringRef& s, const Each& each);

  const WordCounts* counts_ = nullptr;
  std::uint32_t often_ = 0;
  std::array<Word, kMostWords> words_;
  std::array<std::uint64_t, kMostWords> prefixes_;
  std::size_t count_ = 0;
};

}  // namespace steno::format
