#include "format/ints/rans.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/scratch.h"

namespace steno::format {
namespace {

constexpr std::uint32_t kLeastState = 1u << 16;  // of a lane; it loses or takes 16 bits at a time
constexpr unsigned kWordBits = 16;
constexpr std::size_t kFrequencyBits = 12;  // that a frequency takes in the model, about
constexpr std::size_t kStatesBytes = kRansLanes * 4 + 3;

// Frequencies in proportion to `counts`, none of those that come 0, which sum up to 2^bits; all 0 if nothing comes.
void normalize(const std::uint32_t* counts, std::size_t count, unsigned bits, std::uint16_t* frequencies) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += counts[i];
  std::int64_t left = total == 0 ? 0 : std::int64_t{1} << bits;
  for (std::size_t i = 0; i < count; ++i) {
    frequencies[i] = 0;
    if (counts[i] == 0) continue;
    const std::uint64_t share = ((std::uint64_t{counts[i]} << bits) + total / 2) / total;
    frequencies[i] = static_cast<std::uint16_t>(std::max<std::uint64_t>(share, 1));
    left -= frequencies[i];
  }
  while (left != 0) {  // the most frequent one feels it least
    std::uint16_t& most = *std::max_element(frequencies, frequencies + count);
    const std::int64_t change = std::max<std::int64_t>(left, 1 - std::int64_t{most});
    most = static_cast<std::uint16_t>(most + change);
    left -= change;
  }
}

// n log2 n, but for the last places, for the counts that samples have.
constexpr std::array<double, 512> make_shares() {
  std::array<double, 512> shares{};
  for (std::size_t n = 2; n < shares.size(); ++n) {
    auto log = static_cast<double>(std::bit_width(n) - 1);
    double rest = static_cast<double>(n) / static_cast<double>(std::bit_floor(n));  // 1 to 2
    for (double place = 0.5; place > 1e-15; place /= 2) {
      rest *= rest;
      if (rest < 2) continue;
      rest /= 2;
      log += place;
    }
    shares[n] = static_cast<double>(n) * log;
  }
  return shares;
}
constexpr std::array<double, 512> kShares = make_shares();

// How a slot of 2^bits is read, in one word: the token that it is of, the slot's place among the token's, and the
// token's frequency - 1.
constexpr unsigned kTokenShift = 24;
constexpr unsigned kPlaceShift = 12;
constexpr std::uint32_t kPartMask = (1u << 12) - 1;
constexpr std::uint32_t slot_of(std::size_t token, std::uint32_t frequency, std::uint32_t place) {
  return static_cast<std::uint32_t>(token) << kTokenShift | place << kPlaceShift | (frequency - 1);
}

// Slots of one token. Up to kSlotsAtOnce - 1 after them are overwritten.
constexpr std::size_t kSlotsAtOnce = 8;
void fill_slots(std::uint32_t first, std::size_t count, std::uint32_t* slots) {
  for (std::size_t at = 0; at < count; at += kSlotsAtOnce) {
    for (std::uint32_t k = 0; k < kSlotsAtOnce; ++k) slots[at + k] = first + (k << kPlaceShift);
    first += kSlotsAtOnce << kPlaceShift;
  }
}

// A row of the model: 2^bits slots, and kSlotsAtOnce - 1 more that may be overwritten.
bool read_row(ByteReader& in, std::size_t count, bool may_be_empty, unsigned bits, std::uint32_t* slots) {
  const std::uint64_t all = std::uint64_t{1} << bits;
  std::uint64_t sum = 0;
  for (std::size_t token = 0; token < count; ++token) {
    const std::uint64_t frequency = in.get_varint();
    if (frequency == 0) {
      const std::uint64_t more = in.get_varint();
      if (!in.ok() || more >= count - token) return false;
      token += more;
      continue;
    }
    if (frequency > all - sum) return false;
    fill_slots(slot_of(token, static_cast<std::uint32_t>(frequency), 0), frequency, slots + sum);
    sum += frequency;
  }
  if (sum == 0 && may_be_empty) {
    fill_slots(slot_of(0, 1u << bits, 0), all, slots);
    return true;
  }
  return sum == all;
}

void put_row(const std::uint16_t* frequencies, std::size_t count, ByteBuffer& out) {
  for (std::size_t token = 0; token < count; ++token) {
    out.put_varint(frequencies[token]);
    if (frequencies[token] != 0) continue;
    std::size_t zeros = token + 1;
    while (zeros < count && frequencies[zeros] == 0) ++zeros;
    out.put_varint(zeros - token - 1);
    token = zeros - 1;
  }
}

template <bool kContexts>
class Decoder {
 public:
  Decoder(const std::uint32_t* slots, const std::uint8_t* states, const std::uint8_t* words, std::size_t size)
      : slots_(slots), next_(words), end_(words + size) {
    for (std::size_t lane = 0; lane < kRansLanes; ++lane) states_[lane] = load<std::uint32_t>(states + 4 * lane);
  }

