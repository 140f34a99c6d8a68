#include "query/filter/bound.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/name_match.h"
#include "query/filter/said_unit.h"
#include "query/narrow.h"

namespace steno::query {
namespace {

using text::Int128;

Bound constant(bool truth) {
  Bound bound;
  bound.kind = truth ? Bound::Kind::kTrue : Bound::Kind::kFalse;
  return bound;
}

bool is_wide(ArgType type) {
  return fixed_size(type) == 16;
}
bool is_float(ArgType type) {
  return type == ArgType::kF32 || type == ArgType::kF64;
}
bool is_real(ArgType type) {
  return is_float(type) || type == ArgType::kF80 || type == ArgType::kF128;
}
bool is_char(ArgType type) {
  return type == ArgType::kChar || type == ArgType::kChar16 || type == ArgType::kChar32;
}

// The code of a text of one character; -1: it has not one.
std::int64_t single_code(std::string_view text) {
  if (text.empty()) return -1;
  const auto lead = static_cast<std::uint8_t>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (size != text.size()) return -1;
  std::int64_t code = size == 1 ? lead : lead & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<std::uint8_t>(text[i]) & 0x3F);
  return code;
}

// The constant as a number of the argument: of a name, of a time, of a duration in another unit. False: it has none.
bool to_number_of(const text::Meaning& meaning, const Constant& constant, Constant* number) {
  using Kind = text::Meaning::Kind;
  text::TimeUnit from = text::kNanosecond;
  Int128 integer = constant.integer;
  if (constant.kind == Constant::Kind::kText && meaning.kind() == Kind::kNames) {
    const auto value = meaning.value_of(constant.text);
    if (value) *number = Constant::of_integer(static_cast<Int128>(*value));
    return value.has_value();
  }
  if (constant.kind == Constant::Kind::kText && meaning.kind() == Kind::kTime && constant.time) {
    integer = *constant.time;
  } else if (constant.unit && meaning.kind() == Kind::kDuration) {
    from = *constant.unit;
  } else {
    return false;
  }
  const text::TimeUnit to = meaning.time_unit();
  if (constant.kind == Constant::Kind::kReal) {
    const auto factor = static_cast<long double>(from.numerator) * static_cast<long double>(to.denominator);
    const auto divisor = static_cast<long double>(from.denominator) * static_cast<long double>(to.numerator);
    *number = Constant::of_real(constant.real * factor / divisor);
    return true;
  }
  Int128 whole = 0;
  long double real = 0;
  *number = text::convert(integer, from, to, &whole, &real) ? Constant::of_integer(whole) : Constant::of_real(real);
  return true;
}

// Returns whether the constant needs a meaning to be compared as a number.
bool wants_meaning(const Condition& condition) {
  return condition.constant.unit.has_value() || condition.constant.kind == Constant::Kind::kText;
}

// The values of a type of at most 64 bits.
void type_range(ArgType type, Int128* least, Int128* greatest) {
  const unsigned bits = type == ArgType::kBool ? 1 : 8 * fixed_size(type);
  if (is_signed_integer(type)) {
    *least = -(Int128{1} << (bits - 1));
    *greatest = (Int128{1} << (bits - 1)) - 1;
  } else {
    *least = 0;
    *greatest = (Int128{1} << bits) - 1;
  }
}

// `v <op> constant` over the integers [least, greatest] as one range of them; false if it is empty.
bool to_range(const Condition& condition, Int128* least, Int128* greatest) {
  const Constant& c = condition.constant;
  const Int128 floor = c.integer;
  const bool whole = !c.fraction;
  if (c.beyond) {
    const bool wants_less = condition.comparison == Comparison::kLess || condition.comparison == Comparison::kLessEqual;
    return condition.comparison != Comparison::kEqual && wants_less == (c.real > 0);
  }
  switch (condition.comparison) {
    case Comparison::kEqual:
      if (!whole) return false;
      *least = std::max(*least, floor);
      *greatest = std::min(*greatest, floor);
      break;
    case Comparison::kLess:
      *greatest = std::min(*greatest, whole ? floor - 1 : floor);
      break;
    case Comparison::kGreater:
    case Comparison::kGreaterEqual:
      if (whole && condition.comparison == Comparison::kGreaterEqual) {
        *least = std::max(*least, floor);
      } else {
        if (floor >= *greatest) return false;
        *least = std::max(*least, floor + 1);
      }
      break;
    default:
      *greatest = std::min(*greatest, floor);
      break;
  }
  return *least <= *greatest;
}

Condition with_integer(const Condition& condition, ArgType type, const text::Meaning* meaning) {
  Condition numeric;
  numeric.comparison = condition.comparison;
  numeric.constant = condition.constant;
  if (meaning != nullptr && wants_meaning(condition)) {
    (void)to_number_of(*meaning, condition.constant, &numeric.constant);
    if (is_signed_integer(type) && meaning->kind() == text::Meaning::Kind::kNames) {
      numeric.constant = Constant::of_integer(static_cast<std::int64_t>(numeric.constant.integer));
    }
  } else if (condition.comparison == Comparison::kIsTrue) {
    numeric.comparison = Comparison::kEqual;
    numeric.constant = Constant::of_integer(1);
  } else if (condition.constant.kind == Constant::Kind::kBool) {
    numeric.constant = Constant::of_integer(condition.constant.truth ? 1 : 0);
  } else if (is_char(type) && condition.constant.kind == Constant::Kind::kText) {
    numeric.constant = Constant::of_integer(single_code(condition.constant.text));
  }
  return numeric;
}

Bound bind_integer(const Condition& condition, ArgType type, const text::Meaning* meaning) {
  Int128 least = 0;
  Int128 greatest = 0;
  type_range(type, &least, &greatest);
  const Int128 type_least = least;
  const Int128 type_greatest = greatest;
  if (!to_range(with_integer(condition, type, meaning), &least, &greatest)) return constant(condition.negated);
  if (least == type_least && greatest == type_greatest) return constant(!condition.negated);
  Bound bound;
  bound.kind = Bound::Kind::kInteger;
  bound.low = static_cast<std::uint64_t>(least);
  bound.span = static_cast<std::uint64_t>(greatest - least);
  bound.inverted = condition.negated;
  return bound;
}

// Constants vanish.
Bound join(Bound::Kind kind, std::vector<Bound> parts) {
  const Bound::Kind neutral = kind == Bound::Kind::kAnd ? Bound::Kind::kTrue : Bound::Kind::kFalse;
  Bound bound;
  bound.kind = kind;
  for (Bound& part : parts) {
    if (part.kind == neutral) continue;
    if (part.kind == Bound::Kind::kTrue || part.kind == Bound::Kind::kFalse) return constant(kind == Bound::Kind::kOr);
    bound.parts.push_back(std::move(part));
  }
  if (bound.parts.empty()) return constant(kind == Bound::Kind::kAnd);
  if (bound.parts.size() == 1) {
    Bound only = std::move(bound.parts[0]);
    return only;
  }
  // Texts last: by then few records are left.
  std::stable_sort(bound.parts.begin(), bound.parts.end(), [](const Bound& a, const Bound& b) {
    const auto cost = [](const Bound& x) {
      return x.kind == Bound::Kind::kMessage ? 2 : x.kind == Bound::Kind::kString ? 1 : 0;
    };
    return cost(a) < cost(b);
  });
  return bound;
}

// That an argument has a value, or, if `inverted`, that it has none.
Bound bind_presence(const Condition& condition, const text::Presence& presence, const reader::Site& site,
                    bool inverted) {
  Bound bound;
  bound.kind = Bound::Kind::kInteger;
  bound.condition = &condition;
  bound.column = presence.field;
  bound.type = site.layout()->fields[presence.field].type;
  bound.low = presence.value;
  bound.inverted = inverted;
  return bound;
}

// A float is compared as what it prints as: 0.1f is 0.1, which is less than 0.1000000001. All floats but the nearest
// one are on the same side of the constant as their texts.
void bind_narrow(Bound* bound) {
  const double constant = bound->real;
  const auto narrow = static_cast<float>(constant);
  const double printed = printed_value(narrow);
  bound->real = static_cast<double>(narrow);
  bound->side = printed < constant ? -1 : printed > constant ? 1 : 0;
}

Bound bind_argument(const Condition& condition, const reader::Site& site) {
  const std::optional<std::uint32_t> found = site.find_argument_or_number(condition.name);
  const bool has_null_test = condition.comparison == Comparison::kIsNull;
  if (!found) return constant(has_null_test && !condition.negated);
  const std::uint32_t index = *found;
  const ArgType type = site.layout()->fields[index].type;
  std::optional<text::Meaning> said;
  const text::Meaning* const meaning = meaning_for(condition, site, index, &said);
  if (!comparable(condition, type, meaning)) return constant(false);
  Bound bound;
  const text::Presence* const presence = site.presences().of(index);
  if (has_null_test && !is_string(type)) {
    return presence != nullptr ? bind_presence(condition, *presence, site, !condition.negated)
                               : constant(condition.negated);
  }
  if (is_string(type)) {
    bound.kind = Bound::Kind::kString;
    const Automaton* const automaton = condition.pattern != nullptr ? condition.pattern->automaton() : nullptr;
    // A pattern that matches everything does not match null.
    const bool undecided = automaton != nullptr && !Automaton::is_decided(automaton->start());
    if (undecided && unit_size(type) == 1) bound.tables = std::make_shared<SharedTables>();
  } else if (is_wide(type)) {
    bound.kind = Bound::Kind::kWide;
  } else if (is_float(type)) {
    bound.kind = Bound::Kind::kFloat;
    Constant number = condition.constant;
    if (meaning != nullptr && wants_meaning(condition)) (void)to_number_of(*meaning, condition.constant, &number);
    bound.real = number.nearest;
    if (type == ArgType::kF32) bind_narrow(&bound);
  } else {
    bound = bind_integer(condition, type, meaning);
  }
  bound.condition = &condition;
  bound.column = index;
  bound.type = type;
  if (presence == nullptr) return bound;
  // Strings may be null too.
  const bool wants_null = has_null_test && !condition.negated;
  std::vector<Bound> parts;
  parts.push_back(bind_presence(condition, *presence, site, wants_null));
  parts.push_back(std::move(bound));
  return join(wants_null ? Bound::Kind::kOr : Bound::Kind::kAnd, std::move(parts));
}

Bound bind_time(const Condition& condition) {
  Int128 least = INT64_MIN;
  Int128 greatest = INT64_MAX;
  if (!to_range(condition, &least, &greatest)) return constant(condition.negated);
  Bound bound;
  bound.kind = Bound::Kind::kTime;
  bound.condition = &condition;
  bound.low = static_cast<std::uint64_t>(least);
  bound.span = static_cast<std::uint64_t>(greatest - least);
  bound.inverted = condition.negated;
  return bound;
}

Bound bind_sequence(const Condition& condition) {
  Condition numeric = condition;
  numeric.field = Field::kArgument;
  Bound bound = bind_integer(numeric, ArgType::kU64, nullptr);
  if (bound.kind == Bound::Kind::kInteger) bound.kind = Bound::Kind::kSequence;
  return bound;
}

template <class T>
bool reads_as(std::string_view text, int base, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return error == std::errc() && end == text.data() + text.size();
}

// Returns whether a statement is at a place as people write it: "server.cc:120", all of "server.cc", a stable id.
bool is_at(const wire::SiteInfo& info, std::string_view place) {
  if (path_ends_in(info.file, place)) return true;
  std::uint64_t id = 0;
  if (place.size() == 16 && reads_as(place, 16, &id) && id == info.stable_id) return true;
  const std::size_t colon = place.rfind(':');
  std::uint32_t line = 0;
  return colon != std::string_view::npos && reads_as(place.substr(colon + 1), 10, &line) && line == info.line &&
         path_ends_in(info.file, place.substr(0, colon));
}

Bound bind_message(const Condition& condition, const reader::Site& site) {
  Bound bound;
  bound.kind = Bound::Kind::kMessage;
  bound.condition = &condition;
  if (condition.pattern == nullptr) return bound;
  const bool plain = site.known() && site.printer() != nullptr && site.info().id >= wire::kFirstUserSite;
  if (!plain || condition.pattern->automaton() == nullptr) return bound;
  auto search = std::make_shared<MessageSearch>(*condition.pattern, site);
  const Found found = search->of_site();
  if (!found.unknown && !found.matches) return constant(condition.negated);
  if (!found.unknown && !found.others) return constant(!condition.negated);
  bound.search = std::move(search);
  return bound;
}

Bound bind_condition(const Condition& condition, const reader::Site& site) {
  const wire::SiteInfo& info = site.info();
  Bound bound;
  bound.condition = &condition;
  switch (condition.field) {
    case Field::kTime:
      return bind_time(condition);
    case Field::kThread:
    case Field::kTid:
      bound.kind = Bound::Kind::kThread;
      return bound;
    case Field::kPid:
    case Field::kProgram:
    case Field::kHost:
      bound.kind = Bound::Kind::kSession;
      return bound;
    case Field::kSequence:
      return bind_sequence(condition);
    case Field::kLogger:
      bound.kind = Bound::Kind::kLogger;
      return bound;
    case Field::kLevel:
      return constant(info.level != reader::kNoLevel && number_holds(condition, static_cast<int>(info.level)));
    case Field::kLine:
      return constant(number_holds(condition, info.line));
    case Field::kSite:
      if (condition.comparison == Comparison::kEqual) {
        return constant(is_at(info, condition.constant.text) != condition.negated);
      }
      return constant(text_holds(condition, info.file + ":" + std::to_string(info.line)));
    case Field::kFile:
      if (condition.comparison == Comparison::kEqual) {
        return constant(path_ends_in(info.file, condition.constant.text) != condition.negated);
      }
      return constant(text_holds(condition, info.file));
    case Field::kFunction:
      return constant(text_holds(condition, info.function));
    case Field::kFormat:
      return constant(text_holds(condition, info.format));
    case Field::kMessage:
      return bind_message(condition, site);
    case Field::kArgument:
      return bind_argument(condition, site);
  }
  return constant(false);
}

}  // namespace

