// Symbol tables (file.md §9.5): up to 2^13 short texts that occur often, with codes of one or two bytes. A text becomes
// the codes of the symbols that it is made of.
//
// The idea is that of FSST (Boncz, Neumann and Leis, VLDB 2020). Here most symbols are words and longer, with codes of
// two bytes; and a column is coded as one text, whose strings are told apart by their lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace steno::format {

inline constexpr std::size_t kMaxSymbolSize = 16;  // limits of the format
inline constexpr std::size_t kMaxSymbols = std::size_t{1} << 13;
inline constexpr std::size_t kEscape = 255;  // the code before a byte that stands for itself
inline constexpr std::size_t kPage = 256;    // symbols whose codes have the same first byte

// The bytes after `size` are 0.
struct Symbol {
  std::uint64_t low = 0;   // the first 8 bytes
  std::uint64_t high = 0;  // the others
  std::uint32_t size = 0;

  Symbol() = default;
  // Makes a symbol of 1 to 16 bytes, with as many readable at `p` in any case.
  Symbol(const std::uint8_t* p, std::size_t n) : size(static_cast<std::uint32_t>(n)) {
    low = first_bytes(load<std::uint64_t>(p), n);
    high = n > 8 ? first_bytes(load<std::uint64_t>(p + 8), n - 8) : 0;
  }
  bool operator==(const Symbol&) const = default;

 private:
  static std::uint64_t first_bytes(std::uint64_t word, std::size_t n) {
    return n >= 8 ? word : word & ((std::uint64_t{1} << (8 * n)) - 1);
  }
};

// The first symbols have codes of one byte: their index. The others have two, their page and their index within it: as
// many first bytes are taken for pages, right below the escape, as there must be. Bytes between have no symbol.
struct SymbolTable {
  std::vector<Symbol> symbols;

  std::size_t pages() const {
    return symbols.size() <= kEscape ? 0 : (symbols.size() - kEscape + kPage - 2) / (kPage - 1);
  }
  std::size_t short_codes() const { return kEscape - pages(); }
};

// Requires at most kMaxSymbols.
void put_symbols(const SymbolTable& table, ByteBuffer& out);
// Reads an untrusted table. False: damaged.
[[nodiscard]] bool read_symbols(ByteReader& in, SymbolTable* table);

// The bytes that decoding may write after the text.
inline constexpr std::size_t kSymbolSlack = 1024;

// Decodes untrusted codes to a text of `size` bytes, with room for kSymbolSlack more. False: damaged: a code without a
// symbol or without its second byte, or a text of another size.
[[nodiscard]] bool decode_symbols(const SymbolTable& table, std::span<const std::uint8_t> codes, std::size_t size,
                                  std::uint8_t* text);

}  // namespace steno::format