  bool run(std::size_t n, std::uint8_t* out) {
    for (const std::uint32_t state : states_) {
      if (state < kLeastState) return false;
    }
    const std::size_t steps = n / kRansLanes;
    std::uint8_t* lanes[kRansLanes];
    for (std::size_t lane = 0; lane < kRansLanes; ++lane) lanes[lane] = out + rans_lane(lane, n);
    std::uint32_t before[kRansLanes] = {};
    std::size_t i = run_at_once(steps, lanes, before, std::make_index_sequence<kRansLanes>());
    for (; i <= steps; ++i) {
      const std::size_t width = i < steps ? kRansLanes : n % kRansLanes;
      for (std::size_t lane = 0; lane < width; ++lane) {
        if (!take_checked(states_[lane], &before[lane])) return false;
        lanes[lane][i] = static_cast<std::uint8_t>(before[lane]);
      }
    }
    return next_ == end_ &&
           std::all_of(states_, states_ + kRansLanes, [](std::uint32_t state) { return state == kLeastState; });
  }

 private:
  static constexpr unsigned kBits = rans_bits(kContexts);

  // frequency * quotient + place, in the order that is soonest ready.
  static std::uint32_t without_token(std::uint32_t state, std::uint32_t slot) {
    const std::uint32_t quotient = state >> kBits;
    return (slot & kPartMask) * quotient + (quotient + (slot >> kPlaceShift & kPartMask));
  }
  // Reads as many tokens of each lane as need no test whether the words have ended, and returns how many. The states
  // stay in registers.
  template <std::size_t... kLane>
  std::size_t run_at_once(std::size_t steps, std::uint8_t* const (&to)[kRansLanes], std::uint32_t (&before)[kRansLanes],
                          std::index_sequence<kLane...>) {
    const std::uint32_t* const slots = slots_;
    const std::uint8_t* next = next_;
    std::uint8_t* const lanes[] = {to[kLane]...};
    std::uint32_t states[] = {states_[kLane]...};
    std::uint32_t last[] = {before[kLane]...};
    std::size_t i = 0;
    for (; i < steps && static_cast<std::size_t>(end_ - next) >= 2 * kRansLanes; ++i) {
      ((last[kLane] = take(slots, states[kLane], last[kLane], next),
        lanes[kLane][i] = static_cast<std::uint8_t>(last[kLane])),
       ...);
    }
    ((states_[kLane] = states[kLane], before[kLane] = last[kLane]), ...);
    next_ = next;
    return i;
  }
  static std::uint32_t slot(const std::uint32_t* slots, std::uint32_t state, std::uint32_t before) {
    return slots[(kContexts ? before << kBits : 0) + (state & ((1u << kBits) - 1))];
  }
  static std::uint32_t take(const std::uint32_t* slots, std::uint32_t& state, std::uint32_t before,
                            const std::uint8_t*& next) {
    const std::uint32_t found = slot(slots, state, before);
    const std::uint32_t rest = without_token(state, found);
    // All bits, where the state is too low. A comparison would become a branch that is guessed wrong.
    const auto low = static_cast<std::uint32_t>((std::uint64_t{rest} - kLeastState) >> 32);
    state = rest << (low & kWordBits) | (load<std::uint16_t>(next) & low);
    next += low & sizeof(std::uint16_t);
    return found >> kTokenShift;
  }
  bool take_checked(std::uint32_t& state, std::uint32_t* before) {
    const std::uint32_t found = slot(slots_, state, *before);
    state = without_token(state, found);
    if (state < kLeastState) {
      if (next_ == end_) return false;
      state = state << kWordBits | load<std::uint16_t>(next_);
      next_ += 2;
    }
    *before = found >> kTokenShift;
    return true;
  }

