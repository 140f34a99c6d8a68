// Finds faults of conditions on arguments that no statement has, or has with values of another kind.
#include <cstdio>
#include <set>

#include "base/suggest.h"
#include "query/filter/bound.h"

namespace steno::query {
namespace {

const char* kind_of(ArgType type, const text::Meaning* meaning) {
  using Kind = text::Meaning::Kind;
  if (meaning != nullptr && meaning->kind() == Kind::kDuration) return "a duration";
  if (meaning != nullptr && meaning->kind() == Kind::kTime) return "a time";
  if (meaning != nullptr && meaning->kind() == Kind::kList) return "a list";
  if (meaning != nullptr && meaning->kind() == Kind::kNames) return "an enumeration";
  if (is_string(type)) return "a string";
  if (type == ArgType::kBool) return "a bool";
  if (type == ArgType::kChar || type == ArgType::kChar16 || type == ArgType::kChar32) return "a character";
  return "a number";
}

std::string wanted_by(const Condition& condition) {
  if (condition.comparison == Comparison::kMatches) return "searched for a text";
  if (condition.comparison == Comparison::kIsTrue) return "true or false";
  if (condition.comparison == Comparison::kIsNan) return "nan";
  switch (condition.constant.kind) {
    case Constant::Kind::kText:
      return "compared with the text \"" + condition.constant.text + "\"";
    case Constant::Kind::kBool:
      return "compared with true or false";
    default:
      return condition.constant.unit ? "compared with a duration" : "compared with a number";
  }
}

const char* symbol_of(const Condition& condition) {
  switch (condition.comparison) {
    case Comparison::kLess:
      return " < ";
    case Comparison::kLessEqual:
      return " <= ";
    case Comparison::kGreater:
      return " > ";
    case Comparison::kGreaterEqual:
      return " >= ";
    default:
      return condition.negated ? " != " : " == ";
  }
}

// Advice on conditions on a value that has a meaning, or on a number where one was expected.
std::string advice(const Condition& condition, ArgType type, const text::Meaning* meaning) {
  if (lacks_unit(condition, meaning)) return " without a unit; write 5ms, 1.5s or the like";
  if (condition.constant.unit && meaning == nullptr && !is_string(type)) {
    char number[32];
    std::snprintf(number, sizeof number, "%.15Lg", condition.constant.real);
    return "; no text says a unit of time after it, so write " + condition.name + symbol_of(condition) + number;
  }
  const bool names = meaning != nullptr && meaning->kind() == text::Meaning::Kind::kNames;
  if (!names || condition.constant.kind != Constant::Kind::kText) return "";
  std::vector<std::string> all;
  for (const auto& [value, name] : meaning->names()) all.emplace_back(name);
  return did_you_mean(condition.constant.text, all);
}

Status check_argument(const Condition& condition, const std::vector<const reader::Site*>& sites,
                      std::vector<std::string>* unknown) {
  std::set<std::string> all_names;
  std::string place;  // of one with another type; a statement's own argument, if there is one
  ArgType type{};
  const text::Meaning* meaning = nullptr;
  for (const reader::Site* site : sites) {
    if (site->layout() == nullptr) continue;
    const auto& names = site->argument_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (site->presences().is_field(i)) continue;
      all_names.insert(names[i]);
      if (names[i] != condition.name && std::to_string(i) != condition.name) continue;
      std::optional<text::Meaning> said;
      const auto index = static_cast<std::uint32_t>(i);
      if (comparable(condition, site->layout()->fields[i].type, meaning_for(condition, *site, index, &said))) return {};
      const bool is_own = i < site->info().argument_types().size();
      if (!place.empty() && !is_own) continue;
      place = is_own ? site->info().file + ":" + std::to_string(site->info().line) : "a field of context";
      type = site->layout()->fields[i].type;
      meaning = site->meaning(i);
    }
  }
  if (!place.empty()) {
    return {StatusCode::kInvalidArgument, "--where: '" + condition.name + "' is " + kind_of(type, meaning) + " (" +
                                              place + "), it cannot be " + wanted_by(condition) +
                                              advice(condition, type, meaning)};
  }
  const std::string hint = did_you_mean(condition.name, {all_names.begin(), all_names.end()}, field_names());
  if (unknown != nullptr) {
    unknown->push_back("--where: no statement has an argument '" + condition.name + "' yet" + hint);
    return {};
  }
  return {StatusCode::kInvalidArgument, "--where: no statement has an argument '" + condition.name + "'" + hint};
}

}  // namespace

Status check_arguments(const Expression& expression, const std::vector<const reader::Site*>& sites,
                       std::vector<std::string>* unknown) {
  Status status;
  if (sites.empty()) return status;
  for_each_condition(expression, [&](const Condition& condition) {
    if (status.ok() && condition.field == Field::kArgument) status = check_argument(condition, sites, unknown);
  });
  return status;
}

}  // namespace steno::query
