// Finds symbols for a text in a sample of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/codecs/symbol_encoder.h"

namespace steno::format {

// One per writer, used again and again. Begins with the words of the sample, and in each round takes symbols that
// follow each other together, if they do so often. Work is bounded by the size of the sample.
class SymbolTrainer {
 public:
  static constexpr std::size_t kMostSampled = std::size_t{1} << 16;

  // Trains on a sample, behind which kMaxSymbolSize bytes are readable, of a text that is `times` as long. Returns the
  // bytes of the sample's codes.
  std::size_t train(const std::uint8_t* sample, std::size_t size, double times, SymbolEncoder* encoder);

 private:
  struct Candidate {
    Symbol symbol;
    std::uint32_t count = 0;
  };

  template <class Next>
  void count(const std::uint8_t* sample, std::size_t size, const Next& next);
  void add(const std::uint8_t* p, std::size_t size);
  // The candidates with the greatest gain, in that order.
  SymbolTable best() const;
  // Those symbols that pay, ordered as a table of the file, given how often each occurs in the sample.
  static SymbolTable paying(const SymbolEncoder& encoder, const std::vector<std::uint32_t>& counts, double times);

  std::vector<Candidate> slots_;  // a hash table
  std::uint32_t bytes_[256];      // how often each byte is coded alone, or might be
};

}  // namespace steno::format
