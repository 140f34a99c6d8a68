#include "format/strings/symbols/encode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "format/multiversion.h"

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

// Where in a text and in its codes one is.
struct Lane {
  const std::uint8_t* text;
  std::uint8_t* out;
  const std::uint8_t* end;

  STENO_INLINE void put(SymbolMatch match) {
    store(out, match.code());
    out += match.code_size();
    text += match.size();
  }
  // Symbols that surely fit.
  std::size_t safe() const { return static_cast<std::size_t>(end - text) / kMaxSymbolSize; }
};

// A code in each lane, so often.
STENO_MULTIVERSION(void, encode_rounds, (const SymbolEncoder::Slots& slots, Lane* lanes, std::size_t rounds),
                   (slots, lanes, rounds)) {
  const SymbolEncoder::Slots own = slots;
  Lane a = lanes[0];
  Lane b = lanes[1];
  Lane c = lanes[2];
  Lane d = lanes[3];
  for (; rounds != 0; --rounds) {
    const SymbolMatch in_a = own.match(a.text);
    const SymbolMatch in_b = own.match(b.text);
    a.put(in_a);
    b.put(in_b);
    const SymbolMatch in_c = own.match(c.text);
    const SymbolMatch in_d = own.match(d.text);
    c.put(in_c);
    d.put(in_d);
  }
  lanes[0] = a;
  lanes[1] = b;
  lanes[2] = c;
  lanes[3] = d;
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
  Slot empty{};
  empty.eight_high = 1;
  empty.five = ~std::uint64_t{0};
  empty.five_unused_bits = 8;
  empty.three = empty.two = ~std::uint32_t{0};
  empty.three_mask = 0xFFFFFF;
  slots_.assign(slots, empty);
  for (std::size_t byte = 0; byte < 256; ++byte) bytes_[byte] = escaped(byte);
}

// False: the slot is taken.
bool SymbolEncoder::insert(const Symbol& symbol, std::uint32_t match) {
  const unsigned size = symbol.size;
  const auto slot_by = [&](unsigned n) -> Slot& { return slots_[slots().index_of(symbol.low, n)]; };
  const auto take = [match](std::uint32_t& place) { return place == 0 && (place = match) != 0; };
  if (size >= 8) {
    Slot& slot = slot_by(8);
    if (!take(slot.eight_match)) return false;
    slot.eight = symbol.low;
    slot.eight_high = symbol.high;
    slot.eight_high_mask = size == 8 ? 0 : ~std::uint64_t{0} >> (64 - 8 * (size - 8));
  } else if (size >= 5) {
    Slot& slot = slot_by(5);
    if (!take(slot.five_match)) return false;
    slot.five = symbol.low;
    slot.five_unused_bits = 64 - 8 * size;
  } else if (size >= 3) {
    Slot& slot = slot_by(3);
    if (!take(slot.three_match)) return false;
    slot.three = static_cast<std::uint32_t>(symbol.low);
    slot.three_mask = ~std::uint32_t{0} >> (32 - 8 * size);
  } else if (size == 2) {
    Slot& slot = slot_by(2);
    if (!take(slot.two_match)) return false;
    slot.two = static_cast<std::uint32_t>(symbol.low);
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
    store(out, found.code());
    out += found.code_size();
    text += found.size();
  }
  return out;
}

// A text is cut into lanes, which are coded in turns: each code waits for the one before it, but not for those of other
// lanes.
void SymbolEncoder::encode_piece(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const {
  const std::size_t lanes = size < kLanes * kLeastLane ? 1 : kLanes;
  const std::size_t room = 2 * (size / lanes + lanes) + 2;
  std::uint8_t* const begin = out.reserve(lanes * room);
  Lane lane[kLanes];
  for (std::size_t k = 0; k < lanes; ++k) {
    lane[k] = {text + size * k / lanes, begin + k * room, text + size * (k + 1) / lanes};
  }
  while (lanes == kLanes) {
    const std::size_t rounds = std::min({lane[0].safe(), lane[1].safe(), lane[2].safe(), lane[3].safe()});
    if (rounds == 0) break;
    encode_rounds(slots(), lane, rounds);
  }
  std::uint8_t* written = begin;
  for (std::size_t k = 0; k < lanes; ++k) {
    const std::uint8_t* codes = begin + k * room;
    const auto coded = static_cast<std::size_t>(encode_end(lane[k].text, lane[k].end, lane[k].out) - codes);
    std::memmove(written, codes, coded);
    written += coded;
  }
  out.commit(static_cast<std::size_t>(written - begin));
}

void SymbolEncoder::encode(const std::uint8_t* text, std::size_t size, ByteBuffer& out) const {
  for (std::size_t at = 0; at < size; at += kPiece) encode_piece(text + at, std::min(kPiece, size - at), out);
}

}  // namespace steno::format
