#include "format/ints/column.h"

#include <algorithm>
#include <cassert>

#include "format/ints/mini_block.h"
#include "format/without.h"

namespace steno::format {
namespace {

constexpr const IntCodec* kCodecs[] = {&kConstantCodec,   &kFrameOfReferenceCodec, &kDeltaCodec,  &kRawCodec,
                                       &kDictionaryCodec, &kDecimalCodec,          &kEntropyCodec};

constexpr unsigned kMaxDepth = 4;           // a decimal in a dictionary in strings, and one to spare
constexpr std::size_t kManyValues = 4096;   // from here on three windows are worth it
constexpr std::size_t kDivisorSample = 48;  // values that must share a divisor
// Entropy coding pays for a model and takes longer, to write and to read: not for fewer values ...
constexpr std::size_t kLeastEntropy = 1024;
constexpr std::size_t kNothingToGain = 24;  // ... nor for what packs below a third of a bit each ...
constexpr std::size_t kLeastGain = 8;       // ... nor for less than this share of what packing takes ...
constexpr std::size_t kLeastGainOfAny = 5;  // ... of what is searched and summed up, which is quicker if packed.
constexpr double kMostGrowth = 1.15;        // of what a codec takes, until the others are looked at again

// Returns whether a column of `n` values has a zone: codec byte, then least and greatest value in wire width.
bool has_zone(const IntCodec& codec, IntType type, std::size_t n) {
  return n >= kZonedColumn && !type.is_float && codec.id != CodecId::kConstant;
}

bool take_zone(ByteReader& in, IntType type, Zone* zone) {
  const std::uint8_t* p = in.take(2 * std::size_t{type.bytes});
  if (p == nullptr) return false;
  *zone = Zone{};
  std::memcpy(&zone->least, p, type.bytes);
  std::memcpy(&zone->greatest, p + type.bytes, type.bytes);
  zone->least = type.extend(zone->least);
  zone->greatest = type.extend(zone->greatest);
  return true;
}

// Sums and bases are right modulo the type's width only.
void cut_to_type(IntType type, std::size_t n, std::uint64_t* values) {
  if (type.bytes == 8) return;
  const unsigned unused = 64 - 8 * type.bytes;
  if (type.is_signed) {
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(values[i] << unused) >> unused);
    }
  } else {
    const std::uint64_t mask = ~std::uint64_t{0} >> unused;
    for (std::size_t i = 0; i < n; ++i) values[i] &= mask;
  }
}

template <class Lane>
void take_sample(const IntSource& source, Lane (*windows)[kMiniBlock], IntSample* sample) {
  const std::size_t n = source.count;
  const std::size_t last = n > kMiniBlock ? n - kMiniBlock : 0;
  sample->type = source.type;
  sample->count = n;
  sample->windows = n < kManyValues ? 1 : IntSample::kWindows;
  sample->sampled = 0;
  std::uint64_t of_values = 1;
  std::uint64_t of_deltas = 1;
  for (std::size_t k = 0; k < sample->windows; ++k) {
    const std::size_t size = std::min(n, kMiniBlock);
    const Lane* values = mini_block_of(source, last * k / 2, size, windows[k]);
    if (values != windows[k]) std::copy(values, values + size, windows[k]);
    sample->sizes[k] = size;
    sample->sampled += size;
    if (source.type.is_float) continue;
    // The greatest divisor of any window: one that an outlier breaks must not hide it.
    of_values = std::max(of_values, common_divisor(windows[k], std::min(size, kDivisorSample)));
    Lane d[kDivisorSample];
    const std::size_t deltas = std::min(size - 1, kDivisorSample);
    for (std::size_t i = 0; i < deltas; ++i) d[i] = static_cast<Lane>(windows[k][i + 1] - windows[k][i]);
    of_deltas = std::max(of_deltas, common_divisor(d, deltas));
  }
  sample->of_values = Divisor(of_values);
  sample->of_deltas = Divisor(of_deltas);
}

bool try_encode(const IntCodec& codec, const IntSource& source, IntScratch& scratch, ByteBuffer& out) {
  const std::size_t start = out.size();
  const std::size_t zone_size = has_zone(codec, source.type, source.count) ? source.type.bytes : 0;
  out.put(static_cast<std::uint8_t>(codec.id));
  out.grow(2 * zone_size);
  Zone zone;
  if (!codec.encode(source, scratch.sample, scratch, &zone, out)) {
    out.truncate(start);
    return false;
  }
  if (zone_size != 0) {
    std::memcpy(out.data() + start + 1, &zone.least, zone_size);
    std::memcpy(out.data() + start + 1 + zone_size, &zone.greatest, zone_size);
  }
  return true;
}

// The facts known of the column, which is the next part of its argument; nullptr: none.
KnownInts* known_ints(const IntSource& source, IntHint hint, IntScratch& scratch) {
  const std::uint64_t part = ++scratch.part;
  if (scratch.column == 0 || source.count < kLeastEntropy) return nullptr;
  // Parts may come and go, so that another one has this number.
  const std::uint64_t kind =
      static_cast<std::uint64_t>(hint) << 4 | source.type.bytes | (source.type.is_signed ? 64 : 0);
  return &scratch.known.of((scratch.column * 0x9E3779B97F4A7C15 ^ part << 8 ^ kind) * 0xC2B2AE3D27D4EB4F | 1);
}

