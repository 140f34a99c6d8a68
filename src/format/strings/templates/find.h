// Finds the templates of a column of lines: what many of them have in common but for some words (file.md §9.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/strings/codec.h"
#include "format/strings/templates/cut.h"
#include "format/strings/templates/line_kinds.h"
#include "format/strings/templates/varying_words.h"

namespace steno::format {

// One per writer, used again and again; not thread-safe. Memory: that of LineKinds and VaryingWords, kMostKept words,
// and some integers a line.
class TemplateFinder {
 public:
  // Requires source.count >= 1.
  void find(const StringSource& source);

  const std::vector<LineKind>& templates() const { return templates_; }
  // For each line its template + 1, or 0. Found by a hash: who takes the line apart makes sure.
  std::vector<std::uint32_t>& indices() { return indices_; }
  // The words that the template of a line leaves out of it. Requires one, by indices(). None, if it does not have the
  // template that its hash says.
  std::span<const Word> words_of(const StringSource& source, std::size_t line);
  // The words of a template's example, and what is left of it up to each word, as a hash.
  std::span<const Word> words_of_example(const StringSource& source, const LineKind& known);
  std::span<const std::uint64_t> prefix_hashes() const { return out_.prefix_hashes(); }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 21;  // words; what is not kept is cut once more
  static constexpr std::uint32_t kNotKept = UINT32_MAX;
  static constexpr std::uint32_t kUncut = UINT32_MAX - 1;  // the cutter refuses it

  std::span<const Word> all_words_of(const StringSource& source, std::size_t line);
  void count_kinds(const StringSource& source);
  void join_kinds(const StringSource& source);
  void keep_words(std::size_t line);
  std::size_t count_words(const StringSource& source);
  void count_seldom(const StringSource& source, std::size_t left);
  // Makes templates of the kinds with many lines; the other lines get the index 0.
  void keep();

  WordCutter cutter_;
  WordsOut out_;
  WordCounts counts_;
  LineKinds kinds_;
  VaryingWords varying_;
  std::vector<LineKind> templates_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> of_line_;  // its kind
  std::vector<Word> kept_;              // all words of lines that were cut
  struct Kept {
    std::uint32_t first;
    std::uint32_t count;
  };
  std::vector<Kept> kept_of_;  // of each line
};

}  // namespace steno::format
