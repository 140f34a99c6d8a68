// entropy: offsets of values, or of differences, as tokens by how often each comes, and the bits that these leave open
// (file.md §9.2.1). For what is skewed: most packed codecs pay for the largest value of many.
#include <algorithm>
#include <functional>

#include "format/ints/codec.h"
#include "format/ints/entropy.h"
#include "format/ints/entropy_tokens.h"

namespace steno::format {
namespace {

// ---- estimating

constexpr std::size_t kMostSampled = IntSample::kWindows * kMiniBlock;
constexpr std::size_t kFewTokens = 32;  // of which one is estimated by what is before it
constexpr double kTokenBytes = 1.6;     // in the model
constexpr double kBiasBits = 0.72;      // by which a token more makes the entropy of a sample too small
constexpr std::size_t kFixedBytes = 40;
constexpr std::size_t kLowShare = 32;  // one number in so many is below the low one

// Offsets of the sample, window after window.
struct Offsets {
  std::uint64_t at[kMostSampled];
  std::size_t count = 0;
  std::size_t starts[IntSample::kWindows + 1] = {};  // of windows
};

class TokenCounts {
 public:
  std::size_t estimate(const Offsets& offsets, TokenForm form, std::size_t count) {
    find_tokens(offsets.at, offsets.count, form, ids_);
    const std::uint32_t greatest = *std::max_element(ids_, ids_ + offsets.count);
    std::fill(counts_, counts_ + greatest + 1, 0);
    for (std::size_t i = 0; i < offsets.count; ++i) ++counts_[ids_[i]];
    const auto sampled = static_cast<double>(offsets.count);
    double open = 0;
    double used = 0;
    for (std::uint32_t id = 0; id <= greatest; ++id) {
      if (counts_[id] == 0) continue;
      open += counts_[id] * meaning_of(id, form).open;
      ++used;
    }
    double bits = entropy_bits(std::span(counts_, greatest + 1)) + kBiasBits * (used - 1);
    double model = used * kTokenBytes;
    if (greatest < kFewTokens) {
      const auto [pair_bits, pairs] = by_context(offsets, greatest + 1);
      const double pair_model = pairs * kTokenBytes;
      const double scale = static_cast<double>(count) / sampled / 8;
      if (pair_bits * scale + pair_model < bits * scale + model) {
        bits = pair_bits;
        model = pair_model;
      }
    }
    return kFixedBytes + static_cast<std::size_t>(model + (bits + open) / 8 / sampled * static_cast<double>(count));
  }

 private:
  // Bits, and how many pairs of tokens there are.
  std::pair<double, double> by_context(const Offsets& offsets, std::size_t tokens) {
    std::fill(pairs_, pairs_ + tokens * tokens, 0);
    for (std::size_t w = 0; offsets.starts[w] != offsets.count; ++w) {
      for (std::size_t i = offsets.starts[w] + 1; i < offsets.starts[w + 1]; ++i) {
        ++pairs_[ids_[i - 1] * tokens + ids_[i]];
      }
    }
    double bits = 0;
    double used = 0;
    for (std::size_t row = 0; row < tokens; ++row) {
      const std::span<const std::uint32_t> counts(pairs_ + row * tokens, tokens);
      const auto here = static_cast<double>(tokens) - static_cast<double>(std::count(counts.begin(), counts.end(), 0));
      bits += entropy_bits(counts) + kBiasBits * std::max(here - 1, 0.0);
      used += here;
    }
    return {bits, used};
  }