// The codec with the least estimate of those that pack.
const IntCodec& choose_anew(IntScratch& scratch, std::size_t* least) {
  const IntSample& sample = scratch.sample;
  const IntCodec* best = &kRawCodec;
  *least = kRawCodec.estimate(sample, scratch);
  const auto consider = [&](const IntCodec& codec) {
    if (is_left_out(codec.name)) return;
    const std::size_t estimate = codec.estimate(sample, scratch);
    if (estimate >= *least) return;
    best = &codec;
    *least = estimate;
  };
  if (sample.type.is_float) {
    consider(kDecimalCodec);
    if (best == &kDecimalCodec) return *best;
  }
  consider(kFrameOfReferenceCodec);
  // Below a byte a value there is little left to gain, and these cost more to try.
  if (*least > sample.count / 4) consider(kDeltaCodec);
  if (*least > sample.count) consider(kDictionaryCodec);
  return *best;
}

// The codec with the least estimate of those that pack, or the one that the hint says.
const IntCodec& choose(IntHint hint, KnownInts* known, IntScratch& scratch, std::size_t* least) {
  const IntSample& sample = scratch.sample;
  if (hint != IntHint::kAny) {
    const IntCodec& codec = hint == IntHint::kOffsets ? kFrameOfReferenceCodec : kDeltaCodec;
    *least = scratch.quick || sample.count < kLeastEntropy ? 0 : codec.estimate(sample, scratch);
    return codec;
  }
  const auto count = static_cast<double>(sample.count);
  if (known != nullptr && known->packed != nullptr && known->packed_term-- != 0) {
    *least = known->packed->estimate(sample, scratch);
    if (*least != kNoFit && static_cast<double>(*least) <= known->packed_bytes * count * kMostGrowth)
      return *known->packed;
  }
  const IntCodec& best = choose_anew(scratch, least);
  if (known != nullptr) {
    known->packed = &best;
    known->packed_bytes = static_cast<double>(*least) / count;
    known->packed_term = KnownInts::kTerm - 1;
  }
  return best;
}

// Returns whether entropy codes are tried for the column itself, and not only for those that `codec` makes of it.
bool may_suit_entropy(const IntSource& source, const IntCodec& codec, IntScratch& scratch) {
  if (codec.id == CodecId::kDecimal) return false;
  if (source.count < kLeastEntropy || source.type.is_float || is_left_out(kEntropyCodec.name)) return false;
  if (scratch.quick) scratch.left_out = true;
  return !scratch.quick;
}

bool encode_entropy(const IntSource& source, KnownInts* known, IntScratch& scratch, ByteBuffer& out) {
  if (!try_encode(kEntropyCodec, source, scratch, out)) return false;
  if (known == nullptr) return true;
  known->entropy = scratch.entropy.choice;
  known->entropy.may_have_contexts = scratch.entropy.rans.contexts();
  known->entropy_base = scratch.entropy.base;
  known->entropy_bytes = static_cast<double>(scratch.entropy.planned) / static_cast<double>(source.count);
  return true;
}

// Encodes the column as the last one was, if that takes about as much again: nothing is estimated.
bool encode_entropy_again(const IntSource& source, KnownInts* known, IntScratch& scratch, ByteBuffer& out) {
  if (known == nullptr || known->entropy_term == 0 || scratch.quick) return false;
  --known->entropy_term;
  EntropyScratch& entropy = scratch.entropy;
  entropy.choice = known->entropy;
  entropy.base = known->entropy_base;
  entropy.limit = static_cast<std::size_t>(known->entropy_bytes * static_cast<double>(source.count) * kMostGrowth);
  if (try_encode(kEntropyCodec, source, scratch, out)) return true;
  known->entropy_term = 0;
  return false;
}

// Instead of `codec`, which would take so many bytes.
bool try_entropy(const IntSource& source, IntHint hint, const IntCodec& codec, std::size_t packed, KnownInts* known,
                 IntScratch& scratch, ByteBuffer& out) {
  if (!may_suit_entropy(source, codec, scratch) || packed < source.count / kNothingToGain) return false;
  if (known != nullptr && !known->entropy_patience.is_due()) return false;
  EntropyScratch& entropy = scratch.entropy;
  entropy.values = hint != IntHint::kDeltas;
  entropy.differences = hint != IntHint::kOffsets;
  entropy.limit = packed - packed / (hint == IntHint::kAny ? kLeastGainOfAny : kLeastGain);
  const std::size_t bytes = kEntropyCodec.estimate(scratch.sample, scratch);
  const bool done = bytes <= entropy.limit && encode_entropy(source, known, scratch, out);
  if (known == nullptr) return done;
  known->entropy_term = done ? KnownInts::kTerm - 1 : 0;
  if (done) {
    known->entropy_patience.worked();
  } else {
    known->entropy_patience.failed();
  }
  return done;
}

