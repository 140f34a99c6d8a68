// Conditions on records, as the user wrote them: a tree of comparisons. docs/cli.md has the grammar.
//
// Logic has three values, as in SQL: a comparison with an argument that a record does not have, or that is a null
// string, is unknown, and so is its negation; a record is wanted if the whole is true. Negations are pushed down to the
// comparisons when the tree is made, where an unknown one is simply not true. NaN is a value, not an unknown one: it is
// neither less than, equal to nor greater than any number, so that `x > 3` is not the negation of `x <= 3`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/filter/time_spec.h"
#include "query/search/pattern.h"
#include "steno/level.h"
#include "steno/status.h"
#include "text/meaning.h"
#include "text/number.h"

namespace steno::query {

enum class Field {
  kTime,
  kLevel,
  kThread,  // name, else tid
  kTid,
  kPid,  // this and the next two: of the session
  kProgram,
  kHost,
  kLogger,
  kSite,  // of the statement: "server.cc:120", "server.cc", or its stable id
  kFile,  // its last components suffice
  kLine,
  kFunction,
  kFormat,
  kMessage,
  kSequence,  // the number of the record in its ring
  kArgument,
};

enum class Comparison {
  kEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kMatches,  // `pattern` is found in it
  kPrefix,   // begins with
  kUnder,    // of loggers: is it, or below it
  kIsNull,   // no such argument, or a null string
  kIsTrue,   // of bool
  kIsNan,    // of floating point
};

struct Constant {
  enum class Kind { kNone, kInteger, kReal, kText, kBool, kNan };
  Kind kind = Kind::kNone;
  text::Int128 integer = 0;  // kReal: the greatest integer that is not above it, unless `beyond`
  bool fraction = false;     // kReal: it is no integer
  bool beyond = false;       // kReal: it is above, or below, all of Int128
  long double real = 0;      // of integers too
  double nearest = 0;        // binary64; rounded from what was written, not from `real`
  std::string text;
  bool truth = false;
  std::optional<text::TimeUnit> unit;  // of a number: 5ms
  std::optional<std::int64_t> time;    // of a text that reads as a time: ns since the epoch

  static Constant of_text(std::string_view text);
  static Constant of_integer(text::Int128 value);
  static Constant of_real(long double value);
  static Constant of_nan();
  bool is_number() const { return kind == Kind::kInteger || kind == Kind::kReal; }
  bool is_zero() const { return is_number() && integer == 0 && !fraction && !beyond; }
};

// Returns whether `comparison`, of order or equality, holds for `value` and `constant`.
template <class T>
bool compare(Comparison comparison, const T& value, const T& constant) {
  switch (comparison) {
    case Comparison::kLess:
      return value < constant;
    case Comparison::kLessEqual:
      return value <= constant;
    case Comparison::kGreater:
      return value > constant;
    case Comparison::kGreaterEqual:
      return value >= constant;
    default:
      return value == constant;
  }
}

// One comparison of a field with a constant.
struct Condition {
  Field field = Field::kMessage;
  std::string name;  // kArgument
  Comparison comparison = Comparison::kEqual;
  bool negated = false;
  Constant constant;  // of kTime: ns since the epoch; of kLevel: its number
  std::shared_ptr<const Pattern> pattern;
};

struct Expression {
  enum class Kind { kTrue, kAnd, kOr, kCondition };
  Kind kind = Kind::kTrue;
  std::vector<Expression> parts;  // of kAnd, kOr
  Condition condition;

  static Expression of(Condition condition);
  static Expression has_value(std::string argument);  // it is not null
  static Expression all_of(std::vector<Expression> parts);
  static Expression any_of(std::vector<Expression> parts);
  void negate();
};

template <class Visit>
void for_each_condition(const Expression& expression, const Visit& visit) {
  if (expression.kind == Expression::Kind::kCondition) visit(expression.condition);
  for (const Expression& part : expression.parts) for_each_condition(part, visit);
}

// A function that returns whether statements have an argument, or a field of context, of this name.
using IsArgument = std::function<bool(std::string_view name)>;

// The meaning of a bare name, wherever somebody writes one: a field that every record has, or else an argument. Some
// names (pid, program, host, sequence) are common as names of arguments, and mean these where there are such;
// `session.pid`, `session.program` and `session.host` mean the fields in any case.
Field field_named(std::string_view name, const IsArgument& is_argument);
// The names that field_named() knows, for suggestions.
const std::vector<std::string>& field_names();

// Reads an expression of --where. kInvalidArgument: it does not parse; the message shows where.
Result<Expression> parse_where(std::string_view text, const TimeContext& times, const IsArgument& is_argument = {});

}  // namespace steno::query
