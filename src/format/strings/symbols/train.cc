#include "format/strings/symbols/train.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace steno::format {
namespace {

constexpr int kRounds = 3;
constexpr std::size_t kMostSymbols = 4096;
constexpr std::size_t kMostProbes = 8;
constexpr std::size_t kLeastSlots = 1024;
constexpr std::uint32_t kByteWeight = 8;  // bytes that have no symbol cost an escape

enum Class : std::uint8_t { kLetter, kDigit, kOther };

constexpr std::array<std::uint8_t, 256> classes() {
  std::array<std::uint8_t, 256> of{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    of[c] = letter ? kLetter : c >= '0' && c <= '9' ? kDigit : kOther;
  }
  return of;
}
constexpr std::array<std::uint8_t, 256> kClasses = classes();

// The size of a piece that is a symbol before there are any: two digits, a word with the space after it, or what lies
// between.
std::size_t first_guess(const std::uint8_t* p) {
  constexpr std::size_t kLongestWord = 12;
  const std::uint8_t kind = kClasses[*p];
  if (kind == kDigit) return kClasses[p[1]] == kDigit ? 2 : 1;
  std::size_t n = 1;
  while (n < kLongestWord && kClasses[p[n]] == kind) ++n;
  return kind == kLetter && p[n] == ' ' ? n + 1 : n;
}

std::uint64_t hash_of(const Symbol& s) {
  const std::uint64_t h = (s.low * 0x9E3779B97F4A7C15) ^ ((s.high + s.size) * 0xC2B2AE3D27D4EB4F);
  return (h ^ h >> 29) * 0x9E3779B97F4A7C15 >> 20;
}

// In the order of their bytes, so that neighbours have much in common.
bool comes_before(const Symbol& a, const Symbol& b) {
  if (a.low != b.low) return __builtin_bswap64(a.low) < __builtin_bswap64(b.low);
  if (a.high != b.high) return __builtin_bswap64(a.high) < __builtin_bswap64(b.high);
  return a.size < b.size;
}

}  // namespace

void SymbolTrainer::add(const Symbol& symbol, std::uint32_t times, std::uint32_t before) {
  if (symbol.size == 1) {
    bytes_[symbol.low].before += before;
    bytes_[symbol.low].count += times;
    return;
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(symbol) & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    Candidate& candidate = slots_[slot];
    if (candidate.count == 0) {
      candidate = {symbol, before, times};
      return;
    }
    if (candidate.symbol == symbol) {
      candidate.before += before;
      candidate.count += times;
      return;
    }
  }
}

// Counts the pieces into which `next` cuts the sample, and each two that follow each other.
template <class Next>
void SymbolTrainer::count(const std::uint8_t* sample, std::size_t size, const Next& next) {
  const std::uint8_t* const end = sample + size;
  std::size_t before = 0;
  for (const std::uint8_t* p = sample; p < end;) {
    const std::size_t n = next(p);
    if (n > static_cast<std::size_t>(end - p)) break;
    add(Symbol(p, n), 1, 0);
    if (n > 1) ++bytes_[*p].count;
    if (before != 0 && before + n <= kMaxSymbolSize) add(Symbol(p - before, before + n), 1, 0);
    p += n;
    before = n;
  }
}

void SymbolTrainer::add_known(const LearnedSymbols& learned) {
  const std::vector<Symbol>& symbols = learned.encoder.table().symbols;
  for (std::size_t i = 0; i < symbols.size(); ++i) add(symbols[i], learned.counts[i], learned.counts[i]);
}

void SymbolTrainer::choose() {
  const auto gain = [](const Candidate& c) {
    return c.symbol.size == 1 ? std::uint64_t{kByteWeight} * c.count : std::uint64_t{2 * c.symbol.size - 1} * c.count;
  };
  best_.clear();
  for (const Candidate& candidate : slots_) {
    if (candidate.count >= 2) best_.push_back(candidate);
  }
  for (const Candidate& candidate : bytes_) {
    if (candidate.count != 0) best_.push_back(candidate);
  }
  const auto greater = [&](const Candidate& a, const Candidate& b) { return gain(a) > gain(b); };
  const std::size_t n = std::min(best_.size(), kMostSymbols);
  std::nth_element(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(n), best_.end(), greater);
  best_.resize(n);
  std::sort(best_.begin(), best_.end(), greater);
}

void SymbolTrainer::set_best(SymbolEncoder* encoder) const {
  SymbolTable table;
  for (const Candidate& candidate : best_) table.symbols.push_back(candidate.symbol);
  encoder->set(std::move(table));
}

void SymbolTrainer::leave_paying(double times) {
  // Without it, other symbols would take its place: it saves about half of its bytes, and costs them in the table.
  std::erase_if(best_,
                [times](const Candidate& c) { return c.count * times * c.symbol.size <= 2 * (c.symbol.size + 1); });
  std::sort(best_.begin(), best_.end(), [](const Candidate& a, const Candidate& b) {
    return a.count != b.count ? a.count > b.count : comes_before(a.symbol, b.symbol);
  });
  const auto by_bytes = [](const Candidate& a, const Candidate& b) { return comes_before(a.symbol, b.symbol); };
  SymbolTable table;
  table.symbols.resize(best_.size());
  const auto first_long = best_.begin() + static_cast<std::ptrdiff_t>(std::min(best_.size(), table.short_codes()));
  std::sort(best_.begin(), first_long, by_bytes);
  std::sort(first_long, best_.end(), by_bytes);
}

std::size_t SymbolTrainer::learn(const std::uint8_t* sample, std::size_t size, std::size_t bytes,
                                 LearnedSymbols* learned) {
  const bool afresh = learned->sampled == 0;
  if (afresh) learned->counts.clear();
  const std::size_t sampled = learned->sampled / 2 + size;
  learned->sampled = 0;  // until all is there again: an allocation may fail in between
  for (std::uint32_t& n : learned->counts) n /= 2;
  SymbolEncoder& encoder = learned->encoder;
  for (int round = 0; round < (afresh ? kRounds : 1); ++round) {
    slots_.assign(std::max(kLeastSlots, std::bit_ceil(size) / 2), {});
    for (std::size_t byte = 0; byte < 256; ++byte) {
      bytes_[byte] = {};
      bytes_[byte].symbol.low = byte;
      bytes_[byte].symbol.size = 1;
    }
    if (afresh && round == 0) {
      count(sample, size, first_guess);
    } else {
      if (!afresh) add_known(*learned);
      count(sample, size, [&](const std::uint8_t* p) { return encoder.match(p).size(); });
    }
    choose();
    set_best(&encoder);
  }
  for (std::size_t i = 0; i < best_.size(); ++i) best_[i].count = best_[i].before;
  for (std::size_t at = 0; at < size;) {
    const SymbolMatch match = encoder.match(sample + at);
    const std::size_t index = encoder.index_of(match);
    if (index != best_.size()) ++best_[index].count;
    at += match.size();
  }
  leave_paying(static_cast<double>(bytes) / static_cast<double>(sampled));
  set_best(&encoder);
  learned->counts.clear();
  for (const Candidate& candidate : best_) learned->counts.push_back(candidate.count);
  learned->sampled = sampled;
  std::size_t coded = 0;
  for (std::size_t at = 0; at < size;) {
    const SymbolMatch match = encoder.match(sample + at);
    coded += match.code_size();
    at += match.size();
  }
  return coded;
}

}  // namespace steno::format
