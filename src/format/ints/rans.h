// Tokens by how often each comes: range asymmetric numeral systems (J. Duda; file.md §9.2.1), in four lanes, so that a
// processor works on four tokens at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace steno::format {

inline constexpr std::size_t kMaxTokens = 256;
inline constexpr std::size_t kMaxContexts = 64;  // more different tokens than that have none
inline constexpr std::size_t kRansLanes = 4;

// A model is a row of frequencies for each context, or one row. Those of a row sum up to 2^bits.
constexpr unsigned rans_bits(bool contexts) {
  return contexts ? 10 : 12;
}

// Where the tokens of a lane begin.
constexpr std::size_t rans_lane(std::size_t lane, std::size_t n) {
  return lane * (n / kRansLanes) + (lane < n % kRansLanes ? lane : n % kRansLanes);
}

// Bits of so many tokens, of which each comes as often as `counts` says, coded one by one without a loss.
double entropy_bits(std::span<const std::uint32_t> counts);

// Not thread-safe; keeps its memory.
class RansEncoder {
 public:
  // Plans the codes of n tokens below `count`, at most kMaxTokens. Decides whether what comes before a token tells
  // enough of it, where that may be. Returns about how many bytes model and tokens take.
  std::size_t plan(const std::uint8_t* tokens, std::size_t n, std::size_t count, std::span<const std::uint32_t> counts,
                   bool may_have_contexts = true);
  bool contexts() const { return contexts_; }
  // Append what was planned.
  void put_model(ByteBuffer& out) const;
  void put_tokens(const std::uint8_t* tokens, std::size_t n, ByteBuffer& out);

 private:
  struct Code {
    std::uint64_t reciprocal = 0;  // of the token's frequency
    std::uint32_t greatest = 0;    // state that can take it; higher ones lose a word first
    std::uint16_t bias = 0;
    std::uint16_t others = 0;  // slots of other tokens
  };

  template <bool kContexts>
  class Lanes;
  template <bool kContexts>
  void put_lanes(const std::uint8_t* tokens, std::size_t n, ByteBuffer& out);
  void make_codes();

  std::size_t count_ = 0;
  bool contexts_ = false;
  std::vector<std::uint32_t> pairs_;  // how often a token follows another
  std::vector<std::uint16_t> frequencies_;
  std::vector<Code> codes_;
  std::vector<std::uint16_t> words_;
};

// Reads an untrusted model of so many tokens and then n >= 1 of them into `out`. False: damaged.
[[nodiscard]] bool decode_rans(ByteReader& in, std::size_t count, bool contexts, std::size_t n, std::uint8_t* out);

}  // namespace steno::format
