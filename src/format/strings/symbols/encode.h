// Codes a text with a symbol table, always with the longest symbol that it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "format/multiversion.h"
#include "format/strings/symbols/table.h"

namespace steno::format {

// The match at a place of a text: a symbol, or a byte with its escape.
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
  // Returns whether symbol i of the table has a slot, without which it is never found.
  bool has_slot(std::size_t i) const { return has_slot_[i] != 0; }

  // Index of the symbol that a match is; the number of symbols if it is none.
  std::size_t index_of(SymbolMatch match) const;
  // The match at `p`, with kMaxSymbolSize bytes readable: it may be longer than the text.
  SymbolMatch match(const std::uint8_t* p) const { return slots().match(p); }

  // Appends the codes of a text, after which kMaxSymbolSize bytes are readable.
  void encode(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const;

  // A symbol of each kind, found by as many of its first bytes, each kind by a hash of its own.
  struct alignas(64) Slot {
    std::uint64_t eight, eight_high, eight_high_mask;  // 8 to 16 bytes
    std::uint64_t five;                                // 5 to 7
    std::uint32_t eight_match, five_match, three_match, two_match;
    std::uint32_t three, three_mask;  // 3 and 4
    std::uint32_t two;
    std::uint32_t five_unused_bits;  // of the 64
  };
  // All that is needed to code: as a copy, which stores into codes cannot change.
  struct Slots {
    const Slot* slots;
    const std::uint32_t* bytes;
    unsigned shift;  // of a hash of 64 bits

    std::size_t index_of(std::uint64_t word, unsigned n) const {
      return (word << (64 - 8 * n)) * 0x9E3779B97F4A7C15 >> shift;
    }
    SymbolMatch match(const std::uint8_t* p) const;
  };

 private:
  static constexpr unsigned kMostSlotBits = 11;
  static constexpr unsigned kLeastSlotBits = 9;

  Slots slots() const { return {slots_.data(), bytes_, slot_shift_}; }
  std::uint32_t match_of(std::size_t index) const;
  void clear();
  bool insert(const Symbol& symbol, std::uint32_t match);
  std::uint8_t* encode_end(const std::uint8_t* text, const std::uint8_t* end, std::uint8_t* out) const;
  void encode_piece(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const;

  SymbolTable table_;
  std::size_t short_codes_ = 0;
  unsigned slot_shift_ = 0;
  std::vector<std::uint8_t> has_slot_;
  std::vector<Slot> slots_;
  std::uint32_t bytes_[256];
};

// All kinds of slots are looked at, whichever is found first: that is cheaper than a branch guessed wrong.
STENO_INLINE SymbolMatch SymbolEncoder::Slots::match(const std::uint8_t* p) const {
  const auto low = load<std::uint64_t>(p);
  const auto high = load<std::uint64_t>(p + 8);
  const Slot& eight = slots[index_of(low, 8)];
  const Slot& five = slots[index_of(low, 5)];
  const Slot& three = slots[index_of(low, 3)];
  const Slot& two = slots[index_of(low, 2)];
  std::uint32_t found = bytes[low & 0xFF];
  found = two.two == (low & 0xFFFF) ? two.two_match : found;
  found = three.three == (static_cast<std::uint32_t>(low) & three.three_mask) ? three.three_match : found;
  found = five.five == (low & ~std::uint64_t{0} >> five.five_unused_bits) ? five.five_match : found;
  const std::uint64_t differ = (eight.eight ^ low) | ((high & eight.eight_high_mask) ^ eight.eight_high);
  found = differ == 0 ? eight.eight_match : found;
  return {found};
}

}  // namespace steno::format
