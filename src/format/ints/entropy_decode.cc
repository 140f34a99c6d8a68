// Reading entropy coded columns (file.md §9.2.1).
#include <algorithm>

#include "base/scratch.h"
#include "format/ints/codec.h"
#include "format/ints/column.h"
#include "format/ints/entropy.h"
#include "format/ints/entropy_tokens.h"
#include "format/multiversion.h"

namespace steno::format {
namespace {

struct Head {
  TokenForm form;
  bool of_both_signs;
  bool of_differences;
  bool contexts;
  std::uint64_t divisor, base, start;
  std::size_t tokens;
};

bool read_head(ByteReader& in, Head* head, TokenMeaning* meanings) {
  const unsigned form = in.get<std::uint8_t>();
  head->form = {(form & kDirectMask) + 1, form >> kDetailShift & kDetailMask};
  head->of_both_signs = (form & kOfBothSigns) != 0;
  head->of_differences = (form & kOfDifferences) != 0;
  head->contexts = (form & kContexts) != 0;
  if (head->form.detail > head->form.direct) return false;
  head->divisor = in.get_varint();
  head->base = static_cast<std::uint64_t>(in.get_signed_varint());
  head->start = head->of_differences ? static_cast<std::uint64_t>(in.get_signed_varint()) : 0;
  const std::uint64_t last = in.get_varint();
  if (!in.ok() || last >= (head->contexts ? kMaxContexts : kMaxTokens)) return false;
  head->tokens = static_cast<std::size_t>(last) + 1;
  std::uint64_t id = 0;
  for (std::size_t i = 0; i < head->tokens; ++i) {
    const std::uint64_t gap = in.get_varint();
    if (gap >= kMostTokenIds) return false;
    id += gap + (i == 0 ? 0 : 1);
    if (id >= tokens_of(head->form)) return false;
    meanings[i] = meaning_of(static_cast<std::uint32_t>(id), head->form);
  }
  return in.ok();
}

// The bits that tokens leave open, from front to back. Requires width <= 63.
class OpenBits {
 public:
  static constexpr unsigned kMostAtOnce = 56;

  OpenBits(const std::uint8_t* p, std::size_t size, std::size_t at = 0) : p_(p), size_(size), at_(at) {}

  // Returns whether take_at_once() may be called: eight more bytes are there.
  STENO_INLINE bool has_word() const { return at_ / 8 + 8 <= size_; }
  STENO_INLINE std::uint64_t take_at_once(unsigned width) {
    const std::uint64_t word = load<std::uint64_t>(p_ + at_ / 8) >> at_ % 8;
    at_ += width;
    return word & ((std::uint64_t{1} << width) - 1);
  }
  // Requires that they are there.
  STENO_INLINE bool has(unsigned width) const { return at_ + width <= 8 * size_; }
  STENO_INLINE std::uint64_t take(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
      const unsigned from = at_ % 8;
      const unsigned bits = std::min(8 - from, width - done);
      value |= std::uint64_t{p_[at_ / 8] >> from & ((1u << bits) - 1)} << done;
      done += bits;
      at_ += bits;
    }
    return value;
  }
  std::size_t bytes_taken() const { return (at_ + 7) / 8; }

 private:
  const std::uint8_t* p_;
  std::size_t size_;
  std::size_t at_;  // in bits
};

// Values by their tokens, which may lie at the end of their memory. What the head says is known when this is compiled:
// so it costs no value anything. Stops where bits are missing, or where whole words of them are; returns how many.
template <bool kBothSigns, bool kDifferences, bool kAtOnce>
STENO_INLINE std::size_t read_some(const Head& head, const TokenMeaning* meanings, const std::uint8_t* tokens,
                                   std::size_t from, std::size_t n, OpenBits& bits, std::uint64_t& value,
                                   std::uint64_t* out) {
  OpenBits at = bits;
  const std::uint64_t base = head.base;
  const std::uint64_t divisor = head.divisor;
  std::size_t i = from;
  for (; i < n; ++i) {
    const TokenMeaning meaning = meanings[tokens[i]];
    if (kAtOnce ? !at.has_word() : !at.has(meaning.open)) break;
    std::uint64_t offset = meaning.least + (kAtOnce ? at.take_at_once(meaning.open) : at.take(meaning.open));
    if (kBothSigns) offset = static_cast<std::uint64_t>(unzigzag(offset));
    value = (kDifferences ? value : 0) + base + offset * divisor;
    out[i] = value;
  }
  bits = at;
  return i;
}

template <bool kBothSigns, bool kDifferences>
STENO_WITH_AVX2 std::size_t read_at_once_avx2(const Head& head, const TokenMeaning* meanings,
                                              const std::uint8_t* tokens, std::size_t n, OpenBits& bits,
                                              std::uint64_t& value, std::uint64_t* out) {
  return read_some<kBothSigns, kDifferences, true>(head, meanings, tokens, 0, n, bits, value, out);
}

// False: bits are missing.
template <bool kBothSigns, bool kDifferences>
bool read_values(const Head& head, const TokenMeaning* meanings, const std::uint8_t* tokens, std::size_t n,
                 OpenBits& bits, std::uint64_t* out) {
  const bool at_once = std::all_of(meanings, meanings + head.tokens,
                                   [](const TokenMeaning& m) { return m.open <= OpenBits::kMostAtOnce; });
  std::uint64_t value = head.start;
  std::size_t done = 0;
  if (at_once && have_avx2()) {  // whose shifts by a number that varies are one instruction
    done = read_at_once_avx2<kBothSigns, kDifferences>(head, meanings, tokens, n, bits, value, out);
  } else if (at_once) {
    done = read_some<kBothSigns, kDifferences, true>(head, meanings, tokens, 0, n, bits, value, out);
  }
  return read_some<kBothSigns, kDifferences, false>(head, meanings, tokens, done, n, bits, value, out) == n;
}

// The wanted values, in ascending order, that a token stands for.
std::span<const std::uint64_t> wanted_of(const Head& head, const TokenMeaning& meaning,
                                         std::span<const std::uint64_t> wanted) {
  const std::uint64_t least = head.base + meaning.least;
  const std::uint64_t greatest = least + ((std::uint64_t{1} << meaning.open) - 1);  // open < 64
  if (greatest < least) return wanted;                                              // around the end of all numbers
  const auto begin = std::lower_bound(wanted.begin(), wanted.end(), least);
  return {begin, std::upper_bound(begin, wanted.end(), greatest)};
}

}  // namespace

