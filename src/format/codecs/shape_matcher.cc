#include "format/codecs/shape_matcher.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/codecs/multiversion.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace steno::format {
namespace {

// Eight bytes of a string are looked at at a time, each as a byte of a word.
constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kTops = 0x8080808080808080;

// The bytes from `p` on, zeros after the end. A string's last bytes are had with those before it (StringRef).
STENO_INLINE std::uint64_t next_bytes(const std::uint8_t* p, const std::uint8_t* end) {
  const auto room = static_cast<std::size_t>(end - p);
  if (room >= 8) return load<std::uint64_t>(p);
  return room == 0 ? 0 : load<std::uint64_t>(end - 8) >> (64 - 8 * room);
}

// The top bit of each byte, of which the others are `bytes`, that is not less than c.
STENO_INLINE std::uint64_t not_less(std::uint64_t bytes, std::uint8_t c) {
  return bytes + kOnes * (0x80 - c);
}

// The top bit of each byte that is between two ASCII characters, both included.
STENO_INLINE std::uint64_t between(std::uint64_t bytes, char first, char last) {
  const std::uint64_t low = bytes & ~kTops;
  return not_less(low, static_cast<std::uint8_t>(first)) & ~not_less(low, static_cast<std::uint8_t>(last + 1)) &
         ~bytes & kTops;
}

// How many bytes come before the first whose top bit is not set.
STENO_INLINE std::size_t leading(std::uint64_t tops) {
  const std::uint64_t others = ~tops & kTops;
  return others == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(others)) / 8;
}

// Up to 8 digits, n of them.
STENO_INLINE std::uint64_t decimal_of(std::uint64_t digits, std::size_t n) {
  std::uint64_t v = n == 0 ? 0 : digits << (64 - 8 * n);
  v = (v & (0x0F * kOnes)) * (10 * 0x100 + 1) >> 8;
  v = (v & 0x00FF00FF00FF00FF) * (100 * 0x10000 + 1) >> 16;
  return (v & 0x0000FFFF0000FFFF) * (10000 * 0x100000000 + 1) >> 32;
}

STENO_INLINE std::uint64_t hex_of(std::uint64_t digits, std::uint64_t letters, std::size_t n) {
  std::uint64_t v = (digits & (0x0F * kOnes)) + 9 * (letters >> 7);
  v = n == 0 ? 0 : __builtin_bswap64(v << (64 - 8 * n));
  v = (v | v >> 4) & 0x00FF00FF00FF00FF;
  v = (v | v >> 8) & 0x0000FFFF0000FFFF;
  return (v | v >> 16) & 0xFFFFFFFF;
}

