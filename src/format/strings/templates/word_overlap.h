// Which columns of words have the same words: an id that is named by several statements is to be stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/strings/codec.h"

namespace steno::format {

// Estimates it by the words with the least hashes (Broder, 1997). One per writer, used again and again. Cost: a hash a
// word, and a comparison of kWords hashes for each two columns of long words.
class WordOverlap {
 public:
  // For each column the one that it is to be joined with: the first of those that have most of their words in common,
  // which is joined with itself.
  std::span<const std::uint32_t> find(std::span<const std::vector<StringRef>> columns);

 private:
  static constexpr std::size_t kWords = 64;         // of a sketch
  static constexpr std::size_t kLeastStrings = 32;  // of a column that is worth it
  static constexpr std::size_t kLeastLength = 6;    // of its words, on average: numbers of few digits overlap by chance
  static constexpr std::size_t kLeastDistinct = 16;

  struct Sketch {
    std::uint32_t column = 0;
    std::vector<std::uint64_t> hashes;  // the least, in their order
  };

  bool make_sketch(const std::vector<StringRef>& words, Sketch* sketch) const;
  static bool overlap(const Sketch& a, const Sketch& b);

  std::vector<Sketch> sketches_;
  std::vector<std::uint32_t> joined_;
};

}  // namespace steno::format