bool lacks_unit(const Condition& condition, const text::Meaning* meaning) {
  return meaning != nullptr && meaning->kind() == text::Meaning::Kind::kDuration && condition.constant.is_number() &&
         !condition.constant.unit && !condition.constant.is_zero();
}

const text::Meaning* meaning_for(const Condition& condition, const reader::Site& site, std::uint32_t index,
                                 std::optional<text::Meaning>* said) {
  const text::Meaning* const own = site.meaning(index);
  if (own != nullptr || !condition.constant.unit) return own;
  *said = said_duration(site, index);
  return *said ? &**said : nullptr;
}

bool comparable(const Condition& condition, ArgType type, const text::Meaning* meaning) {
  switch (condition.comparison) {
    case Comparison::kIsNull:
      return true;
    case Comparison::kIsTrue:
      return type == ArgType::kBool;
    case Comparison::kIsNan:
      return is_real(type);
    case Comparison::kMatches:
    case Comparison::kPrefix:
    case Comparison::kUnder:
      return is_string(type) && meaning == nullptr;
    default:
      break;
  }
  if (meaning != nullptr && meaning->kind() == text::Meaning::Kind::kList) return false;
  if (meaning != nullptr && wants_meaning(condition)) {
    Constant number;
    return to_number_of(*meaning, condition.constant, &number);
  }
  if (condition.constant.unit) return false;
  if (lacks_unit(condition, meaning)) return false;
  switch (condition.constant.kind) {
    case Constant::Kind::kText:
      return is_string(type) || (is_char(type) && single_code(condition.constant.text) >= 0);
    case Constant::Kind::kBool:
      return type == ArgType::kBool;
    default:
      return !is_string(type);
  }
}