// Reads digits, `most` of them at most. Returns where they end.
template <PieceKind kKind>
STENO_INLINE const std::uint8_t* take_digits(const std::uint8_t* p, const std::uint8_t* end, std::size_t most,
                                             std::uint64_t* value) {
  constexpr std::uint64_t kPowersOfTen[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  constexpr char kLetter = kKind == PieceKind::kUpperHex ? 'A' : 'a';
  std::uint64_t v = 0;
  for (;;) {
    const std::uint64_t bytes = next_bytes(p, end);
    const std::uint64_t decimals = between(bytes, '0', '9');
    const std::uint64_t letters = kKind == PieceKind::kDecimal ? 0 : between(bytes, kLetter, kLetter + 5);
    const std::size_t n = std::min(leading(decimals | letters), most);
    v = kKind == PieceKind::kDecimal ? v * kPowersOfTen[n] + decimal_of(bytes, n)
                                     : v << (4 * n) | hex_of(bytes, letters, n);
    p += n;
    most -= n;
    if (n < 8 || most == 0) break;
  }
  *value = v;
  return p;
}

// nullptr: print_number would not spell it so.
template <PieceKind kKind>
STENO_INLINE const std::uint8_t* take_number(std::size_t width, std::size_t most, const std::uint8_t* p,
                                             const std::uint8_t* end, std::uint64_t* value) {
  const std::uint8_t* const begin = p;
  p = take_digits<kKind>(p, end, most, value);
  const auto size = static_cast<std::size_t>(p - begin);
  return size < width || (size > width && *begin == '0') ? nullptr : p;
}

STENO_INLINE const std::uint8_t* take_word(const std::uint8_t* p, const std::uint8_t* end) {
  for (;;) {
    const std::uint64_t bytes = next_bytes(p, end);
    const std::uint64_t letters = between(bytes | 0x20 * kOnes, 'a', 'z');
    const std::size_t n = leading(between(bytes, '0', '9') | letters | bytes);
    p += n;
    if (n < 8) return p;
  }
}

// Of more than 8 bytes, of which the first 8 are equal.
STENO_INLINE bool rest_is_equal(const std::uint8_t* p, const char* text, std::size_t n) {
  std::uint64_t differ = load<std::uint64_t>(p + n - 8) ^ load<std::uint64_t>(text + n - 8);
  for (std::size_t at = 8; at + 8 < n; at += 8) {
    differ |= load<std::uint64_t>(p + at) ^ load<std::uint64_t>(text + at);
  }
  return differ == 0;
}

// Goes on with a shape of n ops at one of them, whose place in the string is at[first]. Returns the first that does not
// fit; n: there is more after the last; n + 1: all fit.
STENO_MULTIVERSION(std::size_t, match_ops,
                   (const ShapeOp* ops, std::size_t n, std::size_t first, const char* constants,
                    const std::uint8_t** at, const std::uint8_t* end, ShapeParts* parts),
                   (ops, n, first, constants, at, end, parts)) {
  const std::uint8_t* p = at[first];
  for (std::size_t i = first; i < n; ++i) {
    const ShapeOp& op = ops[i];
    at[i] = p;
    if (static_cast<std::size_t>(end - p) < op.size) return i;
    if (((next_bytes(p, end) ^ op.head) & op.head_mask) != 0) return i;
    if (op.size > 8 && !rest_is_equal(p, constants + op.text, op.size)) return i;
    p += op.size;
    switch (op.kind) {
      case PieceKind::kConstant:
        break;
      case PieceKind::kDecimal:
        p = take_number<PieceKind::kDecimal>(op.width, op.most, p, end, &parts->numbers[op.part]);
        break;
      case PieceKind::kLowerHex:
        p = take_number<PieceKind::kLowerHex>(op.width, op.most, p, end, &parts->numbers[op.part]);
        break;
      case PieceKind::kUpperHex:
        p = take_number<PieceKind::kUpperHex>(op.width, op.most, p, end, &parts->numbers[op.part]);
        break;
      case PieceKind::kText: {
        const std::uint8_t* const begin = p;
        p = take_word(p, end);
        parts->texts[op.part] = {begin, static_cast<std::uint32_t>(p - begin)};
        break;
      }
    }
    if (p == nullptr) return i;
  }
  at[n] = p;
  return p == end ? n + 1 : n;
}

#if defined(__SSE2__)

// Strings shorter than this are taken apart by which of their bytes are digits or letters, had for 16 of them at once.
constexpr std::size_t kShort = 64;
constexpr std::size_t kVector = sizeof(__m128i);

// The bytes from `p` on, zeros after the end, without a branch.
STENO_INLINE std::uint64_t bytes_until(const std::uint8_t* p, const std::uint8_t* end) {
  const std::uint8_t* const from = std::min(p, end - 8);
  const auto before = static_cast<unsigned>(p - from) * 8;
  return before == 64 ? 0 : load<std::uint64_t>(from) >> before;
}

STENO_INLINE __m128i in_range(__m128i bytes, char first, char last) {
  const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(static_cast<char>(last - first))), above);
}

