// Finds the templates of a column of lines: what many of them have in common but for some words (file.md §9.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/codecs/string_codec.h"
#include "format/codecs/template_words.h"

namespace steno::format {

// One per writer, used again and again; not thread-safe. Lines are cut three times at most; memory: kMostKinds,
// kMostKept, and some integers a line.
class TemplateFinder {
 public:
  struct Template {
    std::uint64_t hash = 0;     // what it is known by in other columns
    std::uint32_t example = 0;  // the first line that has it
    std::uint32_t lines = 0;
    WordsOut out = WordsOut::kNumbered;
  };

  // Requires source.count >= 1. Afterwards templates() are in the order of their first lines.
  void find(const StringSource& source);

  const std::vector<Template>& templates() const { return templates_; }
  // Of each line, its template + 1, or 0. By a hash: who takes the line apart makes sure.
  std::vector<std::uint32_t>& indices() { return indices_; }
  // The words that the template of a line leaves out of it. Requires one, by indices().
  std::span<const WordCutter::Word> words_of(const StringSource& source, std::size_t line);
  // The same of a template's example, and what is left of it up to each word, as a hash.
  std::span<const WordCutter::Word> words_of_example(const StringSource& source, const Template& known);
  std::span<const std::uint64_t> prefix_hashes() const { return cutter_.prefix_hashes(); }

 private:
  static constexpr std::size_t kMostKinds = std::size_t{1} << 15;  // of lines that are told apart
  static constexpr std::uint32_t kNoKind = UINT32_MAX;
  static constexpr std::size_t kMostKept = std::size_t{1} << 20;  // words; what is not kept is cut once more
  static constexpr std::uint32_t kNotKept = UINT32_MAX;

  // Counts lines by what is left of them without some words.
  class Kinds {
   public:
    void clear();
    std::uint32_t add(std::uint64_t hash, std::uint32_t line, WordsOut out);
    std::vector<Template>& all() { return all_; }

   private:
    void grow();
    std::vector<Template> all_;
    std::vector<std::uint32_t> slots_;  // a hash table: kind + 1
  };

  void count(const StringSource& source, WordsOut out);
  void keep_words(std::size_t line);
  void count_words(const StringSource& source);
  // Makes templates of the kinds with many lines; kinds_'s other lines get the index 0.
  void keep(std::size_t least);

  WordCutter cutter_;
  WordCounts counts_;
  Kinds kinds_;
  std::vector<Template> templates_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> of_line_;  // its kind
  std::vector<std::uint32_t> to_;       // of each kind, its template + 1, or 0
  std::vector<WordCutter::Word> kept_;  // words of lines that were cut
  struct Kept {
    std::uint32_t first = kNotKept;
    std::uint32_t count = 0;
  };
  std::vector<Kept> kept_of_;  // of each line
};

}  // namespace steno::format
