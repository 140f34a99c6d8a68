// shaped strings: a few shapes, which of them each string has, and the numbers and texts in which the strings differ,
// as columns (file.md §9.3, §9.4).
//
// The idea is that of CLP's log types (Rodrigues, Luo and Yuan, OSDI 2021), for the strings of one argument.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string>

#include "base/thread_end.h"
#include "format/block.h"
#include "format/ints/column.h"
#include "format/known_columns.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/find.h"
#include "format/strings/shapes/match.h"
#include "format/strings/shapes/read.h"
#include "format/strings/shapes/shape.h"
#include "format/strings/shapes/write.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnownShapes = 128;  // columns whose shapes are kept

// The varying pieces of the strings of one shape. The arrays keep their memory from one column to the next.
struct ShapeColumns {
  std::vector<std::vector<std::uint64_t>> numbers;
  std::vector<std::vector<StringRef>> texts;
  std::size_t with_numbers = 0;  // pieces of this shape
  std::size_t with_texts = 0;
  std::size_t strings = 0;
  std::size_t room = 0;  // strings for which each array has room

  std::size_t bytes_held() const {
    std::size_t bytes = 0;
    for (const auto& array : numbers) bytes += array.capacity() * sizeof(std::uint64_t);
    for (const auto& array : texts) bytes += array.capacity() * sizeof(StringRef);
    return bytes;
  }
  // Frees arrays that this shape does not have, and those with much more room than so many strings take.
  void release_excess(const Shape& shape, std::size_t count) {
    release_excess(shape.numbers(), count, &numbers);
    release_excess(shape.texts(), count, &texts);
  }
  void begin(const Shape& shape) {
    with_numbers = shape.numbers();
    with_texts = shape.texts();
    strings = 0;
    if (numbers.size() < with_numbers) numbers.resize(with_numbers);
    if (texts.size() < with_texts) texts.resize(with_texts);
    room = SIZE_MAX;
    for (std::size_t p = 0; p < with_numbers; ++p) room = std::min(room, numbers[p].size());
    for (std::size_t p = 0; p < with_texts; ++p) room = std::min(room, texts[p].size());
  }
  void add(const ShapeParts& parts) {
    if (strings == room) grow();
    for (std::size_t p = 0; p < with_numbers; ++p) numbers[p][strings] = parts.numbers[p];
    for (std::size_t p = 0; p < with_texts; ++p) texts[p][strings] = parts.texts[p];
    ++strings;
  }
  // Where the parts of kBatch strings may go; which of them stay, keep() says then.
  ShapeRows rows() {
    if (room - strings < ShapeMatcher::kBatch) grow();
    ShapeRows rows;
    for (std::size_t p = 0; p < with_numbers; ++p) rows.numbers[p] = numbers[p].data() + strings;
    for (std::size_t p = 0; p < with_texts; ++p) rows.texts[p] = texts[p].data() + strings;
    return rows;
  }
  void keep(std::uint32_t some) {
    if (some != ~std::uint32_t{0}) {
      for (std::size_t p = 0; p < with_numbers; ++p) keep(some, numbers[p].data() + strings);
      for (std::size_t p = 0; p < with_texts; ++p) keep(some, texts[p].data() + strings);
    }
    strings += static_cast<std::size_t>(std::popcount(some));
  }

 private:
  static constexpr std::size_t kLeastRoom = 256;

  template <class Part>
  static void keep(std::uint32_t some, Part* parts) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < ShapeMatcher::kBatch; ++k) {
      parts[kept] = parts[k];
      kept += some >> k & 1;
    }
  }
  template <class Array>
  static void release_excess(std::size_t pieces, std::size_t count, std::vector<Array>* arrays) {
    if (arrays->size() > pieces) arrays->resize(pieces);
    for (Array& array : *arrays) {
      if (array.size() > 2 * std::max(count, kLeastRoom)) array = Array();
    }
  }
  void grow() {
    room = std::max(kLeastRoom, 2 * room);
    for (std::size_t p = 0; p < with_numbers; ++p) numbers[p].resize(std::max(room, numbers[p].size()));
    for (std::size_t p = 0; p < with_texts; ++p) texts[p].resize(std::max(room, texts[p].size()));
  }
};

