#include "format/strings/symbols/table.h"

#include <algorithm>
#include <cstring>

#include "base/scratch.h"
#include "format/multiversion.h"

namespace steno::format {
namespace {

void store_symbol(const Symbol& symbol, std::uint8_t* p) {
  store(p, symbol.low);
  store(p + 8, symbol.high);
}

std::size_t common_prefix(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b, std::size_t b_size) {
  std::size_t n = 0;
  while (n < a_size && n < b_size && a[n] == b[n]) ++n;
  return n;
}

// Symbols by code: short ones, then pages, then a page of the bytes that stand for themselves. Bytes and sizes apart:
// no symbol lies in two lines of the cache.
struct Lookup {
  const std::uint8_t* bytes;    // kMaxSymbolSize of each
  const std::uint8_t* sizes;    // 0: no symbol
  const std::uint32_t* firsts;  // by a code's first byte: where its symbol is, or those of its page
  const std::uint8_t* masks;    // by that, too: what of the second byte counts
  std::size_t short_codes;

  // Takes a code of one or two bytes from two that are readable. Returns the size of its symbol.
  STENO_INLINE std::size_t take(const std::uint8_t* code, std::uint8_t* text) const {
    // No branch: codes of one and of two bytes take turns at random.
    const std::size_t index = firsts[code[0]] + (std::size_t{masks[code[0]]} & code[1]);
    std::memcpy(text, bytes + index * kMaxSymbolSize, kMaxSymbolSize);
    return sizes[index];
  }

  // A bit for each of 64 bytes that could begin a code of two.
  STENO_INLINE std::uint64_t long_codes(const std::uint8_t* codes) const {
    constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
    constexpr std::uint64_t kGather = 0x0102'0408'1020'4080;  // the lowest bits of eight bytes, as the highest byte
    const std::uint64_t up = (256 - short_codes) * kEach;     // carries such a byte's lower bits into its highest one
    std::uint64_t found = 0;
    for (unsigned i = 0; i < 64; i += 8) {
      const auto word = load<std::uint64_t>(codes + i);
      const std::uint64_t at_least = ((word & (0x7F * kEach)) + up) & word;
      found |= ((at_least >> 7 & kEach) * kGather >> 56) << i;
    }
    return found;
  }
};
// Such bytes have their highest bit set, and need no look at those beside them.
static_assert(kEscape - (kMaxSymbols - kEscape + kPage - 2) / (kPage - 1) >= 128);

class LookupTable {
 public:
  explicit LookupTable(const SymbolTable& table)
      : short_codes_(table.short_codes()),
        size_(short_codes_ + (table.pages() + 1) * kPage),
        bytes_(Scratch::of_thread(), size_ * kMaxSymbolSize),
        sizes_(Scratch::of_thread(), size_) {
    std::size_t index = 0;
    const auto add = [&](const Symbol& symbol) {
      store_symbol(symbol, bytes_.data() + index * kMaxSymbolSize);
      sizes_[index++] = static_cast<std::uint8_t>(symbol.size);
    };
    for (const Symbol& symbol : table.symbols) add(symbol);
    while (index != size_ - kPage) add({});
    for (std::size_t byte = 0; byte < kPage; ++byte) {
      const std::uint8_t literal[kMaxSymbolSize] = {static_cast<std::uint8_t>(byte)};
      add({literal, 1});
      const bool is_long = byte >= short_codes_;
      firsts_[byte] = static_cast<std::uint32_t>(is_long ? short_codes_ + (byte - short_codes_) * kPage : byte);
      masks_[byte] = is_long ? 0xFF : 0;
    }
  }
  Lookup lookup() { return {bytes_.data(), sizes_.data(), firsts_, masks_, short_codes_}; }

