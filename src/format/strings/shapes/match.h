// Takes strings apart by the shapes of a column, whichever fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/strings/shapes/shape.h"

namespace steno::format {

// The parts of a string that vary, in order.
struct ShapeParts {
  std::uint64_t numbers[kMaxPieces];
  StringRef texts[kMaxPieces];
};

// Where the parts of many strings of one shape go, one after another: an array for each number and text.
struct ShapeRows {
  std::uint64_t* numbers[kMaxPieces];
  StringRef* texts[kMaxPieces];
};

// A step of a shape: a constant, which may be empty, and what comes after it.
struct ShapeOp {
  PieceKind kind = PieceKind::kConstant;  // nothing comes: it is the last
  std::uint8_t width = 0;                 // of a number: least digits
  std::uint8_t most = 0;                  // and most
  std::uint8_t part = 0;                  // where in parts->numbers or texts it goes
  std::uint32_t size = 0;                 // of the constant
  std::uint64_t head = 0, head_mask = 0;  // the constant's first 8 bytes
  std::size_t text = 0;                   // where among the constants it is

  bool operator==(const ShapeOp&) const = default;
};

// Which bytes of a string shorter than 64 bytes may be part of a number or a text, a bit each.
struct ByteKinds {
  std::uint64_t decimals = 0;
  std::uint64_t lower_hex = 0;  // these three only where a shape asks for them
  std::uint64_t upper_hex = 0;
  std::uint64_t words = 0;
};

// Shapes of a column often begin alike: what a string's first pieces are is found out once for all of them.
class ShapeMatcher {
 public:
  // Takes over what it needs of at most kMaxShapes.
  void set(const std::vector<Shape>& shapes);
  std::size_t size() const { return first_op_.empty() ? 0 : first_op_.size() - 1; }

  // The index of a shape that takes a string that is not null apart, into *parts; size() if none does. `guess` < size()
  // is tried first, then the others in order.
  [[nodiscard]] std::size_t match(const StringRef& string, std::size_t guess, ShapeParts* parts);

  static constexpr std::size_t kBatch = 32;
  // Matches kBatch strings, which may be null, but for one shape only: a bit for each string that it takes apart. Each
  // array of *rows has room for kBatch parts; those of other strings are anything. 0, and nothing is known, where one
  // of the strings is long, and on machines without SSE2.
  [[nodiscard]] std::uint32_t match_batch(const StringRef* strings, std::size_t shape, const ShapeRows& rows) const;

 private:
  void append(const Shape& shape);
  // Goes on with a shape at one of its ops, whose place is in at_. Returns the first op that does not fit.
  std::size_t go_on(std::size_t shape, std::size_t op, const StringRef& string, ShapeParts* parts);
  std::size_t ops(std::size_t shape) const { return first_op_[shape + 1] - first_op_[shape]; }

  std::vector<ShapeOp> ops_;
  std::vector<std::size_t> first_op_;  // of each shape, and the end of the last
  std::string constants_;
  std::uint8_t alike_[kMaxShapes][kMaxShapes];  // how many ops two shapes begin with that are the same
  const std::uint8_t* at_[kMaxPieces + 1];      // where in the string each op begins, as far as it is known
  bool has_kind_[kPieceKinds] = {};             // among the pieces
  ByteKinds kinds_;                             // of the string, if it is short
};

}  // namespace steno::format