// The shapes that a column was found to have.
struct KnownShapes {
  std::vector<Shape> shapes;
  std::vector<std::uint64_t> hashes;  // of the shapes: what their texts are known by
  ShapeMatcher matcher;
  ShapeFit fit = ShapeFit::kNone;
  std::size_t bits = 0;      // that a string takes, about
  double others = 0;         // which share of the strings had none of them
  bool reused = false;       // they are an earlier column's
  unsigned patience = 0;     // columns until they are looked for anew
  unsigned times_found = 0;  // how often they were looked for

  void forget() { patience = times_found = 0; }
};

struct Shapes {
  ShapeFinder finder;
  KnownColumns<KnownShapes, kMostKnownShapes> known;
  KnownShapes* current = nullptr;  // of the column under way
  ShapeParts parts;
  std::vector<std::uint32_t> indices;  // which shape each string has
  std::vector<ShapeColumns> columns;   // of each shape
  std::vector<StringRef> others;       // strings without a shape
};

constexpr std::size_t kLeastStrings = 32;  // fewer do not pay for the shapes
constexpr std::size_t kFirstCheck = 128;   // strings after which those without a shape are counted, and at the end
constexpr unsigned kMostPatience = 64;     // columns until shapes are looked for anew, at most
constexpr std::size_t kQuickPieces = 16;   // of a shape that takes little time
constexpr std::size_t kMostHeld = std::size_t{8} << 20;      // bytes of arrays that are kept whatever columns need
constexpr std::size_t kMostDecoded = std::size_t{16} << 20;  // of the memory of decoded columns
constexpr double kDrift = 0.04;  // more strings without a shape: it is time to look for shapes anew

bool too_many_others(std::size_t others, std::size_t seen, const KnownShapes& known) {
  const double most = known.reused ? std::min(known.others + kDrift, 0.5) : 0.5;
  return static_cast<double>(others) > most * static_cast<double>(seen) + (known.reused ? 2 : 0);
}

std::uint64_t hash_of(const Shape& shape) {
  std::uint64_t h = shape.pieces.size();
  for (const Piece& piece : shape.pieces) {
    h = h * 0x9E3779B97F4A7C15 + std::hash<std::string>()(piece.text);
    h ^= static_cast<std::uint64_t>(piece.kind) + (h >> 29);
  }
  return h;
}

// Arrays are kept from one column to the next, but not what large columns took once.
void release_excess(std::size_t count, Shapes& scratch) {
  std::size_t held = 0;
  for (const ShapeColumns& columns : scratch.columns) held += columns.bytes_held();
  if (held <= kMostHeld) return;
  const std::vector<Shape>& shapes = scratch.current->shapes;
  if (scratch.columns.size() > shapes.size()) scratch.columns.resize(shapes.size());
  for (std::size_t k = 0; k < scratch.columns.size(); ++k) scratch.columns[k].release_excess(shapes[k], count);
}

void clear_columns(std::size_t count, Shapes& scratch) {
  release_excess(count, scratch);
  const std::vector<Shape>& shapes = scratch.current->shapes;
  if (scratch.columns.size() < shapes.size()) scratch.columns.resize(shapes.size());
  for (std::size_t k = 0; k < shapes.size(); ++k) scratch.columns[k].begin(shapes[k]);
  scratch.others.clear();
}

// Takes strings apart, in order.
class Collector {
 public:
  explicit Collector(const StringSource& source, Shapes& scratch)
      : source_(source), scratch_(scratch), none_(scratch.current->shapes.size()) {}

  // Those from `begin` on up to `end`.
  void take(std::size_t begin, std::size_t end) {
    while (end - begin >= ShapeMatcher::kBatch) {
      take_batch(begin);
      begin += ShapeMatcher::kBatch;
    }
    for (; begin != end; ++begin) take_one(begin, source_.at(begin));
  }

 private:
  static constexpr std::size_t kMostPasses = 16;

  void take_one(std::size_t i, const StringRef& s) {
    const std::size_t k = s.is_null() ? none_ : scratch_.current->matcher.match(s, last_, &scratch_.parts);
    scratch_.indices[i] = k == none_ ? 0 : static_cast<std::uint32_t>(k + 1);
    if (k == none_) {
      scratch_.others.push_back(s);
    } else {
      last_ = k;
      scratch_.columns[k].add(scratch_.parts);
    }
  }

