#include "format/codecs/symbol_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "format/codecs/multiversion.h"

namespace steno::format {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kPiece = std::size_t{1} << 18;  // text that is coded at a time
constexpr std::size_t kLeastLane = 64;

constexpr std::uint32_t pack(std::size_t code, std::size_t size, std::size_t code_size) {
  return static_cast<std::uint32_t>(code | size << 16 | code_size << 24);
}

constexpr std::uint32_t escaped(std::size_t byte) {
  return pack(kEscape | byte << 8, 1, 2);
}

STENO_INLINE void put_match(SymbolMatch match, const std::uint8_t*& text, std::uint8_t*& out) {
  store(out, match.code());
  out += match.code_size();
  text += match.size();
}

}  // namespace

std::uint32_t SymbolEncoder::match_of(std::size_t index) const {
  const std::size_t size = table_.symbols[index].size;
  if (index < short_codes_) return pack(index, size, 1);
  const std::size_t behind = index - short_codes_;
  return pack((short_codes_ + behind / kPage) | behind % kPage << 8, size, 2);
}

std::size_t SymbolEncoder::index_of(SymbolMatch match) const {
  const std::size_t first = match.code() & 0xFF;
  if (match.code_size() == 1) return first;
  if (first == kEscape) return table_.symbols.size();
  return short_codes_ + (first - short_codes_) * kPage + (match.code() >> 8);
}

// Empty slots have bytes that no masked text is equal to.
void SymbolEncoder::clear() {
  const auto bits = static_cast<unsigned>(std::bit_width(table_.symbols.size()));
  slot_shift_ = 64 - std::clamp(bits + 1, kLeastSlotBits, kMostSlotBits);
  const std::size_t slots = std::size_t{1} << (64 - slot_shift_);
  longs_.assign(slots, {0, 1, 0, 0, 0});
  mediums_.assign(slots, {~std::uint64_t{0}, pack(0, 7, 0), 0});
  threes_.assign(slots, {~std::uint32_t{0}, pack(0, 3, 0)});
  pairs_.assign(slots, {~std::uint32_t{0}, pack(0, 2, 0)});
  for (std::size_t byte = 0; byte < 256; ++byte) bytes_[byte] = escaped(byte);
}

// False: the slot is taken.
bool SymbolEncoder::insert(const Symbol& symbol, std::uint32_t match) {
  if (symbol.size >= 8) {
    LongSlot& slot = longs_[slot_of(symbol.low, 8)];
    if (slot.match != 0) return false;
    const unsigned behind = symbol.size - 8;
    slot = {symbol.low, symbol.high, behind == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * behind), match, 0};
  } else if (symbol.size >= 5) {
    MediumSlot& slot = mediums_[slot_of(symbol.low, 5)];
    if (slot.bytes != ~std::uint64_t{0}) return false;
    slot = {symbol.low, match, 0};
  } else if (symbol.size >= 2) {
    SmallSlot& slot = symbol.size == 2 ? pairs_[slot_of(symbol.low, 2)] : threes_[slot_of(symbol.low, 3)];
    if (slot.match >> 24 != 0) return false;  // four bytes may look like those of an empty slot
    slot = {static_cast<std::uint32_t>(symbol.low), match};
  } else {
    bytes_[symbol.low] = match;
  }
  return true;
}

void SymbolEncoder::set(SymbolTable table) {
  table_ = std::move(table);
  short_codes_ = table_.short_codes();
  clear();
  has_slot_.resize(table_.symbols.size());
  for (std::size_t i = 0; i < table_.symbols.size(); ++i) has_slot_[i] = insert(table_.symbols[i], match_of(i)) ? 1 : 0;
}

// The last bytes, where a symbol may be longer than what is left.
std::uint8_t* SymbolEncoder::encode_end(const std::uint8_t* text, const std::uint8_t* end, std::uint8_t* out) const {
  while (text != end) {
    SymbolMatch found = match(text);
    if (found.size() > static_cast<std::size_t>(end - text)) found = {bytes_[*text]};
    put_match(found, text, out);
  }
  return out;
}

// A text is cut into lanes, which are coded in turns: each code waits for the one before it, but not for those of other
// lanes.
void SymbolEncoder::encode_piece(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const {
  const std::size_t lanes = size < kLanes * kLeastLane ? 1 : kLanes;
  const std::size_t room = 2 * (size / lanes + lanes) + 2;
  std::uint8_t* const begin = out.reserve(lanes * room);
  const std::uint8_t* in[kLanes];
  const std::uint8_t* end[kLanes];
  std::uint8_t* to[kLanes];
  for (std::size_t k = 0; k < lanes; ++k) {
    in[k] = text + size * k / lanes;
    end[k] = text + size * (k + 1) / lanes;
    to[k] = begin + k * room;
  }
  if (lanes == kLanes) {
    const auto all_have = [&] {
      bool all = true;
      for (std::size_t k = 0; k < kLanes; ++k) all &= static_cast<std::size_t>(end[k] - in[k]) >= kMaxSymbolSize;
      return all;
    };
    while (all_have()) {
      for (std::size_t k = 0; k < kLanes; ++k) put_match(match(in[k]), in[k], to[k]);
    }
  }
  std::uint8_t* written = begin;
  for (std::size_t k = 0; k < lanes; ++k) {
    const std::uint8_t* lane = begin + k * room;
    const auto coded = static_cast<std::size_t>(encode_end(in[k], end[k], to[k]) - lane);
    std::memmove(written, lane, coded);
    written += coded;
  }
  out.commit(static_cast<std::size_t>(written - begin));
}

void SymbolEncoder::encode(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const {
  for (std::size_t at = 0; at < size; at += kPiece) encode_piece(text + at, std::min(kPiece, size - at), out);
}

}  // namespace steno::format
