#include "format/strings/templates/cut.h"

#include <bit>

#include "format/strings/hash.h"
#include "format/strings/shapes/bytes.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace steno::format {
namespace {

constexpr std::size_t kMasks = WordCutter::kLongest / 64;

// A bit for each byte of a string: whether it is part of a word, and whether the word varies for it.
struct ByteMasks {
  std::array<std::uint64_t, kMasks + 1> words;
  std::array<std::uint64_t, kMasks + 1> varying;
};

void clear(std::size_t size, ByteMasks* masks) {
  for (std::size_t k = 0; k <= size / 64; ++k) masks->words[k] = masks->varying[k] = 0;
}

#if defined(__SSE2__)

// Places the bits of 16 or 32 bytes, of which the first is that at `at`, or so many before the string if negative.
template <unsigned kBytes>
STENO_INLINE void place(std::uint32_t bits, std::ptrdiff_t at, std::uint64_t* masks) {
  const std::uint64_t wide = bits;
  if (at < 0) {
    masks[0] |= wide >> -at;
    return;
  }
  const auto bit = static_cast<unsigned>(at) % 64;
  masks += at / 64;
  masks[0] |= wide << bit;
  if (bit > 64 - kBytes) masks[1] |= wide >> (64 - bit);
}

STENO_INLINE std::uint32_t bits_of(__m128i found) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(found));
}

STENO_INLINE __m128i words_in(__m128i bytes) {
  __m128i found = in_range(bytes, 0, ' ');
  found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
  found = _mm_or_si128(found, in_range(bytes, '&', ')'));
  found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
  found = _mm_or_si128(found, in_range(bytes, ';', '?'));
  found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('[')));
  found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(']')));
  found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('`')));
  found = _mm_or_si128(found, in_range(bytes, '{', '}'));
  return _mm_xor_si128(found, _mm_set1_epi8('\xFF'));
}

// From byte `from` on.
STENO_INLINE void find_words_from(const StringRef& s, std::size_t from, ByteMasks* masks) {
  constexpr std::size_t kVector = sizeof(__m128i);
  const auto add = [&](std::ptrdiff_t at) STENO_INLINE_LAMBDA {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s.data + at));
    place<kVector>(bits_of(words_in(bytes)), at, masks->words.data());
    place<kVector>(bits_of(in_range(bytes, '/', '9')), at, masks->varying.data());
  };
  std::size_t i = from;
  for (; i + kVector < s.size; i += kVector) add(static_cast<std::ptrdiff_t>(i));
  // The last may overlap those before, and begin before the string.
  if (i < s.size) add(static_cast<std::ptrdiff_t>(s.size) - static_cast<std::ptrdiff_t>(kVector));
}

// Bytes of no word: for each low half of a byte a bit of each high half that it makes a separator with.
alignas(16) constexpr std::uint8_t kLowHalves[16] = {0x13, 1, 3, 1, 1, 1, 3, 3, 3, 3, 1, 0x2D, 0x27, 0x2D, 5, 5};
alignas(16) constexpr std::uint8_t kHighHalves[16] = {1, 1, 2, 4, 0, 8, 0x10, 0x20};

STENO_WITH_AVX2 void find_words_avx2(const StringRef& s, ByteMasks* masks) {
  constexpr std::size_t kVector = sizeof(__m256i);
  const __m256i low = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kLowHalves)));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kHighHalves)));
  std::size_t i = 0;
  for (; i + kVector <= s.size; i += kVector) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s.data + i));
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
    const __m256i both = _mm256_and_si256(_mm256_shuffle_epi8(low, bytes), _mm256_shuffle_epi8(high, upper));
    const __m256i words = _mm256_cmpeq_epi8(both, _mm256_setzero_si256());
    const __m256i above = _mm256_sub_epi8(bytes, _mm256_set1_epi8('/'));
    const __m256i varying = _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8('9' - '/')), above);
    const auto at = static_cast<std::ptrdiff_t>(i);
    place<kVector>(static_cast<std::uint32_t>(_mm256_movemask_epi8(words)), at, masks->words.data());
    place<kVector>(static_cast<std::uint32_t>(_mm256_movemask_epi8(varying)), at, masks->varying.data());
  }
  find_words_from(s, i, masks);
}