// Calls add(bytes, shift) for each 16 bytes of a string; the lowest bytes of one that is shorter are not its own, and
// the shift is negative then. The last 16 may overlap those before.
template <class Add>
STENO_INLINE void for_each_vector(const StringRef& s, const Add& add) {
  const auto at = [&](std::size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(s.data + i)); };
  std::size_t i = 0;
  for (; i + kVector < s.size; i += kVector) add(at(i), static_cast<int>(i));
  const auto last = static_cast<std::ptrdiff_t>(s.size) - static_cast<std::ptrdiff_t>(kVector);
  add(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s.data + last)), static_cast<int>(last));
}

// Requires s.size < kShort.
STENO_INLINE ByteKinds kinds_of(const StringRef& s, const bool (&wanted)[kPieceKinds]) {
  ByteKinds kinds;
  const auto place = [](__m128i found, int shift) {
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(found)));
    return shift < 0 ? bits >> -shift : bits << shift;
  };
  const auto wants = [&](PieceKind kind) { return wanted[static_cast<std::size_t>(kind)]; };
  for_each_vector(s, [&](__m128i bytes, int shift) {
    const __m128i decimals = in_range(bytes, '0', '9');
    kinds.decimals |= place(decimals, shift);
    if (wants(PieceKind::kLowerHex)) {
      kinds.lower_hex |= place(_mm_or_si128(decimals, in_range(bytes, 'a', 'f')), shift);
    }
    if (wants(PieceKind::kUpperHex)) {
      kinds.upper_hex |= place(_mm_or_si128(decimals, in_range(bytes, 'A', 'F')), shift);
    }
    if (wants(PieceKind::kText)) {
      const __m128i letters = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
      kinds.words |= place(_mm_or_si128(_mm_or_si128(decimals, letters), bytes), shift);
    }
  });
  return kinds;
}

// `size` digits, at least one.
template <bool kDecimal>
STENO_INLINE std::uint64_t read_digits(const std::uint8_t* p, std::size_t size, const std::uint8_t* end) {
  constexpr std::uint64_t kTenTo8 = 100'000'000;
  const auto part = [](std::uint64_t bytes, std::size_t n) {
    return kDecimal ? decimal_of(bytes, n) : hex_of(bytes, (bytes & 0x40 * kOnes) << 1, n);
  };
  std::size_t head = size % 8;
  std::uint64_t value = 0;
  if (head != 0) value = part(bytes_until(p, end), head);
  for (; head < size; head += 8) {
    const std::uint64_t eight = part(load<std::uint64_t>(p + head), 8);
    value = kDecimal ? value * kTenTo8 + eight : value << 32 | eight;
  }
  return value;
}

// As match_ops, of a short string.
std::size_t match_short(const ShapeOp* ops, std::size_t n, std::size_t first, const char* constants,
                        const std::uint8_t** at, const StringRef& string, const ByteKinds& kinds, ShapeParts* parts) {
  const std::uint8_t* const end = string.data + string.size;
  const std::uint8_t* p = at[first];
  const auto run = [&](std::uint64_t bytes) {
    return static_cast<std::size_t>(std::countr_one(bytes >> static_cast<unsigned>(p - string.data)));
  };
  for (std::size_t i = first; i < n; ++i) {
    const ShapeOp& op = ops[i];
    at[i] = p;
    if (op.size != 0) {
      if (static_cast<std::size_t>(end - p) < op.size) return i;
      if (((bytes_until(p, end) ^ op.head) & op.head_mask) != 0) return i;
      if (op.size > 8 && !rest_is_equal(p, constants + op.text, op.size)) return i;
      p += op.size;
    }
    if (op.kind == PieceKind::kConstant) continue;
    if (op.kind == PieceKind::kText) {
      const std::size_t size = run(kinds.words);
      parts->texts[op.part] = {p, static_cast<std::uint32_t>(size)};
      p += size;
      continue;
    }
    const bool decimal = op.kind == PieceKind::kDecimal;
    const std::uint64_t digits = decimal                           ? kinds.decimals
                                 : op.kind == PieceKind::kLowerHex ? kinds.lower_hex
                                                                   : kinds.upper_hex;
    const std::size_t size = std::min<std::size_t>(run(digits), op.most);
    if (size < op.width || (size > op.width && *p == '0')) return i;
    parts->numbers[op.part] = decimal ? read_digits<true>(p, size, end) : read_digits<false>(p, size, end);
    p += size;
  }
  at[n] = p;
  return p == end ? n + 1 : n;
}