  const std::uint32_t* slots_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  std::uint32_t states_[kRansLanes];
};

}  // namespace

double entropy_bits(std::span<const std::uint32_t> counts) {
  double total = 0;
  double bits = 0;
  for (const std::uint32_t count : counts) {
    total += count;
    bits -= count < kShares.size() ? kShares[count] : count * std::log2(static_cast<double>(count));
  }
  return total == 0 ? 0 : bits + total * std::log2(total);
}

std::size_t RansEncoder::plan(const std::uint8_t* tokens, std::size_t n, std::size_t count,
                              std::span<const std::uint32_t> counts, bool may_have_contexts) {
  count_ = count;
  contexts_ = false;
  double bits = entropy_bits(counts.first(count)) + static_cast<double>(count * kFrequencyBits);
  if (may_have_contexts && count > 1 && count <= kMaxContexts) {
    pairs_.assign(count * count, 0);
    for (std::size_t lane = 0; lane < kRansLanes; ++lane) {
      std::size_t before = 0;
      for (std::size_t i = rans_lane(lane, n); i < rans_lane(lane + 1, n); ++i) {
        ++pairs_[before * count + tokens[i]];
        before = tokens[i];
      }
    }
    double with_contexts = 0;
    for (std::size_t row = 0; row < count; ++row) {
      with_contexts += entropy_bits(std::span(pairs_).subspan(row * count, count));
    }
    const auto used = pairs_.size() - static_cast<std::size_t>(std::count(pairs_.begin(), pairs_.end(), 0));
    with_contexts += static_cast<double>((used + count) * kFrequencyBits);
    contexts_ = with_contexts < bits - bits / 32;  // else not worth the tables
    if (contexts_) bits = with_contexts;
  }
  const std::size_t rows = contexts_ ? count : 1;
  const std::uint32_t* all = contexts_ ? pairs_.data() : counts.data();
  frequencies_.resize(rows * count);
  for (std::size_t row = 0; row < rows; ++row) {
    normalize(all + row * count, count, rans_bits(contexts_), frequencies_.data() + row * count);
  }
  return static_cast<std::size_t>(bits / 8) + kStatesBytes;
}

void RansEncoder::put_model(ByteBuffer& out) const {
  for (std::size_t at = 0; at < frequencies_.size(); at += count_) put_row(frequencies_.data() + at, count_, out);
}

// A division by a frequency is a multiplication by its reciprocal: exact for states of 32 bits. That of 1 would be
// 2^64: one less, which the bias makes up for.
void RansEncoder::make_codes() {
  codes_.resize(frequencies_.size());
  const unsigned bits = rans_bits(contexts_);
  const std::uint32_t all = 1u << bits;
  for (std::size_t row = 0; row < frequencies_.size(); row += count_) {
    std::uint32_t start = 0;
    for (std::size_t i = row; i < row + count_; ++i) {
      const std::uint32_t frequency = frequencies_[i];
      if (frequency == 0) continue;
      const auto reciprocal = frequency > 1 ? UINT64_MAX / frequency + 1 : UINT64_MAX;
      const std::uint32_t bias = frequency > 1 ? start : start + all - 1;
      const auto greatest = static_cast<std::uint32_t>((std::uint64_t{frequency} << (32 - bits)) - 1);
      codes_[i] = {reciprocal, greatest, static_cast<std::uint16_t>(bias), static_cast<std::uint16_t>(all - frequency)};
      start += frequency;
    }
  }
}

void RansEncoder::put_tokens(const std::uint8_t* tokens, std::size_t n, ByteBuffer& out) {
  make_codes();
  if (contexts_) {
    put_lanes<true>(tokens, n, out);
  } else {
    put_lanes<false>(tokens, n, out);
  }
}

// From the last token to the first, so that a reader takes them in their order.
template <bool kContexts>
class RansEncoder::Lanes {
 public:
  // Words are written before `end`.
  Lanes(const Code* codes, std::size_t count, std::uint16_t* end) : codes_(codes), count_(count), word_(end) {
    std::fill_n(states_, kRansLanes, kLeastState);
  }

