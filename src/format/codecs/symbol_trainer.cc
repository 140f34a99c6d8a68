#include "format/codecs/symbol_trainer.h"

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

// The size of a piece that is a symbol before there are any: two digits, a word with the space behind it, or what lies
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

void SymbolTrainer::add(const std::uint8_t* p, std::size_t size) {
  const Symbol symbol(p, size);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(symbol) & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    Candidate& candidate = slots_[slot];
    if (candidate.count == 0) {
      candidate = {symbol, 1};
      return;
    }
    if (candidate.symbol == symbol) {
      ++candidate.count;
      return;
    }
  }
}

// Counts the pieces into which `next` cuts the sample, and each two that follow each other.
template <class Next>
void SymbolTrainer::count(const std::uint8_t* sample, std::size_t size, const Next& next) {
  slots_.assign(std::max(kLeastSlots, std::bit_ceil(size) / 2), {});
  std::fill(std::begin(bytes_), std::end(bytes_), 0);
  const std::uint8_t* const end = sample + size;
  std::size_t before = 0;
  for (const std::uint8_t* p = sample; p < end;) {
    const std::size_t n = next(p);
    if (n > static_cast<std::size_t>(end - p)) break;
    ++bytes_[*p];
    if (n > 1) add(p, n);
    if (before != 0 && before + n <= kMaxSymbolSize) add(p - before, before + n);
    p += n;
    before = n;
  }
}

SymbolTable SymbolTrainer::best() const {
  std::vector<std::pair<std::uint32_t, Symbol>> found;
  for (const Candidate& candidate : slots_) {
    if (candidate.count < 2) continue;
    found.emplace_back(candidate.count * (2 * candidate.symbol.size - 1), candidate.symbol);
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<std::uint8_t>(byte);
    std::uint8_t bytes[kMaxSymbolSize] = {c};
    if (bytes_[byte] != 0) found.emplace_back(kByteWeight * bytes_[byte], Symbol(bytes, 1));
  }
  const std::size_t n = std::min(found.size(), kMostSymbols);
  const auto greater = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), found.end(), greater);
  SymbolTable table;
  for (std::size_t i = 0; i < n; ++i) table.symbols.push_back(found[i].second);
  return table;
}

SymbolTable SymbolTrainer::paying(const SymbolEncoder& encoder, const std::vector<std::uint32_t>& counts,
                                  double times) {
  std::vector<std::pair<std::uint32_t, Symbol>> used;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Symbol& symbol = encoder.table().symbols[i];
    // Without it, other symbols would take its place: it saves about half of its bytes, and costs them in the table.
    if (counts[i] * times * symbol.size <= 2 * (symbol.size + 1)) continue;
    used.emplace_back(counts[i], symbol);
  }
  std::sort(used.begin(), used.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : comes_before(a.second, b.second);
  });
  SymbolTable table;
  for (const auto& [count, symbol] : used) table.symbols.push_back(symbol);
  const auto first_long =
      table.symbols.begin() + static_cast<std::ptrdiff_t>(std::min(table.symbols.size(), table.short_codes()));
  std::sort(table.symbols.begin(), first_long, comes_before);
  std::sort(first_long, table.symbols.end(), comes_before);
  return table;
}

std::size_t SymbolTrainer::train(const std::uint8_t* sample, std::size_t size, double times, SymbolEncoder* encoder) {
  count(sample, size, first_guess);
  encoder->set(best());
  for (int round = 1; round < kRounds; ++round) {
    count(sample, size, [&](const std::uint8_t* p) { return encoder->match(p).size(); });
    encoder->set(best());
  }
  std::vector<std::uint32_t> counts(encoder->table().symbols.size() + 1);
  for (std::size_t at = 0; at < size;) {
    const SymbolMatch match = encoder->match(sample + at);
    ++counts[encoder->index_of(match)];
    at += match.size();
  }
  counts.pop_back();
  encoder->set(paying(*encoder, counts, times));
  std::size_t coded = 0;
  for (std::size_t at = 0; at < size;) {
    const SymbolMatch match = encoder->match(sample + at);
    coded += match.code_size();
    at += match.size();
  }
  return coded;
}

}  // namespace steno::format
