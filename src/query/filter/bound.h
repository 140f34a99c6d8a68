// An expression bound to one statement: names are columns, types are known, and what the statement alone decides is
// decided.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/filter/expression.h"
#include "query/search/message_search.h"
#include "reader/dictionary.h"
#include "steno/detail/arg_type.h"

namespace steno::query {

struct Bound {
  enum class Kind {
    kFalse,
    kTrue,
    kAnd,
    kOr,
    kTime,      // least <= time - wall_low <= span, unless inverted
    kThread,    // of the run
    kSession,   // of the block: a process, a program, a host
    kSequence,  // least <= sequence number - low <= span, unless inverted
    kLogger,    // of the group
    kInteger,   // a column of at most 64 bits: value - low <= span, modulo 2^64, unless inverted
    kFloat,     // f32, f64
    kWide,      // 16 bytes
    kString,
    kMessage,
  };
  Kind kind = Kind::kFalse;
  std::vector<Bound> parts;
  const Condition* condition = nullptr;  // of those that compare; in the expression
  bool inverted = false;
  std::uint32_t column = 0;
  ArgType type = ArgType::kI32;
  std::uint64_t low = 0;
  std::uint64_t span = 0;
  double real = 0;  // kFloat: what values are compared with; of f32, the float that is nearest to the constant
  int side = 0;     // of f32: whether what that float prints as is less than (-1), or greater than (1), the constant
  // Where the pattern has an automaton:
  std::shared_ptr<const MessageSearch> search;  // kMessage
  std::shared_ptr<SharedTables> tables;         // kString
};

// `expression` must outlive the result.
Bound bind(const Expression& expression, const reader::Site& site);

// Returns whether a text fulfils a condition on a text, its negation included.
bool text_holds(const Condition& condition, std::string_view text);
// Returns whether the condition holds for a number. NaN fulfils the negation of any comparison.
bool number_holds(const Condition& condition, text::Int128 value);
bool real_holds(const Condition& condition, long double value);
// Returns whether the bound condition holds for a value of f32 or f64.
bool float_holds(const Bound& bound, double value);

// A bare number says nothing to a duration: its unit is seldom the one that the reader thinks of.
bool lacks_unit(const Condition& condition, const text::Meaning* meaning);
// Returns the meaning in which the condition takes the values of a site: their own, or, of numbers that are compared
// with a duration, the unit that the site's text says, which is then kept in `said`. nullptr: numbers are numbers.
const text::Meaning* meaning_for(const Condition& condition, const reader::Site& site, std::uint32_t index,
                                 std::optional<text::Meaning>* said);
// Returns whether values of the type can be compared as the condition requires.
bool comparable(const Condition& condition, ArgType type, const text::Meaning* meaning);

// Checks conditions on arguments against all statements of the files. An argument that no statement has, or has with a
// comparable type, is a mistake: kInvalidArgument names it. With `unknown`, arguments that no statement has are not a
// mistake; a sentence for each is added there.
Status check_arguments(const Expression& expression, const std::vector<const reader::Site*>& sites,
                       std::vector<std::string>* unknown = nullptr);

}  // namespace steno::query