bool decode_entropy(ByteReader& in, IntType, std::size_t n, unsigned, std::uint64_t* out) {
  Head head;
  TokenMeaning meanings[kMaxTokens] = {};
  if (!read_head(in, &head, meanings)) return false;
  // In the last eighth of the values' own memory: value i takes the place of tokens that are read by then.
  std::uint8_t* const tokens = reinterpret_cast<std::uint8_t*>(out) + 7 * n;
  if (!decode_rans(in, head.tokens, head.contexts, n, tokens)) return false;
  const bool open = std::any_of(meanings, meanings + head.tokens, [](const TokenMeaning& m) { return m.open != 0; });
  if (!open && !head.of_differences) {
    std::uint64_t values[kMaxTokens];
    for (std::size_t i = 0; i < kMaxTokens; ++i) {
      const std::uint64_t offset = meanings[i].least;
      values[i] =
          head.base + (head.of_both_signs ? static_cast<std::uint64_t>(unzigzag(offset)) : offset) * head.divisor;
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = values[tokens[i]];
    return true;
  }
  ByteReader ahead = in;
  const std::size_t size = in.remaining();
  OpenBits bits(ahead.take(size), size);
  const auto read = head.of_differences ? (head.of_both_signs ? read_values<true, true> : read_values<false, true>)
                                        : (head.of_both_signs ? read_values<true, false> : read_values<false, false>);
  return read(head, meanings, tokens, n, bits, out) && in.take(bits.bytes_taken()) != nullptr;
}

bool find_entropy_values(ByteReader& in, std::size_t n, std::span<const std::uint64_t> wanted, std::size_t most,
                         std::vector<PlacedValue>* found) {
  constexpr std::uint16_t kWanted = 256;
  Head head;
  TokenMeaning meanings[kMaxTokens] = {};
  if (!read_head(in, &head, meanings)) return false;
  if (head.of_differences || head.of_both_signs || head.divisor != 1) return false;
  std::uint16_t facts[kMaxTokens] = {};  // by token: how many bits it leaves open, and whether it may be wanted
  std::span<const std::uint64_t> among[kMaxTokens];
  for (std::size_t t = 0; t < head.tokens; ++t) {
    among[t] = wanted_of(head, meanings[t], wanted);
    facts[t] = static_cast<std::uint16_t>(meanings[t].open | (among[t].empty() ? 0 : kWanted));
  }
  Scratch::Array<std::uint8_t> tokens(Scratch::of_thread(), n);
  if (!decode_rans(in, head.tokens, head.contexts, n, tokens.data())) return false;
  ByteReader ahead = in;
  const std::size_t size = in.remaining();
  const std::uint8_t* const bytes = ahead.take(size);
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned fact = facts[tokens[i]];
    const unsigned open = fact & (kWanted - 1);
    if (fact >= kWanted) {
      OpenBits bits(bytes, size, at);
      if (!bits.has(open)) return false;
      const std::uint64_t value = head.base + meanings[tokens[i]].least + bits.take(open);
      if (std::binary_search(among[tokens[i]].begin(), among[tokens[i]].end(), value)) {
        if (found->size() == most) return false;
        found->push_back({static_cast<std::uint32_t>(i), value});
      }
    }
    at += open;
  }
  return at <= 8 * size && in.take((at + 7) / 8) != nullptr;
}

}  // namespace steno::format
