// Finds symbols for a text in a sample of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/strings/symbols/encode.h"

namespace steno::format {

// The symbols learned from samples of a text so far.
struct LearnedSymbols {
  SymbolEncoder encoder;
  std::vector<std::uint32_t> counts;  // how often each symbol came in the samples
  std::size_t sampled = 0;            // bytes of them; 0: nothing is known, whatever else there is
};

// One per writer, used again and again. Begins with the words of a sample, and in each round takes symbols that follow
// each other together, if they do so often. Work is bounded by the size of the sample.
class SymbolTrainer {
 public:
  static constexpr std::size_t kMostSampled = std::size_t{1} << 16;

  // Takes a sample, after which kMaxSymbolSize bytes are readable, of a text of `bytes`. What was learned before
  // counts less each time. Returns the bytes of the sample's codes.
  std::size_t learn(const std::uint8_t* sample, std::size_t size, std::size_t bytes, LearnedSymbols* learned);

 private:
  struct Candidate {
    Symbol symbol;
    std::uint32_t before = 0;  // how often it came in samples before
    std::uint32_t count = 0;   // and in all
  };

  template <class Next>
  void count(const std::uint8_t* sample, std::size_t size, const Next& next);
  void add(const Symbol& symbol, std::uint32_t times, std::uint32_t before);
  void add_known(const LearnedSymbols& learned);
  // The candidates with the greatest gain, in that order, in best_.
  void choose();
  void set_best(SymbolEncoder* encoder) const;
  // Leaves those of best_ that pay, in the order of a table of the file.
  void leave_paying(double times);

  std::vector<Candidate> slots_;  // a hash table
  Candidate bytes_[256];          // symbols of one byte
  std::vector<Candidate> best_;
};

}  // namespace steno::format
