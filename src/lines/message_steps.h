// The steps that print the messages of a statement: literals and values, one after the other, each in the way that
// suits what is known of its column.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/copy_steps.h"
#include "base/small_decimals.h"
#include "lines/escape.h"
#include "text/number.h"
#include "text/printer.h"
#include "text/string_shapes.h"

namespace steno::lines {

// A part of a format: a literal, then a field.
struct MessageOp {
  using Kind = text::Printer::Field::Kind;

  std::string literal;
  Kind kind = Kind::kNone;
  std::uint8_t argument = 0;
  std::uint8_t shift = 0;
  std::uint8_t precision = 0;
  std::uint8_t digits = 0;  // these three are of kDigits
  char ten = 0;
  bool is_signed = false;
};

// A literal, then a value.
struct MessageStep {
  enum class Value : std::uint8_t {
    kNone,      // the literal only, and more steps
    kEnd,       // the literal only; it was the last step
    kSmall,     // an integer below kSmallDecimals
    kShort,     // one below 10^8
    kUnsigned,  // any
    kSigned,
    kFixed,     // as text::write_fixed()
    kShortest,  // a double, as text::write_shortest()
    kBool,
    kPadded,        // one in just `width` digits, at most 8
    kPaddedShort,   // one below 10^8 in at least so many digits
    kPaddedHex,     // of the number >> shift, its last `width` hexadecimal digits, at most 8
    kPaddedNumber,  // any, in at least `width` decimal digits, or hexadecimal ones if `ten` is not 0
    kString16,      // a string with slack, not null, nothing to escape, of at most so many bytes
    kString32,
    kString64,
    kString,   // the same, of any size
    kTested,   // any other string
    kCoded16,  // the same five, of a table
    kCoded32,
    kCoded64,
    kCoded,
    kTestedCoded,
  };
  static constexpr std::size_t kLiteral = 16;

  char literal[kLiteral];
  const void* values;  // of the column
  const std::string_view* table;
  Value value;
  std::uint8_t literal_size;
  std::uint8_t shift;
  std::uint8_t precision;
  std::uint8_t width;
  bool of_shape;  // its values are those of a shape's strings
  char ten;       // of hexadecimal digits
  ArgType type;
};

inline char* put_bool(bool value, char* p) {
  std::memcpy(p, value ? "true\0\0\0" : "false\0\0", 8);
  return p + (value ? 4 : 5);
}

// nullptr: it is for the printer. Small and short numbers are such, whatever the shift.
[[gnu::always_inline]] inline char* put_number(MessageStep::Value value, unsigned shift, int precision, ArgType type,
                                               std::uint64_t bits, char* p) {
  using Value = MessageStep::Value;
  switch (value) {
    case Value::kSmall:
      return write_small_decimal(bits, p);
    case Value::kShort:
      return text::write_short_decimal(static_cast<std::uint32_t>(bits), p);
    case Value::kUnsigned:
      return text::write_decimal(text::unsigned_bits(bits, shift), p);
    case Value::kSigned:
      return text::write_decimal(text::signed_bits(bits, shift), p);
    case Value::kFixed:
      return text::write_fixed(text::to_double(type, bits), precision, p);
    case Value::kShortest:
      return text::write_shortest(std::bit_cast<double>(bits), p);
    default:
      return put_bool(bits != 0, p);
  }
}

// Makes the steps of some messages, all of which then take these.
class StepMaker {
 public:
  static constexpr std::size_t kStringRoom = kStringSlack;

  StepMaker(Escape escape, const text::Column* columns, std::vector<MessageStep>& steps)
      : escape_(escape), columns_(columns), steps_(steps) {}

  // Makes the steps for messages whose strings in the column of these `shapes` have this one; nullptr: no column has
  // several. False: there are values that are not known here.
  bool make(std::span<const MessageOp> ops, const text::StringShapes* shapes, std::uint32_t shape);

  // The most bytes of a message whose strings are not longer than kStringRoom each. Steps may overwrite
  // MessageTexts::kSlack more.
  std::size_t room() const { return room_; }
  // The most bytes that each message takes, with those that the steps overwrite after it. 0: the strings are too long
  // for that to be worth much, or have to be looked at.
  std::size_t place() const;
  // Returns whether the steps are literals only.
  bool all_same() const { return all_same_; }

 private:
  using Kind = MessageOp::Kind;
  using Value = MessageStep::Value;

  bool add(const MessageOp& op);
  MessageStep& add_number(Value value, const text::Column& column);
  void add_string(const text::Column& column);
  bool add_shaped(const text::StringShapes& shapes);
  bool add_piece(const text::StringPiece& piece);
  bool add_digits(const MessageOp& op, const text::Column& column);
  void add_decimal(const text::Column& column, std::size_t width);
  void add_hex(const text::Column& column, std::uint8_t width, char ten);
  bool add_constant(const MessageOp& op, const text::Column& column);
  void add_literal(std::string_view text);
  MessageStep& end_literal(Value value);
  Value value_of_string(const text::Column& column) const;
  bool is_clean(const StringFacts& facts) const;

  const Escape escape_;
  const text::Column* const columns_;
  std::vector<MessageStep>& steps_;
  const text::StringShapes* shapes_ = nullptr;
  std::uint32_t shape_ = 0;
  char literal_[MessageStep::kLiteral] = {};
  std::size_t literal_size_ = 0;
  std::size_t room_ = 0;
  std::size_t place_ = 0;
  bool all_same_ = true;
};

}  // namespace steno::lines