  // All by the last shape, then those that do not have it one by one. Not where few of the last ones had it.
  void take_batch(std::size_t begin) {
    StringRef strings[ShapeMatcher::kBatch];
    for (std::size_t k = 0; k < ShapeMatcher::kBatch; ++k) strings[k] = source_.at(begin + k);
    std::uint32_t fit = 0;
    const std::size_t shape = last_;
    if (passes_ == 0) {
      ShapeColumns& columns = scratch_.columns[shape];
      fit = scratch_.current->matcher.match_batch(strings, shape, columns.rows());
      columns.keep(fit);
      mixed_ = 4 * static_cast<std::size_t>(std::popcount(fit)) < ShapeMatcher::kBatch ? 2 * mixed_ + 1 : 0;
      mixed_ = passes_ = std::min(mixed_, kMostPasses);
    } else {
      --passes_;
    }
    for (std::size_t k = 0; k < ShapeMatcher::kBatch; ++k) {
      if ((fit >> k & 1) != 0) {
        scratch_.indices[begin + k] = static_cast<std::uint32_t>(shape + 1);
      } else {
        take_one(begin + k, strings[k]);
      }
    }
  }

  const StringSource& source_;
  Shapes& scratch_;
  const std::size_t none_;
  std::size_t last_ = 0;    // strings of a shape come in bursts
  std::size_t passes_ = 0;  // batches to be taken one by one
  std::size_t mixed_ = 0;   // how many were to be last time
};

// Takes all strings apart. False: too many have none of the shapes.
bool collect(const StringSource& source, Shapes& scratch) {
  clear_columns(source.count, scratch);
  scratch.indices.resize(source.count);
  KnownShapes& known = *scratch.current;
  Collector collector(source, scratch);
  const std::size_t first = std::min(source.count, kFirstCheck);
  collector.take(0, first);
  // Shapes that were found in a sample of all strings need not fit the first ones.
  const std::size_t counted = known.reused ? scratch.others.size() : scratch.others.size() * 2 / 3;
  if (first == kFirstCheck && too_many_others(counted, kFirstCheck, known)) return false;
  collector.take(first, source.count);
  if (too_many_others(scratch.others.size(), source.count, known)) return false;
  if (!known.reused) known.others = static_cast<double>(scratch.others.size()) / static_cast<double>(source.count);
  return true;
}

void look_for_shapes(const StringSource& source, Shapes& scratch) {
  KnownShapes& known = *scratch.current;
  ShapeFinder& finder = scratch.finder;
  finder.find(source);
  const ShapeEstimate& estimate = finder.estimate();
  known.shapes = finder.shapes();
  known.hashes.clear();
  for (const Shape& shape : known.shapes) known.hashes.push_back(hash_of(shape));
  known.matcher.set(known.shapes);
  known.reused = false;
  known.bits = estimate.shaped / finder.sampled();
  known.patience = std::min(kMostPatience, 1u << std::min(known.times_found++, 16u));
  if (known.shapes.empty() || estimate.shaped * 4 > estimate.raw * 3) {
    known.fit = ShapeFit::kNone;
  } else {
    known.fit = estimate.texts * 8 <= estimate.raw ? ShapeFit::kNumbers : ShapeFit::kTexts;
  }
}

