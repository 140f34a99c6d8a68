// dictionary: the distinct values once, then an index a value (file.md §9.1). For few values that lie far apart.
#include <algorithm>
#include <bit>

#include "format/ints/codec.h"
#include "format/ints/column.h"

namespace steno::format {
namespace {

constexpr std::size_t kMaxDistinct = 4096;
constexpr std::size_t kSlots = 4 * kMaxDistinct;
constexpr std::size_t kLook = 128;       // values of the sample that are looked at
constexpr std::size_t kMostInLook = 48;  // more distinct ones: not few
constexpr std::size_t kProbes = 24;      // then the values fight the hash: give up

std::size_t slot_of(std::uint64_t value, std::size_t slots) {
  return static_cast<std::size_t>((value ^ value >> 32) * 0x9E3779B97F4A7C15 >> 32) & (slots - 1);
}

std::uint64_t sampled_value(const IntSample& sample, std::size_t i) {
  const std::size_t window = i % sample.windows;
  const std::size_t at = i / sample.windows % sample.sizes[window];
  return sample.type.is_narrow() ? sample.narrow[window][at] : sample.wide[window][at];
}

// How many distinct values are among `look` of the sample; a few less where hashes collide.
std::size_t count_distinct(const IntSample& sample, std::size_t look) {
  constexpr std::size_t kBits = 2048;
  std::uint64_t seen[kBits / 64] = {};
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < look && distinct <= kMostInLook; ++i) {
    const std::size_t bit = slot_of(sampled_value(sample, i), kBits);
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    distinct += (seen[bit / 64] & mask) == 0;
    seen[bit / 64] |= mask;
  }
  return distinct;
}

std::size_t estimate(const IntSample& sample, IntScratch&) {
  const std::size_t look = std::min(kLook, sample.sampled);
  const std::size_t distinct = count_distinct(sample, look);
  if (distinct > kMostInLook || distinct * 2 > look) return kNoFit;
  // There are more than were seen, and fewer than would matter.
  const auto width = static_cast<std::size_t>(std::bit_width(2 * distinct - 1));
  return 2 * distinct * sample.type.bytes + sample.count * width / 8;
}

// Finds or adds `value`; kMaxDistinct: there are too many.
std::size_t index_of(std::uint64_t value, IntScratch& scratch) {
  std::size_t slot = slot_of(value, kSlots);
  for (std::size_t probe = 0; probe < kProbes; ++probe, slot = (slot + 1) & (kSlots - 1)) {
    const std::uint32_t entry = scratch.slots[slot];
    if (entry != 0 && scratch.values[entry - 1] == value) return entry - 1;
    if (entry != 0) continue;
    if (scratch.values.size() == kMaxDistinct) return kMaxDistinct;
    scratch.values.push_back(value);
    scratch.slots[slot] = static_cast<std::uint32_t>(scratch.values.size());
    return scratch.values.size() - 1;
  }
  return kMaxDistinct;
}

template <class Lane>
bool collect(const IntSource& source, IntScratch& scratch) {
  Lane values[kMiniBlock];
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, source.count - at);
    gather(source, at, n, values);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t index = index_of(values[i], scratch);
      if (index == kMaxDistinct) return false;
      scratch.codes[at + i] = static_cast<std::uint32_t>(index);
    }
    if (scratch.values.size() > 256 + (at + n) / 4) return false;
  }
  return true;
}

bool encode(const IntSource& source, const IntSample&, IntScratch& scratch, Zone* zone, ByteBuffer& out) {
  scratch.values.clear();
  scratch.slots.assign(kSlots, 0);
  scratch.codes.resize(source.count);
  const bool few =
      source.type.is_narrow() ? collect<std::uint32_t>(source, scratch) : collect<std::uint64_t>(source, scratch);
  if (!few) return false;
  const IntType type = source.type;
  for (std::uint64_t& value : scratch.values) value = type.extend(value);
  *zone = {scratch.values[0], scratch.values[0]};
  for (const std::uint64_t value : scratch.values) widen_zone(zone, type, value, value);
  out.put_varint(scratch.values.size());
  const std::size_t width = type.bytes;
  std::uint8_t* p = out.grow(scratch.values.size() * width);
  for (const std::uint64_t value : scratch.values) {
    std::memcpy(p, &value, width);
    p += width;
  }
  encode_ints(IntSource::array(scratch.codes.data(), source.count, kTypeU32), IntHint::kOffsets, scratch, out);
  return true;
}

bool decode(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out) {
  const std::uint64_t distinct = in.get_varint();
  if (distinct > n) return false;
  const std::uint8_t* p = in.take(distinct * type.bytes);
  if (p == nullptr || !decode_ints(in, kTypeU32, n, depth + 1, out)) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (out[i] >= distinct) return false;
    std::uint64_t value = 0;
    std::memcpy(&value, p + out[i] * type.bytes, type.bytes);
    out[i] = value;
  }
  return true;
}

}  // namespace

const IntCodec kDictionaryCodec{CodecId::kDictionary, "dictionary", estimate, encode, decode};

}  // namespace steno::format
