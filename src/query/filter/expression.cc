#include "query/filter/expression.h"

#include <cmath>
#include <utility>

namespace steno::query {
namespace {

struct NamedField {
  std::string_view name;
  Field field;
  bool yields = false;  // to an argument of the name
};
constexpr NamedField kFields[] = {
    {"time", Field::kTime},
    {"level", Field::kLevel},
    {"thread", Field::kThread},
    {"tid", Field::kTid},
    {"pid", Field::kPid, true},
    {"session.pid", Field::kPid},
    {"program", Field::kProgram, true},
    {"session.program", Field::kProgram},
    {"host", Field::kHost, true},
    {"session.host", Field::kHost},
    {"logger", Field::kLogger},
    {"site", Field::kSite},
    {"file", Field::kFile},
    {"line", Field::kLine},
    {"function", Field::kFunction},
    {"format", Field::kFormat},
    {"message", Field::kMessage},
    {"sequence", Field::kSequence, true},
};

}  // namespace

Field field_named(std::string_view name, const IsArgument& is_argument) {
  for (const NamedField& known : kFields) {
    if (name != known.name) continue;
    return known.yields && is_argument && is_argument(name) ? Field::kArgument : known.field;
  }
  return Field::kArgument;
}

const std::vector<std::string>& field_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedField& known : kFields) all.emplace_back(known.name);
    return all;
  }();
  return names;
}

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

Constant Constant::of_nan() {
  Constant constant;
  constant.kind = Kind::kNan;
  return constant;
}

Expression Expression::of(Condition condition) {
  Expression expression;
  expression.kind = Kind::kCondition;
  expression.condition = std::move(condition);
  return expression;
}

Expression Expression::has_value(std::string argument) {
  Condition condition;
  condition.field = Field::kArgument;
  condition.name = std::move(argument);
  condition.comparison = Comparison::kIsNull;
  condition.negated = true;
  return of(std::move(condition));
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
