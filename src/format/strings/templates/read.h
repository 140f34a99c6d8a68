// Columns of template strings (file.md §9.6): lines of text, taken apart into templates and the words in which lines
// of the same template differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/raw_vector.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"

namespace steno::format {

inline constexpr std::size_t kMaxTemplates = std::size_t{1} << 16;         // a column; limits of the format
inline constexpr std::size_t kMaxTemplateColumns = 256;                    // of words
inline constexpr std::size_t kMaxTemplateWords = 255;                      // a template
inline constexpr std::size_t kMaxAllTemplateWords = std::size_t{1} << 20;  // of all templates of a column

// The share of each word of each string in the bound on a column's bytes, besides its own bytes.
inline constexpr std::size_t kWordBytes = 20;

// The head of a column, and the places of its words. Views into the column. Keeps its memory from one column to the
// next.
class TemplateColumn {
 public:
  using Bytes = std::span<const std::uint8_t>;

  // Reads an untrusted column of n strings, from after its codec byte, but not what template each string has, and not
  // the columns of words and of the other strings. False: damaged.
  [[nodiscard]] bool read(ByteReader& in, std::size_t n, const StringPlace& place);
  // After that: what template each string has. False: damaged.
  [[nodiscard]] bool read_indices();

  std::size_t templates() const { return lines_.size() - 1; }
  // The column that each word of a template is in, and the texts before, between and after them: one more.
  std::span<const std::uint64_t> places_of(std::size_t t) const {
    return std::span(places_).subspan(first_words_[t], first_words_[t + 1] - first_words_[t]);
  }
  std::span<const std::string_view> texts_of(std::size_t t) const {
    return std::span(texts_).subspan(first_words_[t] + t, first_words_[t + 1] - first_words_[t] + 1);
  }
  // For each string its template + 1, or 0 for one without; after read_indices().
  std::span<const std::uint64_t> indices() const { return indices_; }
  // How many strings are without a template (0), have template 0 (1) ...
  std::span<const std::size_t> lines() const { return lines_; }
  // The columns of words, and how many each has.
  std::span<const Bytes> words() const { return words_; }
  std::span<const std::size_t> counts() const { return counts_; }
  // The strings without a template; empty: none.
  Bytes others() const { return others_; }
  // The bytes of its longest string, as the column claims.
  std::size_t longest() const { return longest_; }
  // Facts about the texts.
  const StringFacts& facts() const { return arena_.facts(); }
  // The bytes that all strings count for, words not included (file.md §9.6).
  std::size_t counted_bytes() const { return counted_bytes_; }
  std::size_t bytes_held() const {
    return (places_.capacity() + indices_.capacity()) * sizeof(std::uint64_t) +
           texts_.capacity() * sizeof(std::string_view) + arena_.capacity();
  }

 private:
  bool read_templates(ByteReader& in, std::size_t templates, const StringPlace& place);
  bool count_words(std::size_t n);

  RawVector<std::uint64_t> places_;
  std::vector<std::size_t> first_words_;  // of each template and after the last
  RawVector<std::string_view> texts_;
  StringArena arena_;
  Bytes index_bytes_;
  RawVector<std::uint64_t> indices_;
  std::vector<std::size_t> lines_;
  std::vector<Bytes> words_;
  std::vector<std::size_t> counts_;
  Bytes others_;
  std::size_t longest_ = 0;
  std::size_t counted_bytes_ = 0;
};

// Such a column, decoded. Keeps its memory. Not thread-safe.
class TemplateStrings {
 public:
  // Reads n >= 1 strings of an untrusted column, from after its codec byte. False: damaged.
  [[nodiscard]] bool decode(ByteReader& in, std::size_t n, const StringPlace& place);
  // Puts the strings together in the arena, and says there what is known of them. False: damaged.
  [[nodiscard]] bool put_together(StringArena* arena, std::string_view* out);

  std::size_t bytes_held() const;

 private:
  struct Words {
    RawVector<std::string_view> texts;
    StringArena arena;
  };

  TemplateColumn column_;
  std::vector<Words> words_;  // more than there are
  Words others_;
  std::size_t bytes_ = 0;  // of all strings
};

}  // namespace steno::format