template <class Lane>
void collect_lanes(const IntSource& source, std::uint64_t* values, Zone* zone) {
  const auto flip = order_flip<Lane>(source.type);
  alignas(64) Lane scratch[kMiniBlock];
  Lane low[kLanes];
  Lane high[kLanes];
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, source.count - at);
    const Lane* const block = mini_block_of(source, at, n, scratch);
    lane_extents(block, flip, low, high);
    const std::uint64_t least = source.type.extend(*std::min_element(low, low + kLanes) ^ flip);
    const std::uint64_t greatest = source.type.extend(*std::max_element(high, high + kLanes) ^ flip);
    if (at == 0) *zone = {least, greatest};
    widen_zone(zone, source.type, least, greatest);
    for (std::size_t i = 0; i < n; ++i) values[at + i] = source.type.extend(block[i]);
  }
}

}  // namespace

std::span<const IntCodec* const> int_codecs() {
  return kCodecs;
}

const IntCodec* find_int_codec(std::uint8_t id) {
  for (const IntCodec* codec : kCodecs) {
    if (static_cast<std::uint8_t>(codec->id) == id) return codec;
  }
  return nullptr;
}

void collect(const IntSource& source, std::uint64_t* values, Zone* zone) {
  if (source.type.is_narrow()) {
    collect_lanes<std::uint32_t>(source, values, zone);
  } else {
    collect_lanes<std::uint64_t>(source, values, zone);
  }
}

void encode_ints(const IntSource& source, IntHint hint, IntScratch& scratch, ByteBuffer& out) {
  KnownInts* const known = known_ints(source, hint, scratch);
  if (source.count < kShortColumn) return encode_short_ints(source, scratch, out);
  if (source.type.is_narrow()) {
    take_sample(source, scratch.sample.narrow, &scratch.sample);
  } else {
    take_sample(source, scratch.sample.wide, &scratch.sample);
  }
  if (kConstantCodec.estimate(scratch.sample, scratch) != kNoFit && try_encode(kConstantCodec, source, scratch, out)) {
    return;
  }
  if (encode_entropy_again(source, known, scratch, out)) return;
  std::size_t packed = 0;
  const IntCodec& codec = choose(hint, known, scratch, &packed);
  if (try_entropy(source, hint, codec, packed, known, scratch, out)) return;
  if (is_left_out(codec.name) || !try_encode(codec, source, scratch, out)) {
    try_encode(kFrameOfReferenceCodec, source, scratch, out);  // takes anything
  }
}

IntsResult read_ints(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out) {
  const IntCodec* codec = find_int_codec(in.get<std::uint8_t>());
  if (codec == nullptr || depth > kMaxDepth) return IntsResult::kDamaged;
  Zone zone;
  const bool zoned = has_zone(*codec, type, n);
  if (zoned && !take_zone(in, type, &zone)) return IntsResult::kDamaged;
  if (!codec->decode(in, type, n, depth, out) || !in.ok()) return IntsResult::kDamaged;
  if (zoned) return cut_to_zone(zone, type, n, out) ? IntsResult::kRead : IntsResult::kOutside;
  cut_to_type(type, n, out);
  return IntsResult::kRead;
}

// Together, for large columns leave the cache. The last mini-block overlaps the one before.
bool cut_to_zone(const Zone& zone, IntType type, std::size_t n, std::uint64_t* values) {
  static_assert(kZonedColumn >= kMiniBlock);
  const auto flip = order_flip<std::uint64_t>(type);
  if ((zone.least ^ flip) > (zone.greatest ^ flip)) return false;
  std::uint64_t outside = 0;
  for (std::size_t at = 0; at < n; at += kMiniBlock) {
    std::uint64_t* const some = values + std::min(at, n - kMiniBlock);
    cut_to_type(type, kMiniBlock, some);
    outside |= beyond(some, zone.least, zone.greatest - zone.least);
  }
  return outside == 0;
}

bool decode_ints(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out) {
  return read_ints(in, type, n, depth, out) == IntsResult::kRead;
}

bool find_values(ByteReader in, IntType type, std::size_t n, std::span<const std::uint64_t> wanted, std::size_t most,
                 std::vector<PlacedValue>* found) {
  Zone zone;
  if (static_cast<CodecId>(in.get<std::uint8_t>()) != CodecId::kEntropy || n < kZonedColumn) return false;
  return take_zone(in, type, &zone) && find_entropy_values(in, n, wanted, most, found) && in.at_end();
}

bool read_zone(ByteReader in, IntType type, std::size_t n, Zone* zone) {
  const auto id = in.get<std::uint8_t>();
  if (static_cast<CodecId>(id) == CodecId::kRelated) {
    return n >= kZonedColumn && !type.is_float && take_zone(in, type, zone);
  }
  const IntCodec* codec = find_int_codec(id);
  if (codec == nullptr || type.is_float) return false;
  if (codec == &kConstantCodec) {
    if (!codec->decode(in, type, 1, 0, &zone->least) || !in.ok()) return false;
    zone->greatest = zone->least = type.extend(zone->least);
    return true;
  }
  return has_zone(*codec, type, n) && take_zone(in, type, zone);
}

}  // namespace steno::format