void find_words(const StringRef& s, ByteMasks* masks) {
  clear(s.size, masks);
  if (have_avx2()) {
    find_words_avx2(s, masks);
  } else {
    find_words_from(s, 0, masks);
  }
}

#else

bool is_separator(std::uint8_t c) {
  return c <= ' ' || c == '"' || (c >= '&' && c <= ')') || c == ',' || (c >= ';' && c <= '?') || c == '[' || c == ']' ||
         c == '`' || (c >= '{' && c <= '}');
}

void find_words(const StringRef& s, ByteMasks* masks) {
  clear(s.size, masks);
  for (std::size_t i = 0; i < s.size; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i % 64;
    if (!is_separator(s.data[i])) masks->words[i / 64] |= bit;
    if (s.data[i] >= '/' && s.data[i] <= '9') masks->varying[i / 64] |= bit;
  }
}

#endif

std::uint64_t low_bits(unsigned n) {
  return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// Adds n bytes to a hash; at least 8 before them are readable.
STENO_INLINE std::uint64_t add_to_hash(std::uint64_t h, const std::uint8_t* p, std::size_t n) {
  constexpr std::uint64_t kKey = 0x9E3779B97F4A7C15;
  h ^= n << 56;
  for (; n >= 8; n -= 8) h = mix(h ^ load<std::uint64_t>(p + n - 8), kKey);
  if (n != 0) h ^= load<std::uint64_t>(p + n - 8) >> 8 * (8 - n);
  return mix(h, kKey ^ 0xC2B2AE3D27D4EB4F);
}

// Where a numbered word begins with the blanks that make it right-aligned: all at the beginning of a line, else all but
// one, so that numbers that fill their field have the same template.
std::uint32_t begin_of_field(const std::uint8_t* text, std::uint32_t begin) {
  std::uint32_t at = begin;
  while (at != 0 && text[at - 1] == ' ') --at;
  return at == 0 || at == begin ? at : at + 1;
}

}  // namespace

std::uint64_t word_hash(const std::uint8_t* p, std::size_t n) {
  return add_to_hash(0, p, n);
}

std::size_t WordCounts::place_of(const std::uint8_t* word, std::size_t n) {
  return word_hash(word, n) % kCounts;
}

bool WordCutter::cut(const StringRef& s) {
  count_ = 0;
  if (s.is_null() || s.size > kLongest) return false;
  if (s.size == 0) return true;
  ByteMasks masks;
  find_words(s, &masks);
  const std::size_t used = s.size / 64 + 1;  // the byte after the last is no part of a word
  bool inside = false;
  bool numbered = false;
  std::uint32_t begin = 0;
  for (std::size_t k = 0; k < used; ++k) {
    const std::uint64_t words = masks.words[k];
    const std::uint64_t varying = masks.varying[k];
    unsigned from = 0;  // where the word that is open goes on
    for (std::uint64_t edges = words ^ (words << 1 | (inside ? 1 : 0)); edges != 0; edges &= edges - 1) {
      const auto at = static_cast<unsigned>(std::countr_zero(edges));
      if (!inside) {
        inside = true;
        numbered = false;
        begin = static_cast<std::uint32_t>(64 * k + at);
        from = at;
        continue;
      }
      inside = false;
      numbered |= (varying & low_bits(at) & ~low_bits(from)) != 0;
      if (count_ == kMostWords) return false;
      if (numbered) begin = begin_of_field(s.data, begin);
      words_[count_++] = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>((64 * k + at) & 0x7FFF),
                          static_cast<std::uint16_t>(numbered ? 1 : 0)};
    }
    if (inside) numbered |= (varying & ~low_bits(from)) != 0;
  }
  return true;
}

bool WordsOut::choose(std::span<const Word> words, WordMask mask) {
  count_ = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (!varies(words[w], w, mask)) continue;
    if (count_ == kMost) return false;
    words_[count_++] = words[w];
  }
  return true;
}

std::uint64_t WordsOut::hash_of_rest(const StringRef& s) {
  std::uint64_t h = 0;
  std::uint32_t at = 0;
  for (std::size_t w = 0; w < count_; ++w) {
    h = add_to_hash(h, s.data + at, words_[w].begin - at);
    prefixes_[w] = h;
    at = words_[w].end;
  }
  return add_to_hash(h ^ count_, s.data + at, s.size - at);
}

}  // namespace steno::format
