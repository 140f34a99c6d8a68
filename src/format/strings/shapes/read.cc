#include "format/strings/shapes/read.h"

#include <algorithm>
#include <cstring>

#include "base/padded_digits.h"
#include "base/small_decimals.h"
#include "format/block.h"
#include "format/rows.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

// The share of each varying piece of each string in the bound on a column's bytes: the most digits of a number.
constexpr std::size_t kVaryingBytes = 20;
// After the last string: what is overwritten by the copies of short texts and numbers.
constexpr std::size_t kRoom = kStringSlack + kPaddedRoom;

std::size_t bytes_of(const RawVector<std::string_view>& strings) {
  std::size_t bytes = 0;
  for (const std::string_view s : strings) bytes += s.size();
  return bytes;
}

// Facts about all of its strings together.
StringFacts facts_of(std::span<const ShapedPart> parts) {
  StringFacts all;
  std::size_t longest = 0;
  for (const ShapedPart& part : parts) {
    const std::string& constant = part.piece->text;
    if (part.piece->kind == PieceKind::kText) {
      all.add(part.arena.facts());
      longest += part.arena.facts().longest;
    } else if (part.piece->is_number()) {
      longest += printed_digits(*part.piece, part.greatest);
    } else {
      all.add(StringFacts::of({reinterpret_cast<const std::uint8_t*>(constant.data()), constant.size()}, true));
      longest += constant.size();
    }
  }
  all.longest = static_cast<std::uint32_t>(std::min<std::size_t>(longest, UINT32_MAX));
  all.has_null = false;
  return all;
}

// The contribution of one piece to each string of a shape.
struct Step {
  enum class Kind : std::uint8_t { kConstant, kLongConstant, kSmall, kUpToEight, kPadded, kPaddedHex, kNumber, kText };

  explicit Step(const ShapedPart& from) : part(&from), piece(from.piece), numbers(from.numbers.data()) {
    width = piece->width;
    if (piece->is_number()) {
      kind = kind_of_number(from.greatest);
    } else if (piece->kind == PieceKind::kText) {
      kind = Kind::kText;
      texts_have_slack = from.arena.facts().has_slack;
    } else {
      kind = piece->text.size() <= kCopyStep ? Kind::kConstant : Kind::kLongConstant;
      if (kind == Kind::kConstant) std::memcpy(constant, piece->text.data(), piece->text.size());
      width = static_cast<std::uint8_t>(kind == Kind::kConstant ? piece->text.size() : 0);
    }
  }
  Kind kind_of_number(std::uint64_t greatest) const {
    if (width > 8) return Kind::kNumber;
    const bool is_decimal = piece->kind == PieceKind::kDecimal;
    if (printed_digits(*piece, greatest) == width) return is_decimal ? Kind::kPadded : Kind::kPaddedHex;
    if (!is_decimal || greatest >= kEightDigits) return Kind::kNumber;
    return width == 1 && greatest < kSmallDecimals ? Kind::kSmall : Kind::kUpToEight;
  }

  static constexpr std::uint64_t kEightDigits = 100'000'000;

  const ShapedPart* part;
  const Piece* piece;
  const std::uint64_t* numbers;
  char constant[kCopyStep] = {};
  Kind kind;
  std::uint8_t width;
  bool texts_have_slack = false;
};

char* put_text(std::string_view s, bool has_slack, char* p) {
  if (has_slack && s.size() <= kStringSlack) return put_short_string<kStringSlack>(p, s);
  if (!s.empty()) std::memcpy(p, s.data(), s.size());
  return p + s.size();
}