// Returns whether the collected column is small enough for readers to take it.
bool within_bound(const Shapes& own) {
  std::size_t bytes = 0;
  const auto add = [&bytes](const std::vector<StringRef>& strings, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) bytes += strings[i].bytes();
  };
  const std::vector<Shape>& shapes = own.current->shapes;
  std::vector<std::size_t> counts(shapes.size() + 1);
  for (const std::uint32_t index : own.indices) ++counts[index];
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    bytes += counted_bytes(shapes[k], counts[k + 1]);
    for (std::size_t p = 0; p < own.columns[k].with_texts; ++p) add(own.columns[k].texts[p], own.columns[k].strings);
  }
  add(own.others, own.others.size());
  return bytes <= kMaxPayload;
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  auto& own = context.memory->of<Shapes>();
  if (!collect(source, own)) {
    if (!own.current->reused) return false;
    if (context.quick) {
      context.memory->left_out = true;
      return false;
    }
    look_for_shapes(source, own);
    if (own.current->fit == ShapeFit::kNone || !collect(source, own)) return false;
  }
  if (!within_bound(own)) return false;
  const std::vector<Shape>& shapes = own.current->shapes;
  out.put_varint(shapes.size());
  for (const Shape& shape : shapes) put_shape(shape, out);
  const StringContext inside = context.inside(CodecId::kShapedStrings);
  append_sized_ints(std::span(own.indices).first(source.count), context.ints(), out);
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const ShapeColumns& columns = own.columns[k];
    std::size_t number = 0;
    std::size_t text = 0;
    for (const Piece& piece : shapes[k].pieces) {
      if (piece.is_number()) {
        const auto numbers = IntSource::array(columns.numbers[number++].data(), columns.strings, kTypeU64);
        append_sized_ints(numbers, IntHint::kAny, context.ints(), out);
      }
      if (piece.kind != PieceKind::kText) continue;
      const std::uint64_t key = own.current->hashes[k] + text;
      const auto texts = std::span(columns.texts[text++]).first(columns.strings);
      append_sized_strings(texts, encode_plain_strings, inside.part(key), out);
    }
  }
  append_sized_strings(own.others, encode_plain_strings, inside.part(kOthersPart), out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  ShapedStrings& strings = of_thread<ShapedStrings>();  // keeps its memory; none are within others
  const bool good = strings.decode(in, n, place);
  if (good) strings.put_together(arena, out);
  if (strings.bytes_held() > kMostDecoded) strings = {};
  return good;
}

std::size_t most_bytes(const OpenedColumn& column) {
  ByteReader in = column.body;
  ShapedColumn shaped;
  if (!read_shaped_column(in, &shaped)) return kMaxPayload;
  const auto most_of = [&column](std::span<const std::uint8_t> part) {
    OpenedColumn inner;
    const bool good = open_column({part.data(), part.size()}, kUnknownRows, column.inside(), &inner);
    return part.empty() ? 0 : good ? most_string_bytes(inner) : kMaxPayload;
  };
  std::size_t most = column.body.remaining() + kMaxPieces * kMaxDecimalDigits + most_of(shaped.others);
  for (std::size_t k = 0; k < shaped.shapes.size(); ++k) {
    std::size_t part = 0;
    for (const Piece& piece : shaped.shapes[k].pieces) {
      if (piece.kind == PieceKind::kConstant) continue;
      const std::span<const std::uint8_t> bytes = shaped.varying[k][part++];
      if (piece.kind == PieceKind::kText) most += most_of(bytes);
    }
  }
  return most;
}

bool has_long_shapes(const KnownShapes& known) {
  return std::any_of(known.shapes.begin(), known.shapes.end(),
                     [](const Shape& shape) { return shape.pieces.size() > kQuickPieces; });
}

}  // namespace

ShapeFit find_shapes(const StringSource& source, const StringContext& context) {
  if (source.count < kLeastStrings) return ShapeFit::kNone;
  auto& own = context.memory->of<Shapes>();
  own.current = &own.known.of(context.column);
  KnownShapes& known = *own.current;
  if (context.quick) {
    known.reused = true;
    if (known.times_found != 0 && (known.fit == ShapeFit::kNone || !has_long_shapes(known))) return known.fit;
    context.memory->left_out = true;
    return ShapeFit::kNone;
  }
  if (known.patience == 0) {
    look_for_shapes(source, own);
  } else {
    known.reused = true;
    --known.patience;
  }
  return known.fit;
}

std::size_t shaped_bits(const StringContext& context) {
  return context.memory->of<Shapes>().current->bits;
}

const StringCodec kShapedStringCodec{.id = CodecId::kShapedStrings,
                                     .name = "shaped_strings",
                                     .may_be_within = kAnywhere & ~within_bit(CodecId::kShapedStrings),
                                     .form = ColumnForm::kShapes,
                                     .encode = encode,
                                     .decode = decode,
                                     .most_bytes = most_bytes};

}  // namespace steno::format