  void run(const std::uint8_t* tokens, std::size_t n) {
    const std::uint8_t* lanes[kRansLanes];
    for (std::size_t lane = 0; lane < kRansLanes; ++lane) lanes[lane] = tokens + rans_lane(lane, n);
    const std::size_t steps = n / kRansLanes;
    for (std::size_t lane = n % kRansLanes; lane-- > 0;) {
      const std::uint8_t* const at = lanes[lane] + steps;
      states_[lane] = put(states_[lane], steps == 0 ? codes_[*at] : code_at(codes_, count_, at), word_);
    }
    if (steps == 0) return;
    run_at_once(steps, lanes, std::make_index_sequence<kRansLanes>());
    for (std::size_t lane = kRansLanes; lane-- > 0;) states_[lane] = put(states_[lane], codes_[*lanes[lane]], word_);
  }
  const std::uint16_t* words() const { return word_; }
  const std::uint32_t* states() const { return states_; }

 private:
  static std::uint32_t put(std::uint32_t state, const Code& code, std::uint16_t*& word) {
    word[-1] = static_cast<std::uint16_t>(state);
    // -1 where the state is too high. A comparison would become a branch that is guessed wrong.
    const std::int64_t high = (std::int64_t{code.greatest} - std::int64_t{state}) >> 63;
    word += high;
    state >>= static_cast<unsigned>(high) & kWordBits;
    const auto quotient = static_cast<std::uint32_t>(static_cast<unsigned __int128>(code.reciprocal) * state >> 64);
    return state + code.bias + quotient * code.others;
  }
  // The code of a token that is not the first of its lane.
  static const Code& code_at(const Code* codes, std::size_t count, const std::uint8_t* token) {
    return codes[(kContexts ? token[-1] * count : 0) + *token];
  }
  // All whole steps but the first. The states stay in registers.
  template <std::size_t... kLane>
  void run_at_once(std::size_t steps, const std::uint8_t* const (&from)[kRansLanes], std::index_sequence<kLane...>) {
    const Code* const codes = codes_;
    const std::size_t count = count_;
    std::uint16_t* word = word_;
    const std::uint8_t* const lanes[] = {from[kLane]...};
    std::uint32_t states[] = {states_[kLane]...};
    for (std::size_t i = steps; i-- > 1;) {
      ((states[kLast - kLane] = put(states[kLast - kLane], code_at(codes, count, lanes[kLast - kLane] + i), word)),
       ...);
    }
    ((states_[kLane] = states[kLane]), ...);
    word_ = word;
  }

  static constexpr std::size_t kLast = kRansLanes - 1;

  const Code* codes_;
  std::size_t count_;
  std::uint16_t* word_;
  std::uint32_t states_[kRansLanes];
};

template <bool kContexts>
void RansEncoder::put_lanes(const std::uint8_t* tokens, std::size_t n, ByteBuffer& out) {
  words_.resize(n);  // at most one a token
  Lanes<kContexts> lanes(codes_.data(), count_, words_.data() + n);
  lanes.run(tokens, n);
  const auto words = static_cast<std::size_t>(words_.data() + n - lanes.words());
  out.put_varint(words);
  out.put_bytes(lanes.states(), kRansLanes * sizeof(std::uint32_t));
  out.put_bytes(lanes.words(), words * sizeof(std::uint16_t));
}

bool decode_rans(ByteReader& in, std::size_t count, bool contexts, std::size_t n, std::uint8_t* out) {
  const std::size_t rows = contexts ? count : 1;
  const unsigned bits = rans_bits(contexts);
  Scratch::Array<std::uint32_t> slots(Scratch::of_thread(), (rows << bits) + kSlotsAtOnce);  // filled below
  for (std::size_t row = 0; row < rows; ++row) {
    if (!read_row(in, count, contexts, bits, slots.data() + (row << bits))) return false;
  }
  const std::uint64_t words = in.get_varint();
  const std::uint8_t* states = in.take(kRansLanes * 4);
  if (!in.ok() || words > n) return false;
  const std::uint8_t* p = in.take(2 * words);
  if (p == nullptr) return false;
  return contexts ? Decoder<true>(slots.data(), states, p, 2 * words).run(n, out)
                  : Decoder<false>(slots.data(), states, p, 2 * words).run(n, out);
}

}  // namespace steno::format
