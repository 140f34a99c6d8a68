// Strings that are taken apart by one shape, many of them at each step of it: nothing is decided for one string that
// another has to wait for, and the processor works on several.
#include <algorithm>
#include <bit>

#include "format/strings/shapes/bytes.h"
#include "format/strings/shapes/match.h"

namespace steno::format {

#if defined(__SSE2__)

namespace {

constexpr std::size_t kSize = ShapeMatcher::kBatch;

// The highest n bytes, of 8.
constexpr std::uint64_t kLastBytes[] = {0,
                                        ~std::uint64_t{0} << 56,
                                        ~std::uint64_t{0} << 48,
                                        ~std::uint64_t{0} << 40,
                                        ~std::uint64_t{0} << 32,
                                        ~std::uint64_t{0} << 24,
                                        ~std::uint64_t{0} << 16,
                                        ~std::uint64_t{0} << 8,
                                        ~std::uint64_t{0}};

// The numbers of two words of eight digits each: two below 10000 a word.
STENO_INLINE __m128i halves_of_decimals(__m128i digits) {
  const __m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi8(0x0F)), _mm_set1_epi16(10 * 0x100 + 1));
  return _mm_madd_epi16(_mm_srli_epi16(tens, 8), _mm_set1_epi32(1 << 16 | 100));
}

// The bytes of hexadecimal digits, of either case, likewise: four bytes, the highest first, each in 16 bits.
STENO_INLINE __m128i bytes_of_hex(__m128i digits) {
  const __m128i letters = _mm_and_si128(_mm_srli_epi16(digits, 6), _mm_set1_epi8(1));
  const __m128i nine_each = _mm_or_si128(letters, _mm_slli_epi16(letters, 3));
  const __m128i values = _mm_add_epi8(_mm_and_si128(digits, _mm_set1_epi8(0x0F)), nine_each);
  return _mm_and_si128(_mm_or_si128(_mm_slli_epi16(values, 4), _mm_srli_epi16(values, 8)), _mm_set1_epi16(0xFF));
}

STENO_INLINE __m128i swap_bytes_of_32(__m128i v) {
  const __m128i pairs = _mm_or_si128(_mm_slli_epi16(v, 8), _mm_srli_epi16(v, 8));
  constexpr int kSwap = _MM_SHUFFLE(2, 3, 0, 1);
  return _mm_shufflehi_epi16(_mm_shufflelo_epi16(pairs, kSwap), kSwap);
}