bool number_holds(const Condition& condition, Int128 value) {
  Int128 least = value;
  Int128 greatest = value;
  return to_range(condition, &least, &greatest) != condition.negated;
}

bool real_holds(const Condition& condition, long double value) {
  if (condition.comparison == Comparison::kIsNan) return std::isnan(value) != condition.negated;
  return compare(condition.comparison, value, condition.constant.real) != condition.negated;
}

bool float_holds(const Bound& bound, double value) {
  const Condition& condition = *bound.condition;
  if (condition.comparison == Comparison::kIsNan) return std::isnan(value) != condition.negated;
  const bool holds = value == bound.real ? compare(condition.comparison, bound.side, 0)
                                         : compare(condition.comparison, value, bound.real);
  return holds != condition.negated;
}

bool text_holds(const Condition& condition, std::string_view text) {
  const std::string_view constant_text = condition.constant.text;
  bool holds = false;
  switch (condition.comparison) {
    case Comparison::kEqual:
    case Comparison::kLess:
    case Comparison::kLessEqual:
    case Comparison::kGreater:
    case Comparison::kGreaterEqual:
      holds = compare(condition.comparison, text, constant_text);
      break;
    case Comparison::kMatches:
      holds = condition.pattern->matches(text);
      break;
    case Comparison::kPrefix:
      holds = text.starts_with(constant_text);
      break;
    case Comparison::kUnder:
      holds = is_under(text, constant_text);
      break;
    case Comparison::kIsNull:
    case Comparison::kIsTrue:
    case Comparison::kIsNan:
      break;
  }
  return holds != condition.negated;
}

Bound bind(const Expression& expression, const reader::Site& site) {
  std::vector<Bound> parts;
  switch (expression.kind) {
    case Expression::Kind::kTrue:
      return constant(true);
    case Expression::Kind::kCondition:
      return bind_condition(expression.condition, site);
    case Expression::Kind::kAnd:
    case Expression::Kind::kOr:
      for (const Expression& part : expression.parts) parts.push_back(bind(part, site));
      return join(expression.kind == Expression::Kind::kAnd ? Bound::Kind::kAnd : Bound::Kind::kOr, std::move(parts));
  }
  return constant(false);
}

}  // namespace steno::query