// String `i` of a shape. All of them take the same steps, so that the branches are foreseen.
[[gnu::always_inline]] inline char* put_string(std::span<const Step> steps, std::size_t i, char* p) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::kConstant:
        std::memcpy(p, step.constant, kCopyStep);
        p += step.width;
        break;
      case Step::Kind::kLongConstant:
        std::memcpy(p, step.piece->text.data(), step.piece->text.size());
        p += step.piece->text.size();
        break;
      case Step::Kind::kSmall:
        p = write_small_decimal(step.numbers[i], p);
        break;
      case Step::Kind::kUpToEight: {
        const auto v = static_cast<std::uint32_t>(step.numbers[i]);
        const std::size_t size = std::max<std::size_t>(count_digits(v), step.width);
        store(p, eight_digits(v) >> 8 * (8 - size));
        p += size;
        break;
      }
      case Step::Kind::kPadded:
        store(p, eight_digits(static_cast<std::uint32_t>(step.numbers[i])) >> 8 * (8 - step.width));
        p += step.width;
        break;
      case Step::Kind::kPaddedHex: {
        const char ten = step.piece->kind == PieceKind::kLowerHex ? 'a' : 'A';
        store(p, eight_hex_digits(static_cast<std::uint32_t>(step.numbers[i]), ten) >> 8 * (8 - step.width));
        p += step.width;
        break;
      }
      case Step::Kind::kNumber:
        p = print_number(*step.piece, step.numbers[i], p);
        break;
      case Step::Kind::kText:
        p = put_text(step.part->texts[i], step.texts_have_slack, p);
        break;
    }
  }
  return p;
}

// The first n strings of a shape, one after the other; visit(i, begin, end) for each. Returns the end of the last.
template <class Visit>
[[gnu::always_inline]] inline char* put_strings(std::span<const ShapedPart> parts, std::size_t n, char* p,
                                                Visit visit) {
  const std::vector<Step> steps(parts.begin(), parts.end());
  for (std::size_t i = 0; i < n; ++i) {
    char* const end = put_string(steps, i, p);
    visit(i, p, end);
    p = end;
  }
  return p;
}

}  // namespace

std::size_t counted_bytes(const Shape& shape, std::size_t n) {
  std::size_t each = 0;
  for (const Piece& piece : shape.pieces) {
    each += piece.kind == PieceKind::kConstant ? piece.text.size() : kVaryingBytes;
  }
  return each > kMaxPayload ? SIZE_MAX / (2 * kMaxShapes) : each * n;  // n is at most 2^22
}

void ShapedStrings::place_in(Arena* arena) {
  arena_ = arena;
  parts_.clear();
  steno::place_in(arena, indices_);
  steno::place_in(arena, others_);
  others_arena_.place_in(arena);
  steno::place_in(arena, sizes_);
  steno::place_in(arena, places_);
}

bool ShapedStrings::decode(ByteReader& in, std::size_t n, const StringPlace& place) {
  ShapedColumn column;
  if (!read_shaped_column(in, &column) || !decode_sized_ints(column.indices, n, kTypeU32, &indices_)) return false;
  shapes_ = std::move(column.shapes);
  if (!count_strings()) return false;
  std::size_t bytes = 0;  // an upper bound of what is printed
  std::size_t parts = 0;
  first_parts_.clear();
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    bytes += counted_bytes(shapes_[k], counts_[k + 1]);
    first_parts_.push_back(parts);
    parts += shapes_[k].pieces.size();
  }
  if (bytes > kMaxPayload) return false;
  while (parts_.size() < parts) {
    ShapedPart& part = parts_.emplace_back();
    steno::place_in(arena_, part.numbers);
    steno::place_in(arena_, part.texts);
    part.arena.place_in(arena_);
  }
  const StringPlace inside = place.inside(CodecId::kShapedStrings);
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    if (!decode_shape(k, column.varying[k], inside, &bytes)) return false;
  }
  if (!decode_sized_strings(column.others, counts_[0], inside, &others_arena_, &others_)) return false;
  return bytes + bytes_of(others_) <= kMaxPayload;
}

// How many strings each shape has. False: damaged.
bool ShapedStrings::count_strings() {
  counts_.assign(shapes_.size() + 1, 0);
  if (indices_.empty()) return true;
  const std::uint64_t first = indices_[0];
  std::uint64_t differ = 0;
  for (const std::uint64_t index : indices_) differ |= index ^ first;
  if (differ == 0 && first <= shapes_.size()) {  // mostly: counting one by one, each would wait for the one before it
    counts_[first] = indices_.size();
    return true;
  }
  for (const std::uint64_t index : indices_) {
    if (index > shapes_.size()) return false;
    ++counts_[index];
  }
  return true;
}

