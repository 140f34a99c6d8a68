#include "format/ints/bitpack.h"

#include "format/multiversion.h"

namespace steno::format {
namespace {

constexpr unsigned kRows = kMiniBlock / kLanes;

// clang-format off
#define STENO_FOR_EACH_WIDTH(CASE)                                                                     \
  CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)   \
  CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23)   \
  CASE(24) CASE(25) CASE(26) CASE(27) CASE(28) CASE(29) CASE(30) CASE(31) CASE(32)
// clang-format on

// AVX2: one row of lanes is a register, and every shift of it is by a constant once the rows are unrolled.
using Row __attribute__((vector_size(kWideVector))) = std::uint32_t;

template <unsigned kWidth>
STENO_INLINE void pack_width(const std::uint32_t* values, std::uint8_t* out) {
  Row word = {};
#pragma GCC unroll 32
  for (unsigned row = 0; row < kRows; ++row) {
    const unsigned bit = row * kWidth % 32;
    Row v;
    std::memcpy(&v, values + row * kLanes, sizeof v);
    word |= v << bit;
    if (bit + kWidth < 32) continue;
    std::memcpy(out, &word, sizeof word);
    out += sizeof word;
    const unsigned stored = 32 - bit;
    word = stored < kWidth ? v >> (stored & 31) : Row{};
  }
}

template <unsigned kWidth>
STENO_INLINE void unpack_width(const std::uint8_t* in, std::uint32_t* values) {
  constexpr std::uint32_t kMask = kWidth == 32 ? ~0u : (1u << (kWidth & 31)) - 1;
  Row word;
  std::memcpy(&word, in, sizeof word);
#pragma GCC unroll 32
  for (unsigned row = 0; row < kRows; ++row) {
    const unsigned bit = row * kWidth % 32;
    Row v = word >> bit;
    if (bit + kWidth >= 32 && row + 1 < kRows) {
      in += sizeof word;
      std::memcpy(&word, in, sizeof word);
      if (bit + kWidth > 32) v |= word << ((32 - bit) & 31);
    }
    v &= kMask;
    std::memcpy(values + row * kLanes, &v, sizeof v);
  }
}

STENO_WITH_AVX2 void pack_avx2(const std::uint32_t* values, unsigned width, std::uint8_t* out) {
  switch (width) {
#define STENO_CASE(w) \
  case w:             \
    return pack_width<w>(values, out);
    STENO_FOR_EACH_WIDTH(STENO_CASE)
#undef STENO_CASE
    default:
      return;
  }
}

STENO_WITH_AVX2 void unpack_avx2(const std::uint8_t* in, unsigned width, std::uint32_t* values) {
  switch (width) {
#define STENO_CASE(w) \
  case w:             \
    return unpack_width<w>(in, values);
    STENO_FOR_EACH_WIDTH(STENO_CASE)
#undef STENO_CASE
    default:
      return;
  }
}

// The baseline does the same in one loop for all widths: slower, a fiftieth of the code. 1 <= width <= 32.
void pack_any(const std::uint32_t* values, unsigned width, std::uint8_t* out) {
  std::uint32_t word[kLanes] = {};
  unsigned filled = 0;
  for (unsigned row = 0; row < kRows; ++row, values += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) word[lane] |= values[lane] << filled;
    filled += width;
    if (filled < 32) continue;
    std::memcpy(out, word, sizeof word);
    out += sizeof word;
    filled -= 32;
    // Stores the bits that did not fit; a shift by 32 (filled == 0) would be undefined, by 31 and 1 is nothing.
    const unsigned stored = width - filled;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      word[lane] = values[lane] >> (stored / 2) >> (stored - stored / 2);
  }
}

void unpack_any(const std::uint8_t* in, unsigned width, std::uint32_t* values) {
  const std::uint32_t mask = ~0u >> (32 - width);
  std::uint32_t word[kLanes];
  std::memcpy(word, in, sizeof word);
  unsigned bit = 0;
  for (unsigned row = 0; row < kRows; ++row, values += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) values[lane] = word[lane] >> bit;
    bit += width;
    if (bit >= 32 && row + 1 < kRows) {
      in += sizeof word;
      std::memcpy(word, in, sizeof word);
      bit -= 32;
      const unsigned had = width - bit;
      for (std::size_t lane = 0; lane < kLanes; ++lane) values[lane] |= word[lane] << (had / 2) << (had - had / 2);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) values[lane] &= mask;
  }
}

}  // namespace

void pack(const std::uint32_t* values, unsigned width, std::uint8_t* out) {
  if (width == 0) return;
  have_avx2() ? pack_avx2(values, width, out) : pack_any(values, width, out);
}

void unpack(const std::uint8_t* in, unsigned width, std::uint32_t* values) {
  if (width == 0) {
    std::memset(values, 0, kMiniBlock * sizeof *values);
    return;
  }
  have_avx2() ? unpack_avx2(in, width, values) : unpack_any(in, width, values);
}

// Short blocks lack rows, so they are completed first.
bool read_packed(ByteReader& in, std::size_t count, unsigned width, std::uint32_t* values) {
  const std::size_t size = packed_size(count, width);
  const std::uint8_t* p = in.take(size);
  if (p == nullptr) return false;
  std::uint8_t whole[packed_size(kMiniBlock, 32)];
  if (size < packed_size(kMiniBlock, width)) {
    std::memcpy(whole, p, size);
    std::memset(whole + size, 0, packed_size(kMiniBlock, width) - size);
    p = whole;
  }
  unpack(p, width, values);
  return true;
}

void pack_sequential(const std::uint64_t* values, std::size_t count, std::uint64_t base, unsigned width,
                     ByteBuffer& out) {
  const std::size_t size = sequential_size(count, width);
  std::uint8_t* p = out.reserve(size + 8);
  std::uint64_t pending = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t v = values[i] - base;
    pending |= v << filled;
    filled += width;
    if (filled < 64) continue;
    store(p, pending);
    p += 8;
    filled -= 64;
    pending = filled == 0 ? 0 : v >> (width - filled);
  }
  store(p, pending);
  out.commit(size);
}

void unpack_sequential(const std::uint8_t* in, std::size_t count, unsigned width, std::uint64_t* values) {
  if (width == 0) {
    std::memset(values, 0, count * sizeof *values);
    return;
  }
  constexpr std::size_t kSpan = 9;  // bytes that a value can touch
  const std::size_t size = sequential_size(count, width);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bit = i * width;
    const std::uint8_t* p = in + bit / 8;
    std::uint8_t last[kSpan] = {};
    if (bit / 8 + kSpan > size) {
      std::memcpy(last, p, size - bit / 8);
      p = last;
    }
    const unsigned shift = bit % 8;
    std::uint64_t v = load<std::uint64_t>(p) >> shift;
    if (shift + width > 64) v |= static_cast<std::uint64_t>(p[8]) << (64 - shift);
    values[i] = v & mask;
  }
}

}  // namespace steno::format
