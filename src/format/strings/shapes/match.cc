#include "format/strings/shapes/match.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/multiversion.h"
#include "format/strings/shapes/bytes.h"

namespace steno::format {
namespace {

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

// The first n bytes as the last ones, after zeros.
STENO_INLINE std::uint64_t as_last(std::uint64_t bytes, std::size_t n) {
  return n == 0 ? 0 : bytes << (64 - 8 * n);
}

// How many bytes come before the first whose top bit is not set.
STENO_INLINE std::size_t leading(std::uint64_t tops) {
  const std::uint64_t others = ~tops & kTops;
  return others == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(others)) / 8;
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
    v = kKind == PieceKind::kDecimal ? v * kPowersOfTen[n] + eight_decimals(as_last(bytes, n))
                                     : v << (4 * n) | eight_hex(as_last(bytes, n));
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

// The bytes from `p` on, zeros after the end, without a branch.
STENO_INLINE std::uint64_t bytes_until(const std::uint8_t* p, const std::uint8_t* end) {
  const std::uint8_t* const from = std::min(p, end - 8);
  const auto before = static_cast<unsigned>(p - from) * 8;
  return before == 64 ? 0 : load<std::uint64_t>(from) >> before;
}

// `size` digits, at least one.
template <bool kDecimal>
STENO_INLINE std::uint64_t read_digits(const std::uint8_t* p, std::size_t size, const std::uint8_t* end) {
  constexpr std::uint64_t kTenTo8 = 100'000'000;
  const auto part = [](std::uint64_t bytes, std::size_t n) {
    return kDecimal ? eight_decimals(as_last(bytes, n)) : eight_hex(as_last(bytes, n));
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

// Does what match_ops does, for a short string.
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