  std::uint32_t counts_[kMostTokenIds];
  std::uint16_t ids_[kMostSampled];
  std::uint32_t pairs_[kFewTokens * kFewTokens];
};

// Takes the offsets of the sample's values, or of the differences between them.
void take_offsets(const IntSample& sample, bool differences, Offsets* offsets) {
  offsets->count = 0;
  for (std::size_t w = 0; w < sample.windows; ++w) {
    offsets->starts[w] = offsets->count;
    const auto value = [&](std::size_t i) {
      return sample.type.is_narrow() ? sample.type.extend(sample.narrow[w][i]) : sample.wide[w][i];
    };
    for (std::size_t i = differences ? 1 : 0; i < sample.sizes[w]; ++i) {
      offsets->at[offsets->count++] = differences ? value(i) - value(i - 1) : value(i);
    }
  }
  offsets->starts[sample.windows] = offsets->count;
}

// Reduces the sample's offsets as encoding does: if one is no multiple of the divisor, none is divided.
void reduce(Offsets* offsets, std::uint64_t base, bool of_both_signs, const Divisor& divisor) {
  for (std::size_t i = 0; i < offsets->count; ++i) offsets->at[i] -= base;
  (void)to_multiples(offsets->at, offsets->count, divisor);
  if (of_both_signs) to_zigzag(offsets->at, offsets->count);
}

// The `rank`-th smallest of `count` numbers, compared as signed or unsigned, as their type is. Smaller ones come before
// it afterwards.
std::uint64_t ranked(std::uint64_t* numbers, std::size_t count, std::size_t rank, std::uint64_t flip) {
  const auto less = [flip](std::uint64_t a, std::uint64_t b) { return (a ^ flip) < (b ^ flip); };
  if (rank == 0) return *std::min_element(numbers, numbers + count, less);
  std::nth_element(numbers, numbers + rank, numbers + count, less);
  return numbers[rank];
}

std::size_t estimate(const IntSample& sample, IntScratch& scratch) {
  if (sample.type.is_float) return kNoFit;
  EntropyScratch& entropy = scratch.entropy;
  std::size_t best = kNoFit;
  TokenCounts counts;
  Offsets raw;
  Offsets offsets;
  using Base = EntropyChoice::Base;
  const auto consider = [&](EntropyChoice choice, std::uint64_t base) {
    const std::size_t bytes = counts.estimate(offsets, choice.form, sample.count);
    if (bytes >= best) return;
    best = bytes;
    entropy.choice = choice;
    entropy.base = base;
  };
  const auto consider_forms = [&](bool of_differences, Base from, std::uint64_t base, const Divisor& divisor) {
    const bool of_both_signs = from == Base::kMiddle;
    offsets = raw;
    reduce(&offsets, base, of_both_signs, divisor);
    for (const TokenForm form : {kTokenForms[0], kTokenForms[2]}) {
      consider({of_differences, of_both_signs, from, form}, base);
    }
  };
  // From the least up, or to both sides of the middle.
  const auto consider_all = [&](bool of_differences, std::uint64_t flip, const Divisor& divisor) {
    take_offsets(sample, of_differences, &raw);
    if (raw.count == 0) return;
    offsets = raw;
    const std::size_t half = raw.count / 2;
    const std::size_t few = raw.count / kLowShare;
    const std::uint64_t middle = ranked(offsets.at, offsets.count, half, flip);
    const std::uint64_t low = ranked(offsets.at, half + 1, few, flip);
    const std::uint64_t least = ranked(offsets.at, few + 1, 0, flip);
    consider_forms(of_differences, Base::kLeast, least, divisor);
    consider_forms(of_differences, Base::kMiddle, middle, divisor);
    // Where runs of records begin, values fall back: such steps must not widen all others.
    if (of_differences && low != least) consider_forms(of_differences, Base::kLow, low, divisor);
  };
  if (entropy.values) consider_all(false, order_flip<std::uint64_t>(sample.type), sample.of_values);
  if (entropy.differences) consider_all(true, order_flip<std::uint64_t>(kTypeI64), sample.of_deltas);
  return best;
}

// ---- encoding

struct Tokens {
  std::uint32_t ids[kMaxTokens];  // that come
  std::uint32_t counts[kMaxTokens];
  std::uint8_t widths[kMaxTokens];  // of their open bits
  std::size_t count = 0;
  std::uint64_t open = 0;  // bits, of all values
};

// False: there are too many of them.
bool tokenize(EntropyScratch& scratch, TokenForm form, std::size_t n, Tokens* tokens) {
  find_tokens(scratch.offsets.data(), n, form, scratch.ids.data());
  // Two counters each, in turns: one token often follows itself, and would wait for its own count to be stored.
  std::uint32_t counts[kMostTokenIds] = {};
  std::uint32_t more[kMostTokenIds] = {};
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    ++counts[scratch.ids[i]];
    ++more[scratch.ids[i + 1]];
  }
  if (n % 2 != 0) ++counts[scratch.ids[n - 1]];
  std::transform(counts, counts + tokens_of(form), more, counts, std::plus<>());
  std::uint8_t places[kMostTokenIds];
  tokens->count = 0;
  tokens->open = 0;
  for (std::uint32_t id = 0; id < tokens_of(form); ++id) {
    if (counts[id] == 0) continue;
    if (tokens->count == kMaxTokens) return false;
    places[id] = static_cast<std::uint8_t>(tokens->count);
    const std::uint32_t width = meaning_of(id, form).open;
    tokens->ids[tokens->count] = id;
    tokens->widths[tokens->count] = static_cast<std::uint8_t>(width);
    tokens->counts[tokens->count++] = counts[id];
    tokens->open += std::uint64_t{counts[id]} * width;
  }
  for (std::size_t i = 0; i < n; ++i) scratch.tokens[i] = places[scratch.ids[i]];
  return true;
}

void put_open_bits(const EntropyScratch& scratch, std::size_t n, const Tokens& tokens, ByteBuffer& out) {
  if (tokens.open == 0) return;
  const std::size_t size = (tokens.open + 7) / 8;
  std::uint8_t* p = out.reserve(size + 8);
  std::uint64_t held = 0;
  unsigned count = 0;  // below 8 before each
  const auto put = [&](std::uint64_t value, unsigned width) {
    held |= (value & ((std::uint64_t{1} << width) - 1)) << count;
    count += width;
    store(p, held);
    p += count / 8;
    held >>= count & ~7u;  // of at most 7 + 32
    count &= 7;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t offset = scratch.offsets[i];
    const unsigned width = tokens.widths[scratch.tokens[i]];
    if (width > 32) {
      put(offset, 32);
      put(offset >> 32, width - 32);
    } else {
      put(offset, width);
    }
  }
  out.commit(size);
}

bool encode(const IntSource& source, const IntSample& sample, IntScratch& all, Zone* zone, ByteBuffer& out) {
  EntropyScratch& scratch = all.entropy;
  EntropyChoice choice = scratch.choice;
  const std::size_t n = source.count;
  scratch.offsets.resize(n);
  scratch.ids.resize(n);
  scratch.tokens.resize(n);
  std::uint64_t* offsets = scratch.offsets.data();
  collect(source, offsets, zone);
  const std::uint64_t first = offsets[0];
  const std::uint64_t base = choice.of_differences || choice.of_both_signs ? scratch.base : zone->least;
  if (choice.of_differences) {
    to_differences(offsets, n, base);
  } else {
    for (std::size_t i = 0; i < n; ++i) offsets[i] -= base;
  }
  Divisor divisor = choice.of_differences ? sample.of_deltas : sample.of_values;
  if (!to_multiples(offsets, n, divisor)) divisor = Divisor();
  if (choice.of_both_signs) to_zigzag(offsets, n);
  Tokens tokens;
  const TokenForm* coarser = kTokenForms;
  while (!tokenize(scratch, choice.form, n, &tokens)) {
    while (coarser->direct >= choice.form.direct) ++coarser;
    choice.form = *coarser;
  }
  const std::size_t coded =
      scratch.rans.plan(scratch.tokens.data(), n, tokens.count, tokens.counts, choice.may_have_contexts);
  scratch.planned = coded + tokens.open / 8 + kFixedBytes;
  if (scratch.planned > scratch.limit) return false;

  const unsigned form = (choice.form.direct - 1) | choice.form.detail << kDetailShift |
                        (choice.of_both_signs ? kOfBothSigns : 0) | (choice.of_differences ? kOfDifferences : 0) |
                        (scratch.rans.contexts() ? kContexts : 0);
  out.put(static_cast<std::uint8_t>(form));
  out.put_varint(divisor.value);
  out.put_signed_varint(static_cast<std::int64_t>(base));
  if (choice.of_differences) out.put_signed_varint(static_cast<std::int64_t>(first - base));
  out.put_varint(tokens.count - 1);
  for (std::size_t i = 0; i < tokens.count; ++i) {
    out.put_varint(i == 0 ? tokens.ids[0] : tokens.ids[i] - tokens.ids[i - 1] - 1);
  }
  scratch.rans.put_model(out);
  scratch.rans.put_tokens(scratch.tokens.data(), n, out);
  put_open_bits(scratch, n, tokens, out);
  return true;
}

}  // namespace

const IntCodec kEntropyCodec{CodecId::kEntropy, "entropy", estimate, encode, decode_entropy};

}  // namespace steno::format