 private:
  std::size_t short_codes_;
  std::size_t size_;
  Scratch::Array<std::uint8_t> bytes_;
  Scratch::Array<std::uint8_t> sizes_;
  std::uint32_t firsts_[kPage];
  std::uint8_t masks_[kPage];
};

constexpr std::size_t kAtOnce = 64;  // bytes of codes
static_assert(kSymbolSlack >= kAtOnce * kMaxSymbolSize);

// Which of 64 bytes are the second ones of codes: all bytes that could begin a long code are `may_be_long`. Such bytes
// come in runs, whose first one begins a code, but for one that ends the code before these 64 (`carry` 1); so then does
// every other one, and the byte after the last one that does is the second of its code, too. Sets `carry` for the next
// 64.
STENO_INLINE std::uint64_t second_bytes(std::uint64_t may_be_long, std::uint64_t* carry) {
  constexpr std::uint64_t kEven = 0x5555'5555'5555'5555;
  const std::uint64_t runs = may_be_long & ~*carry;
  const std::uint64_t odd_starts = runs & ~(runs << 1) & ~kEven;
  const std::uint64_t odd_runs = runs & ~(runs + odd_starts);  // a sum carries through the runs that begin at odd bits
  const std::uint64_t even_runs = runs ^ odd_runs;
  const std::uint64_t seconds = (even_runs << 1 & ~kEven) | (odd_runs << 1 & kEven) | *carry;
  *carry = (runs & ~seconds) >> 63;
  return seconds;
}

}  // namespace

void put_symbols(const SymbolTable& table, ByteBuffer& out) {
  out.put_varint(table.symbols.size());
  std::uint8_t before[kMaxSymbolSize] = {};
  std::size_t before_size = 0;
  for (const Symbol& symbol : table.symbols) {
    std::uint8_t bytes[kMaxSymbolSize];
    store_symbol(symbol, bytes);
    const std::size_t shared = std::min(common_prefix(before, before_size, bytes, symbol.size), kMaxSymbolSize - 1);
    out.put(static_cast<std::uint8_t>(shared << 4 | (symbol.size - 1)));
    out.put_bytes(bytes + shared, symbol.size - shared);
    std::memcpy(before, bytes, sizeof before);
    before_size = symbol.size;
  }
}

bool read_symbols(ByteReader& in, SymbolTable* table) {
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count > kMaxSymbols) return false;
  table->symbols.clear();
  std::uint8_t bytes[kMaxSymbolSize] = {};
  std::size_t before_size = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto head = in.get<std::uint8_t>();
    const std::size_t shared = head >> 4;
    const std::size_t size = (head & 15u) + 1;
    if (shared > std::min(before_size, size)) return false;
    const std::uint8_t* rest = in.take(size - shared);
    if (rest == nullptr) return false;
    if (size != shared) std::memcpy(bytes + shared, rest, size - shared);
    table->symbols.emplace_back(bytes, size);
    before_size = size;
  }
  return in.ok();
}

namespace {

STENO_MULTIVERSION(bool, decode_codes,
                   (const Lookup& symbols, std::span<const std::uint8_t> codes, std::uint8_t* text,
                    const std::uint8_t* text_end),
                   (symbols, codes, text, text_end)) {
  const Lookup lookup = symbols;  // in registers, whatever is written meanwhile
  std::uint8_t last[kAtOnce + 1] = {};
  std::uint64_t carry = 0;
  // Where codes begin is known for all bytes of a step before the first is taken, so that none waits for the one before
  // it.
  for (std::size_t at = 0; at < codes.size(); at += kAtOnce) {
    const std::uint8_t* step = codes.data() + at;
    std::uint64_t all = ~std::uint64_t{0};
    if (codes.size() - at <= kAtOnce) {  // there is no byte after them
      std::memcpy(last, step, codes.size() - at);
      step = last;
      all >>= kAtOnce - (codes.size() - at);
    }
    const std::uint64_t seconds = second_bytes(lookup.long_codes(step), &carry);
    std::size_t wrong = 0;
    for (std::uint64_t begins = ~seconds & all; begins != 0; begins &= begins - 1) {
      const std::size_t n = lookup.take(step + __builtin_ctzll(begins), text);
      wrong |= n - 1;
      text += n;
    }
    if (wrong >= kMaxSymbolSize || text > text_end || (seconds & ~all) != 0) return false;
  }
  return carry == 0 && text == text_end;
}

}  // namespace

bool decode_symbols(const SymbolTable& table, std::span<const std::uint8_t> codes, std::size_t size,
                    std::uint8_t* text) {
  LookupTable symbols(table);
  return decode_codes(symbols.lookup(), codes, text, text + size);
}

}  // namespace steno::format
