#include "lines/message_steps.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/padded_digits.h"
#include "lines/message_program.h"
#include "lines/message_tile.h"
#include "text/value_text.h"

namespace steno::lines {
namespace {

using text::Column;
using text::StringPiece;
using Value = MessageStep::Value;

constexpr std::size_t kNumberRoom = text::kMaxNumberSize;
constexpr std::uint64_t kShortDecimals = 100'000'000;  // numbers below are for text::write_short_decimal()
static_assert(kPaddedRoom <= kNumberRoom);

Value value_of_unsigned(const Column& column) {
  if (column.greatest < kSmallDecimals) return Value::kSmall;
  return column.greatest < kShortDecimals ? Value::kShort : Value::kUnsigned;
}

// Not of strings. kNone: such values are not known here.
Value value_of_number(const MessageOp& op, const Column& column) {
  switch (op.kind) {
    case MessageOp::Kind::kSigned:
      if (!text::are_numbers(column.greatest, op.shift, true)) return Value::kSigned;
      return value_of_unsigned(column);
    case MessageOp::Kind::kUnsigned:
      return value_of_unsigned(column);
    case MessageOp::Kind::kFixed:
      return Value::kFixed;
    default:
      if (column.type == ArgType::kBool) return Value::kBool;
      return column.type == ArgType::kF64 ? Value::kShortest : Value::kNone;
  }
}

// The most bytes that a step overwrites from where the value begins; the value takes no more.
std::size_t place_of_number(Value value) {
  switch (value) {
    case Value::kSmall:
    case Value::kShort:
    case Value::kBool:
    case Value::kPadded:
    case Value::kPaddedShort:
    case Value::kPaddedHex:
      return sizeof(std::uint64_t);
    default:
      return kNumberRoom;
  }
}

std::size_t place_of_string(Value value, const StringFacts& facts) {
  switch (value) {
    case Value::kString16:
    case Value::kCoded16:
      return 16;
    case Value::kString32:
    case Value::kCoded32:
      return 32;
    case Value::kString64:
    case Value::kCoded64:
      return 64;
    case Value::kString:
    case Value::kCoded:
      return round_up(facts.longest, kStringSlack);
    default:
      return MessageTile::kMostPlace;  // with the rest of the message it is more
  }
}

}  // namespace

bool StepMaker::make(std::span<const MessageOp> ops, const text::StringShapes* shapes, std::uint32_t shape) {
  shapes_ = shapes;
  shape_ = shape;
  steps_.clear();
  literal_size_ = 0;
  room_ = kCopyStep + MessageTexts::kSlack;
  place_ = kCopyStep;
  all_same_ = true;
  for (const MessageOp& op : ops) {
    if (!add(op)) return false;
  }
  end_literal(Value::kEnd);
  return true;
}

std::size_t StepMaker::place() const {
  return place_ <= MessageTile::kMostPlace ? place_ : 0;
}

bool StepMaker::add(const MessageOp& op) {
  add_literal(op.literal);
  if (op.kind == Kind::kNone) return true;
  const Column& column = columns_[op.argument];
  if (column.shapes != nullptr) return op.kind == Kind::kString && add_shaped(*column.shapes);
  if (column.mask == 0) return add_constant(op, column);
  if (op.kind == Kind::kString) {
    add_string(column);
    return true;
  }
  if (op.kind == Kind::kDigits) return add_digits(op, column);
  const Value value = value_of_number(op, column);
  if (value == Value::kNone) return false;
  MessageStep& step = add_number(value, column);
  step.shift = op.shift;
  step.precision = op.precision;
  return true;
}

MessageStep& StepMaker::add_number(Value value, const Column& column) {
  all_same_ = false;
  room_ += kNumberRoom;
  place_ += place_of_number(value);
  MessageStep& step = end_literal(value);
  step.values = column.ints;
  step.shift = 0;
  step.type = column.type;
  return step;
}

void StepMaker::add_string(const Column& column) {
  all_same_ = false;
  room_ += kStringRoom;
  const Value value = value_of_string(column);
  place_ += place_of_string(value, column.facts);
  MessageStep& step = end_literal(value);
  step.values = column.codes != nullptr ? static_cast<const void*>(column.codes) : column.strings;
  step.table = column.strings;
}

// A string that is in pieces: so are its steps.
bool StepMaker::add_shaped(const text::StringShapes& shapes) {
  if (shapes.places != nullptr && &shapes != shapes_) return false;
  const std::size_t first = steps_.size();
  for (const StringPiece& piece : shapes.shapes[shapes.places != nullptr ? shape_ : shapes.kOnlyShape]) {
    if (!add_piece(piece)) return false;
  }
  for (std::size_t i = first; i < steps_.size(); ++i) steps_[i].of_shape = shapes.places != nullptr;
  return true;
}

bool StepMaker::add_piece(const StringPiece& piece) {
  switch (piece.kind) {
    case StringPiece::Kind::kConstant:
      if (!lines::is_clean(piece.constant.data(), piece.constant.size(), escape_)) return false;
      add_literal(piece.constant);
      break;
    case StringPiece::Kind::kText:
      add_string(piece.values);
      break;
    case StringPiece::Kind::kDecimal:
      add_decimal(piece.values, piece.width);
      break;
    case StringPiece::Kind::kLowerHex:
      add_hex(piece.values, piece.width, 'a');
      break;
    case StringPiece::Kind::kUpperHex:
      add_hex(piece.values, piece.width, 'A');
      break;
  }
  return true;
}

bool StepMaker::add_digits(const MessageOp& op, const Column& column) {
  if (!text::are_numbers(column.greatest, op.shift, op.is_signed)) return false;
  if (op.ten == 0) {
    add_decimal(column, op.digits);
  } else {
    add_hex(column, op.digits, op.ten);
  }
  return true;
}

// Numbers in `width` digits at least.
void StepMaker::add_decimal(const Column& column, std::size_t width) {
  constexpr std::string_view kZeros = "00000000000";
  Value value = Value::kPaddedNumber;
  if (width == 1) {
    value = value_of_unsigned(column);
  } else if (column.greatest < kShortDecimals) {
    if (width > 8) {
      add_literal(kZeros.substr(0, width - 8));
      width = 8;
    }
    value = count_digits(static_cast<std::uint32_t>(column.greatest)) <= width ? Value::kPadded : Value::kPaddedShort;
  }
  MessageStep& step = add_number(value, column);
  step.width = static_cast<std::uint8_t>(width);
  step.ten = 0;
}

void StepMaker::add_hex(const Column& column, std::uint8_t width, char ten) {
  const bool fits = count_hex_digits(column.greatest) <= width;
  if (fits && width > 8) {
    MessageStep& high = add_number(Value::kPaddedHex, column);
    high.shift = 32;
    high.width = static_cast<std::uint8_t>(width - 8);
    high.ten = ten;
    width = 8;
  }
  MessageStep& step = add_number(fits ? Value::kPaddedHex : Value::kPaddedNumber, column);
  step.width = width;
  step.ten = ten;
}

MessageStep::Value StepMaker::value_of_string(const Column& column) const {
  const bool coded = column.codes != nullptr;
  const StringFacts& facts = column.facts;
  if (!facts.has_slack || facts.has_null || !is_clean(facts)) return coded ? Value::kTestedCoded : Value::kTested;
  if (facts.longest <= 16) return coded ? Value::kCoded16 : Value::kString16;
  if (facts.longest <= 32) return coded ? Value::kCoded32 : Value::kString32;
  if (facts.longest <= 64) return coded ? Value::kCoded64 : Value::kString64;
  return coded ? Value::kCoded : Value::kString;
}

bool StepMaker::is_clean(const StringFacts& facts) const {
  switch (escape_) {
    case Escape::kRaw:
      return true;
    case Escape::kControls:
      return !facts.has_control && !facts.has_c1;
    case Escape::kTerminal:
      return !facts.has_control && !facts.has_high;
  }
  return false;
}

void StepMaker::add_literal(std::string_view text) {
  while (!text.empty()) {
    if (literal_size_ == MessageStep::kLiteral) end_literal(Value::kNone);
    const std::size_t n = std::min(text.size(), MessageStep::kLiteral - literal_size_);
    std::memcpy(literal_ + literal_size_, text.data(), n);
    literal_size_ += n;
    room_ += n;
    place_ += n;
    text.remove_prefix(n);
  }
}

// The step of the literal that was added, and a value.
MessageStep& StepMaker::end_literal(Value value) {
  MessageStep& step = steps_.emplace_back();
  std::memcpy(step.literal, literal_, sizeof step.literal);
  step.literal_size = static_cast<std::uint8_t>(std::exchange(literal_size_, 0));
  step.value = value;
  step.of_shape = false;
  return step;
}

// One value for all: a part of the literal.
bool StepMaker::add_constant(const MessageOp& op, const Column& column) {
  if (op.kind == Kind::kString) {
    std::string_view s = column.string_at(0);
    if (s.data() == nullptr) s = text::kNullText;
    if (s.size() > MessageTexts::kMostBytes || !lines::is_clean(s.data(), s.size(), escape_)) return false;
    add_literal(s);
    return true;
  }
  char number[kNumberRoom + kCopyStep];
  if (op.kind == Kind::kDigits) {
    const std::uint64_t value = column.bits_at(0);
    if (!text::are_numbers(value, op.shift, op.is_signed)) return false;
    const char* const end =
        op.ten == 0 ? put_padded_decimal(value, op.digits, number) : put_padded_hex(value, op.digits, op.ten, number);
    add_literal({number, static_cast<std::size_t>(end - number)});
    return true;
  }
  const Value value = value_of_number(op, column);
  if (value == Value::kNone) return false;
  const char* const end = put_number(value, op.shift, op.precision, column.type, column.bits_at(0), number);
  if (end == nullptr) return false;
  add_literal({number, static_cast<std::size_t>(end - number)});
  return true;
}

}  // namespace steno::lines