#endif

}  // namespace

void ShapeMatcher::append(const Shape& shape) {
  std::uint8_t numbers = 0;
  std::uint8_t texts = 0;
  ShapeOp op;
  const auto end_op = [&] {
    ops_.push_back(op);
    op = ShapeOp();
  };
  for (const Piece& piece : shape.pieces) {
    if (piece.kind == PieceKind::kConstant) {
      if (op.size != 0) end_op();
      op.size = static_cast<std::uint32_t>(piece.text.size());
      op.text = constants_.find(piece.text);  // so that equal ones are at the same place
      if (op.text == std::string::npos) {
        op.text = constants_.size();
        constants_ += piece.text;
      }
      const std::size_t head = std::min<std::size_t>(op.size, 8);
      std::memcpy(&op.head, piece.text.data(), head);
      op.head_mask = head == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * head);
      continue;
    }
    has_kind_[static_cast<std::size_t>(piece.kind)] = true;
    op.kind = piece.kind;
    op.width = piece.width;
    op.most = static_cast<std::uint8_t>(piece.exact ? piece.width : most_digits(piece.kind));
    op.part = piece.is_number() ? numbers++ : texts++;
    end_op();
  }
  if (op.size != 0) end_op();
  first_op_.push_back(ops_.size());
}

void ShapeMatcher::set(const std::vector<Shape>& shapes) {
  ops_.clear();
  constants_.clear();
  first_op_.assign(1, 0);
  std::fill(std::begin(has_kind_), std::end(has_kind_), false);
  for (const Shape& shape : shapes) append(shape);
  const auto op = [this](std::size_t i) { return ops_.begin() + static_cast<std::ptrdiff_t>(first_op_[i]); };
  for (std::size_t a = 0; a < shapes.size(); ++a) {
    for (std::size_t b = 0; b < shapes.size(); ++b) {
      alike_[a][b] = static_cast<std::uint8_t>(std::mismatch(op(a), op(a + 1), op(b), op(b + 1)).first - op(a));
    }
  }
}

std::size_t ShapeMatcher::go_on(std::size_t shape, std::size_t first, const StringRef& string, ShapeParts* parts) {
#if defined(__SSE2__)
  if (string.size < kShort) {
    return match_short(ops_.data() + first_op_[shape], ops(shape), first, constants_.data(), at_, string, kinds_,
                       parts);
  }
#endif
  const std::uint8_t* const end = string.data + string.size;
  return match_ops(ops_.data() + first_op_[shape], ops(shape), first, constants_.data(), at_, end, parts);
}

std::size_t ShapeMatcher::match(const StringRef& string, std::size_t guess, ShapeParts* parts) {
#if defined(__SSE2__)
  if (string.size < kShort) kinds_ = kinds_of(string, has_kind_);
#endif
  at_[0] = string.data;
  std::size_t last = guess;  // the shape whose ops are in at_ and *parts, up to `known`
  std::size_t known = go_on(guess, 0, string, parts);
  if (known > ops(guess)) return guess;
  for (std::size_t k = 0; k < size(); ++k) {
    const std::size_t alike = alike_[last][k];
    if (k == guess || known < alike) continue;  // what did not fit there would not here
    last = k;
    known = go_on(k, alike, string, parts);
    if (known > ops(k)) return k;
  }
  return size();
}

}  // namespace steno::format
