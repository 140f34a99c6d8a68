// Codes a text with a symbol table, always with the longest symbol that it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "format/codecs/symbol_table.h"

namespace steno::format {

// What lies at a place of a text: a symbol, or a byte with its escape.
struct SymbolMatch {
  std::uint32_t packed;  // two bytes of code, of which one may not count; size of the text; size of the code

  std::uint16_t code() const { return static_cast<std::uint16_t>(packed); }
  std::size_t size() const { return packed >> 16 & 0xFF; }
  std::size_t code_size() const { return packed >> 24; }
};

// Hash tables without chains: one symbol a slot, and a fixed number of slots looked at for any text. So there is no
// branch to guess and no text that is slow; symbols that find their slot taken are left out.
class SymbolEncoder {
 public:
  // Takes symbols over, the most useful first; returns how many had a slot. Codes follow the order in which the symbols
  // are.
  void set(SymbolTable table);
  const SymbolTable& table() const { return table_; }
  // Whether symbol i of the table is ever found.
  bool has_slot(std::size_t i) const { return has_slot_[i] != 0; }

  // Index of the symbol that a match is; the number of symbols if it is none.
  std::size_t index_of(SymbolMatch match) const;
  // What lies at `p`, with kMaxSymbolSize bytes readable: it may be longer than the text.
  SymbolMatch match(const std::uint8_t* p) const;

  // Appends the codes of a text, behind which kMaxSymbolSize bytes are readable.
  void encode(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const;

 private:
  static constexpr unsigned kMostSlotBits = 11;
  static constexpr unsigned kLeastSlotBits = 9;

  struct LongSlot {  // 8 to 16 bytes, found by the first 8
    std::uint64_t low, high, high_mask;
    std::uint32_t match, unused;
  };
  struct MediumSlot {  // 5 to 7, found by 5
    std::uint64_t bytes;
    std::uint32_t match, unused;
  };
  struct SmallSlot {  // 3 and 4, found by 3; and 2
    std::uint32_t bytes, match;
  };

  std::size_t slot_of(std::uint64_t word, unsigned bytes) const {
    return (word << (64 - 8 * bytes)) * 0x9E3779B97F4A7C15 >> slot_shift_;
  }
  std::uint32_t match_of(std::size_t index) const;
  void clear();
  bool insert(const Symbol& symbol, std::uint32_t match);
  std::uint8_t* encode_end(const std::uint8_t* text, const std::uint8_t* end, std::uint8_t* out) const;
  void encode_piece(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const;

  SymbolTable table_;
  std::size_t short_codes_ = 0;
  unsigned slot_shift_ = 0;  // of a hash of 64 bits
  std::vector<std::uint8_t> has_slot_;
  std::vector<LongSlot> longs_;
  std::vector<MediumSlot> mediums_;
  std::vector<SmallSlot> threes_;
  std::vector<SmallSlot> pairs_;
  std::uint32_t bytes_[256];
};

// All kinds of slots are looked at, whichever is found first: that is cheaper than a branch guessed wrong.
inline SymbolMatch SymbolEncoder::match(const std::uint8_t* p) const {
  const auto low = load<std::uint64_t>(p);
  const auto high = load<std::uint64_t>(p + 8);
  const LongSlot& eight = longs_[slot_of(low, 8)];
  const MediumSlot& five = mediums_[slot_of(low, 5)];
  const SmallSlot& three = threes_[slot_of(low, 3)];
  const SmallSlot& two = pairs_[slot_of(low, 2)];
  std::uint32_t found = bytes_[low & 0xFF];
  found = two.bytes == (low & 0xFFFF) ? two.match : found;
  const unsigned three_bits = 8 * (three.match >> 16 & 7);
  found =
      three.bytes == (static_cast<std::uint32_t>(low) & ~std::uint32_t{0} >> (32 - three_bits)) ? three.match : found;
  const unsigned five_bits = 8 * (five.match >> 16 & 7);
  found = five.bytes == (low & ~std::uint64_t{0} >> (64 - five_bits)) ? five.match : found;
  found = ((eight.low ^ low) | ((high & eight.high_mask) ^ eight.high)) == 0 ? eight.match : found;
  return {found};
}

}  // namespace steno::format