// eight_decimals() or eight_hex() of each of kSize words.
template <bool kDecimal>
void read_eights(const std::uint64_t* digits, std::uint64_t* out) {
  const auto two = [&](std::size_t k) { return _mm_load_si128(reinterpret_cast<const __m128i*>(digits + k)); };
  const auto put_two = [&](std::size_t k, __m128i v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(out + k), v); };
  for (std::size_t k = 0; k < kSize; k += 4) {
    __m128i four;
    if constexpr (kDecimal) {
      const __m128i halves = _mm_packs_epi32(halves_of_decimals(two(k)), halves_of_decimals(two(k + 2)));
      four = _mm_madd_epi16(halves, _mm_set1_epi32(1 << 16 | 10'000));
    } else {
      four = swap_bytes_of_32(_mm_packus_epi16(bytes_of_hex(two(k)), bytes_of_hex(two(k + 2))));
    }
    put_two(k, _mm_unpacklo_epi32(four, _mm_setzero_si128()));
    put_two(k + 2, _mm_unpackhi_epi32(four, _mm_setzero_si128()));
  }
}

struct Batch {
  const std::uint8_t* data[kSize];
  std::size_t sizes[kSize];
  std::size_t at[kSize] = {};  // how far each has been taken apart
  std::uint64_t kinds[kPieceKinds][kSize];
  bool others[kSize];  // do not have the shape

  Batch(const StringRef* strings, const bool (&wanted)[kPieceKinds]) {
    for (std::size_t k = 0; k < kSize; ++k) {
      StringRef s = strings[k];
      others[k] = s.is_null();
      if (others[k]) s.size = 0;
      data[k] = s.data;
      sizes[k] = s.size;
      const ByteKinds found = kinds_of(s, wanted);
      of(PieceKind::kDecimal)[k] = found.decimals;
      of(PieceKind::kLowerHex)[k] = found.lower_hex;
      of(PieceKind::kUpperHex)[k] = found.upper_hex;
      of(PieceKind::kText)[k] = found.words;
    }
  }
  std::uint64_t* of(PieceKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
  // How many bytes of a kind follow one another from where the string is taken apart.
  static std::size_t run(std::uint64_t kind, std::size_t at) {
    return static_cast<std::size_t>(std::countr_one(kind >> at));
  }

  void take_constant(const ShapeOp& op, const char* text) {
    const auto size = std::min<std::size_t>(op.size, 8);
    for (std::size_t k = 0; k < kSize; ++k) {
      const std::size_t end = std::min(at[k] + op.size, sizes[k]);
      others[k] |= at[k] + op.size > sizes[k];
      if (op.size <= 8) {
        others[k] |= load<std::uint64_t>(data[k] + end - 8) >> (64 - 8 * size) != op.head;
      } else if (!others[k]) {
        const std::uint8_t* const p = data[k] + at[k];
        others[k] = load<std::uint64_t>(p) != op.head || !rest_is_equal(p, text, op.size);
      }
      at[k] = end;
    }
  }

  template <bool kDecimal>
  void take_numbers(const ShapeOp& op, std::uint64_t* out) {
    const std::uint64_t* const digits = of(op.kind);
    alignas(16) std::uint64_t last[kSize];
    std::size_t counts[kSize];
    std::size_t most = 0;
    for (std::size_t k = 0; k < kSize; ++k) {
      const std::size_t n = std::min<std::size_t>(run(digits[k], at[k]), op.most);
      const std::uint8_t* const begin = data[k] + at[k];
      const bool has_zero = begin[n == 0 ? -1 : 0] == '0';
      others[k] |= (n < op.width) | ((n > op.width) & has_zero);
      last[k] = load<std::uint64_t>(begin + n - 8) & kLastBytes[std::min<std::size_t>(n, 8)];
      counts[k] = n;
      most = std::max(most, n);
      at[k] += n;
    }
    read_eights<kDecimal>(last, out);
    if (most > 8) add_digits_before<kDecimal>(counts, out);
  }
  // The number before the last eight digits.
  template <bool kDecimal>
  void add_digits_before(const std::size_t* counts, std::uint64_t* out) const {
    constexpr std::uint64_t kMore = kDecimal ? 100'000'000 : std::uint64_t{1} << 32;
    alignas(16) std::uint64_t before[kSize];
    std::uint64_t numbers[kSize];
    for (std::size_t k = 0; k < kSize; ++k) {
      const std::size_t n = counts[k] < 8 ? 0 : std::min<std::size_t>(counts[k] - 8, 8);
      before[k] = load<std::uint64_t>(data[k] + at[k] - 16) & kLastBytes[n];
    }
    read_eights<kDecimal>(before, numbers);
    for (std::size_t k = 0; k < kSize; ++k) {
      out[k] += kMore * numbers[k];
      if (counts[k] <= 16) continue;
      out[k] += kMore * kMore * eight_decimals(load<std::uint64_t>(data[k] + at[k] - 24) & kLastBytes[counts[k] - 16]);
    }
  }

  void take_texts(StringRef* out) {
    const std::uint64_t* const words = of(PieceKind::kText);
    for (std::size_t k = 0; k < kSize; ++k) {
      const std::size_t n = run(words[k], at[k]);
      out[k] = {data[k] + at[k], static_cast<std::uint32_t>(n)};
      at[k] += n;
    }
  }
};

}  // namespace

std::uint32_t ShapeMatcher::match_batch(const StringRef* strings, std::size_t shape, const ShapeRows& rows) const {
  if (std::any_of(strings, strings + kSize, [](const StringRef& s) { return s.bytes() >= kShort; })) return 0;
  const ShapeOp* const begin = ops_.data() + first_op_[shape];
  const ShapeOp* const end = ops_.data() + first_op_[shape + 1];
  bool wanted[kPieceKinds] = {};
  for (const ShapeOp* op = begin; op != end; ++op) wanted[static_cast<std::size_t>(op->kind)] = true;
  Batch batch(strings, wanted);
  for (const ShapeOp* op = begin; op != end; ++op) {
    if (op->size != 0) batch.take_constant(*op, constants_.data() + op->text);
    if (op->kind == PieceKind::kConstant) continue;
    if (op->kind == PieceKind::kText) {
      batch.take_texts(rows.texts[op->part]);
      continue;
    }
    std::uint64_t* const numbers = rows.numbers[op->part];
    if (op->kind == PieceKind::kDecimal) {
      batch.take_numbers<true>(*op, numbers);
    } else {
      batch.take_numbers<false>(*op, numbers);
    }
  }
  std::uint32_t fit = 0;
  for (std::size_t k = 0; k < kSize; ++k) {
    const bool fits = !(batch.others[k] | (batch.at[k] != batch.sizes[k]));
    fit |= std::uint32_t{fits} << k;
  }
  return fit;
}

#else

std::uint32_t ShapeMatcher::match_batch(const StringRef*, std::size_t, const ShapeRows&) const {
  return 0;
}

#endif

}  // namespace steno::format
