#include "query/expression.h"

#include <cmath>
#include <utility>

namespace steno::query {

Constant Constant::of_text(std::string_view text) {
  Constant constant;
  constant.kind = Kind::kText;
  constant.text = text;
  return constant;
}

Constant Constant::of_integer(text::Int128 value) {
  Constant constant;
  constant.kind = Kind::kInteger;
  constant.integer = value;
  constant.real = static_cast<long double>(value);
  constant.nearest = static_cast<double>(value);
  return constant;
}

Constant Constant::of_real(long double value) {
  Constant constant;
  constant.kind = Kind::kReal;
  constant.real = value;
  constant.nearest = static_cast<double>(value);
  constant.beyond = !(std::fabs(value) < 0x1p127L);
  constant.fraction = std::floor(value) != value;
  if (!constant.beyond) constant.integer = static_cast<text::Int128>(std::floor(value));
  return constant;
}

Expression Expression::of(Condition condition) {
  Expression expression;
  expression.kind = Kind::kCondition;
  expression.condition = std::move(condition);
  return expression;
}

Expression Expression::all_of(std::vector<Expression> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  Expression expression;
  expression.kind = parts.empty() ? Kind::kTrue : Kind::kAnd;
  expression.parts = std::move(parts);
  return expression;
}

Expression Expression::any_of(std::vector<Expression> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  Expression expression;
  expression.kind = Kind::kOr;
  expression.parts = std::move(parts);
  return expression;
}

void Expression::negate() {
  switch (kind) {
    case Kind::kTrue:
      kind = Kind::kOr;  // of nothing
      break;
    case Kind::kCondition:
      condition.negated = !condition.negated;
      break;
    case Kind::kAnd:
    case Kind::kOr:
      kind = kind == Kind::kAnd ? Kind::kOr : Kind::kAnd;
      for (Expression& part : parts) part.negate();
      break;
  }
}

}  // namespace steno::query
