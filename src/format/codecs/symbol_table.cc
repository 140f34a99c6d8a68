#include "format/codecs/symbol_table.h"

#include <algorithm>
#include <cstring>

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

// Symbols by code, so that decoding a code needs no branch: short ones, then pages, then a page of the bytes that
// stand for themselves.
class Lookup {
 public:
  explicit Lookup(const SymbolTable& table)
      : short_codes_(table.short_codes()), symbols_(short_codes_ + (table.pages() + 1) * kPage) {
    std::copy(table.symbols.begin(), table.symbols.end(), symbols_.begin());
    for (std::size_t byte = 0; byte < kPage; ++byte) {
      Symbol& literal = symbols_[symbols_.size() - kPage + byte];
      literal.low = byte;
      literal.size = 1;
    }
  }

  // Takes a code of one or two bytes from two that are readable. Returns the size of its symbol, 0 if it has none.
  std::size_t take(const std::uint8_t*& code, std::uint8_t* text) const {
    const std::size_t first = code[0];
    // Arithmetic, of which no compiler makes a branch: codes of one and of two bytes take turns at random.
    const std::size_t is_long = first >= short_codes_ ? 1 : 0;
    const std::size_t beyond = (first - short_codes_) * (kPage - 1) + code[1];
    const Symbol& symbol = symbols_[first + (beyond & (0 - is_long))];
    store_symbol(symbol, text);
    code += 1 + is_long;
    return symbol.size;
  }
  bool is_long(std::uint8_t code) const { return code >= short_codes_; }

 private:
  std::size_t short_codes_;
  std::vector<Symbol> symbols_;
};

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

bool decode_symbols(const SymbolTable& table, std::span<const std::uint8_t> codes, std::size_t size,
                    std::uint8_t* text) {
  const Lookup lookup(table);
  const std::uint8_t* code = codes.data();
  const std::uint8_t* const codes_end = code + codes.size();
  std::uint8_t* const text_end = text + size;
  bool sound = true;
  // As many codes as surely fit, then look again.
  for (;;) {
    const std::size_t safe = std::min(static_cast<std::size_t>(codes_end - code) / 2,
                                      static_cast<std::size_t>(text_end - text) / kMaxSymbolSize);
    if (safe == 0) break;
    for (std::size_t i = 0; i < safe; ++i) {
      const std::size_t n = lookup.take(code, text);
      sound &= n != 0;
      text += n;
    }
    if (!sound) return false;
  }
  while (code != codes_end) {
    std::uint8_t last[2] = {*code, 0};
    if (lookup.is_long(*code)) {
      if (codes_end - code < 2) return false;
      last[1] = code[1];
    }
    const std::uint8_t* p = last;
    const std::size_t n = lookup.take(p, text);
    if (n == 0 || n > static_cast<std::size_t>(text_end - text)) return false;
    text += n;
    code += p - last;
  }
  return text == text_end;
}

}  // namespace steno::format