// Adds the bytes of its texts to *bytes: what they are together is bounded before the next ones are decoded.
bool ShapedStrings::decode_shape(std::size_t shape, const std::vector<ShapedColumn::Bytes>& columns,
                                 const StringPlace& place, std::size_t* bytes) {
  const std::size_t n = counts_[shape + 1];
  std::size_t column = 0;
  ShapedPart* part = parts_.data() + first_parts_[shape];
  for (const Piece& piece : shapes_[shape].pieces) {
    part->piece = &piece;
    part->greatest = 0;
    part->bytes = 0;
    if (piece.is_number()) {
      if (!decode_sized_ints(columns[column++], n, kTypeU64, &part->numbers)) return false;
      for (const std::uint64_t number : part->numbers) part->greatest = std::max(part->greatest, number);
    } else if (piece.kind == PieceKind::kText) {
      if (!decode_sized_strings(columns[column++], n, place, &part->arena, &part->texts)) return false;
      part->bytes = replace_nulls(&part->texts);
      *bytes += part->bytes;
      if (*bytes > kMaxPayload) return false;
    }
    ++part;
  }
  return true;
}

// The most bytes that the strings of a shape take.
std::size_t ShapedStrings::room_of(std::size_t shape) const {
  const std::size_t n = counts_[shape];
  std::size_t room = 0;
  for (const ShapedPart& part : parts_of(shape)) {
    const std::size_t each =
        part.piece->is_number() ? printed_digits(*part.piece, part.greatest) : part.piece->text.size();
    room += part.bytes + n * each;
  }
  return room;
}

std::span<const std::uint32_t> ShapedStrings::places() {
  static_assert(kMaxShapes < 1u << kShapeBits);
  static_assert(kMaxRecords <= UINT32_MAX >> kShapeBits);
  std::uint32_t next[kMaxShapes + 1] = {};
  resize_anew(places_, indices_.size());
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const auto shape = static_cast<std::uint32_t>(indices_[i]);
    places_[i] = next[shape]++ << kShapeBits | shape;
  }
  return places_;
}

void ShapedStrings::put_together(StringArena* arena, std::string_view* out) {
  StringFacts facts = others_arena_.facts();
  std::size_t room = bytes_of(others_) + kRoom;
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    room += room_of(k + 1);
    if (counts_[k + 1] != 0) facts.add(facts_of(parts_of(k + 1)));
  }
  facts.has_slack = true;
  arena->add(facts);
  arena->resize(room);  // empty strings point into it too
  auto* p = reinterpret_cast<char*>(arena->data());
  const char* const begin = p;
  if (has_one_shape()) {
    p = put_strings(parts_of(1), counts_[1], p, [out](std::size_t i, const char* string, const char* end) {
      out[i] = std::string_view(string, static_cast<std::size_t>(end - string));
    });
    arena->resize(static_cast<std::size_t>(p - begin));
    return;
  }
  resize_anew(sizes_, indices_.size());
  std::vector<const char*> next(shapes_.size() + 1);
  std::vector<const std::uint32_t*> next_sizes(shapes_.size() + 1);
  std::uint32_t* size = sizes_.data();
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    next[k + 1] = p;
    next_sizes[k + 1] = size;
    p = put_strings(parts_of(k + 1), counts_[k + 1], p, [size](std::size_t i, const char* string, const char* end) {
      size[i] = static_cast<std::uint32_t>(end - string);
    });
    size += counts_[k + 1];
  }
  const std::string_view* other = others_.data();
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const std::size_t k = indices_[i];
    if (k != 0) {
      const std::size_t n = *next_sizes[k]++;
      out[i] = std::string_view(next[k], n);
      next[k] += n;
      continue;
    }
    const std::string_view s = *other++;
    out[i] = s.data() == nullptr ? s : std::string_view(p, s.size());
    p = put_text(s, false, p);  // nothing of a null one
  }
  arena->resize(static_cast<std::size_t>(p - begin));
}

std::size_t ShapedStrings::bytes_held() const {
  std::size_t bytes = indices_.capacity() * sizeof(std::uint64_t) + others_.capacity() * sizeof(std::string_view) +
                      others_arena_.capacity() + (sizes_.capacity() + places_.capacity()) * sizeof(std::uint32_t);
  for (const ShapedPart& part : parts_) {
    bytes += part.numbers.capacity() * sizeof(std::uint64_t) + part.texts.capacity() * sizeof(std::string_view) +
             part.arena.capacity();
  }
  return bytes;
}

}  // namespace steno::format
