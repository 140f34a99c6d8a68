#include "text/printer_op.h"

#include <algorithm>

#include "text/number.h"

namespace steno::text {
namespace {

using Kind = PrintKind;

std::uint8_t shift_of(ArgType type) {
  return static_cast<std::uint8_t>(64 - 8 * fixed_size(type));
}

// Makes it a field of an integer in so many digits at least, if there may be as many.
void plan_digits(int digits, char presentation, bool is_signed, unsigned shift, PrintOp* op) {
  const bool hex = presentation == 'x' || presentation == 'X';
  if (digits > (hex ? 16 : 19)) return;
  op->kind = Kind::kDigits;
  op->shift = static_cast<std::uint8_t>(shift);
  op->digits = static_cast<std::uint8_t>(std::max(digits, 1));
  op->ten = !hex ? 0 : presentation == 'x' ? 'a' : 'A';
  op->is_signed = is_signed;
}

bool is_float_or_double(ArgType type) {
  return type == ArgType::kF32 || type == ArgType::kF64;
}

}  // namespace

bool needs_field(PrintKind kind) {
  return kind == Kind::kBrace || kind == Kind::kPrintf || kind == Kind::kFixed || kind == Kind::kDigits;
}

PrintOp plan_field(const detail::BraceSpec& spec, ArgType type) {
  PrintOp op{.argument = static_cast<std::uint8_t>(spec.argument), .kind = Kind::kBrace};
  const bool fixed =
      spec.width_argument < 0 && spec.precision_argument < 0 && spec.align == 0 && spec.sign == 0 && !spec.alternate;
  if (!fixed) return op;
  const unsigned traits = detail::type_traits(static_cast<char>(type));
  const bool integer = (traits & detail::kTraitInteger) != 0 && fixed_size(type) <= 8;
  const bool hex = spec.type == 'x' || spec.type == 'X';
  if (integer && spec.precision < 0 && (hex || spec.type == 0 || spec.type == 'd') &&
      (spec.zero || (hex && spec.width < 0))) {
    plan_digits(spec.width, spec.type, is_signed_integer(type), shift_of(type), &op);
    return op;
  }
  if (spec.width >= 0 || spec.zero) return op;
  if (spec.precision < 0) {
    if (integer && (spec.type == 0 || spec.type == 'd')) {
      op.kind = is_signed_integer(type) ? Kind::kSigned : Kind::kUnsigned;
      op.shift = shift_of(type);
    } else if (type == ArgType::kString && (spec.type == 0 || spec.type == 's')) {
      op.kind = Kind::kString;
    } else if (spec.type == 0) {
      op.kind = type == ArgType::kF64 ? Kind::kShortest : Kind::kValue;
    }
  }
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  if (spec.type == 'f' && is_float_or_double(type) && precision <= kMaxFixedPrecision) {
    op.kind = Kind::kFixed;
    op.precision = static_cast<std::uint8_t>(precision);
  }
  return op;
}

PrintOp plan_field(const detail::PrintfSpec& spec, ArgType type) {
  PrintOp op{.argument = static_cast<std::uint8_t>(spec.argument), .kind = Kind::kPrintf};
  const bool fixed =
      spec.width_argument < 0 && spec.precision_argument < 0 && !spec.plus && !spec.space && !spec.alternate;
  if (!fixed) return op;
  const bool whole = spec.precision < 0;
  const bool decimal = spec.conversion == 'd' || spec.conversion == 'u';
  const bool hex = spec.conversion == 'x' || spec.conversion == 'X';
  using detail::PrintfLength;
  const unsigned shift = spec.length == PrintfLength::kByte    ? 56
                         : spec.length == PrintfLength::kShort ? 48
                         : spec.length == PrintfLength::kNone  ? 32
                                                               : 0;
  if (whole && (decimal || hex) && (spec.width < 0 ? hex : spec.zero && !spec.left)) {
    plan_digits(spec.width, spec.conversion, spec.conversion == 'd', shift, &op);
    return op;
  }
  if (spec.width >= 0) return op;
  if (whole && decimal) {
    op.kind = spec.conversion == 'd' ? Kind::kSigned : Kind::kUnsigned;
    op.shift = static_cast<std::uint8_t>(shift);
  } else if (whole && spec.conversion == 's' && type == ArgType::kString) {
    op.kind = Kind::kString;
  } else if (spec.conversion == 'f' && is_float_or_double(type)) {
    const int precision = whole ? 6 : spec.precision;
    if (precision > kMaxFixedPrecision) return op;
    op.kind = Kind::kFixed;
    op.precision = static_cast<std::uint8_t>(precision);
  }
  return op;
}

}  // namespace steno::text
