// Finds words without digits that vary: "session closed for user alice", "... for user bob" and many more such lines
// are of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/strings/codec.h"
#include "format/strings/templates/cut.h"
#include "format/strings/templates/line_kinds.h"

namespace steno::format {

// One per writer, used again and again; not thread-safe. Memory: kMostCandidates. Cost: a cut of an example of each
// kind, and a few nanoseconds for each of its words.
class VaryingWords {
 public:
  // Joins the kinds of lines that differ in one word, or a few, where many do. `kinds` are those left; their hashes are
  // of another sort. Returns for each kind that was there before the number of the one that it is part of.
  const std::vector<std::uint32_t>& join(const StringSource& source, WordCutter& cutter, LineKinds& kinds);

 private:
  static constexpr std::size_t kMostCandidates = std::size_t{1} << 18;

  // A word that may vary: what hash its kind has then.
  struct Candidate {
    std::uint64_t change;  // of the hash
    std::uint8_t word;
  };
  // Kinds that are the same but for one word, by their hash without it.
  struct Group {
    std::uint32_t kinds = 0;
    std::uint32_t lines = 0;
  };

  void list_candidates(const StringSource& source, WordCutter& cutter, std::vector<LineKind>& kinds);
  bool choose_words(std::vector<LineKind>& kinds);

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> first_;    // candidate of each kind's example and after the last
  std::vector<std::uint32_t> of_kind_;  // whose candidates a kind has
  std::vector<Group> groups_;
  std::vector<std::uint32_t> joined_;
  LineKinds left_;
};

}  // namespace steno::format
