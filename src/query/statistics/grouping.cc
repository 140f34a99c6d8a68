#include "query/statistics/grouping.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "base/ascii.h"
#include "base/split.h"
#include "base/suggest.h"
#include "query/filter/filter.h"
#include "query/filter/time_spec.h"
#include "query/narrow.h"
#include "query/ordered.h"
#include "query/statistics/text_codes.h"

namespace steno::query {
namespace {

// The type as which values of all these types are keys: integers, unless some are negative and others are from 2^63 on;
// texts.
std::optional<ArgType> common_type(const std::vector<ArgType>& types) {
  const auto all = [&](const auto& is) { return std::all_of(types.begin(), types.end(), is); };
  if (all([](ArgType type) { return is_string(type); })) return ArgType::kString;
  if (!all([](ArgType type) { return !counts_as_text(type) && kind_of_type(type) != NumberKind::kReal; })) return {};
  if (all([](ArgType type) { return !is_signed_integer(type); })) return ArgType::kU64;
  const bool large = !all([](ArgType type) { return type != ArgType::kU64; });
  return large ? std::nullopt : std::optional(ArgType::kI64);
}

Result<KeySpec> parse_argument_key(std::string_view name, const Statement* statement) {
  if (statement == nullptr) {
    return Status(
        StatusCode::kInvalidArgument,
        "--by: '" + std::string(name) + "' needs the statement that has this argument; write its text after the files");
  }
  auto argument = find_key(*statement, name);
  if (!argument.ok()) return Status(StatusCode::kInvalidArgument, "--by: " + argument.status().message());
  if (const auto common = common_type(argument->types)) argument->types = {*common};
  if (argument->types.size() != 1) {
    return Status(StatusCode::kInvalidArgument,
                  "--by: '" + argument->name + "' has different types in different places");
  }
  KeySpec spec;
  spec.by = KeySpec::By::kArgument;
  spec.title = argument->name;
  spec.argument = std::move(argument).value();
  return spec;
}

// "arg NAME", "arg:NAME", "{NAME}": NAME. Empty: not so.
std::string_view explicit_argument(std::string_view text) {
  if (text.starts_with("arg ") || text.starts_with("arg:")) return text.substr(4);
  if (text.size() > 2 && text.starts_with('{') && text.ends_with('}')) return text.substr(1, text.size() - 2);
  return {};
}

// "minute", "1m": "time:1m". Other keys are returned as they are.
std::string with_time_step(const std::string& key) {
  for (const char* word : {"second", "minute", "hour", "day", "week"}) {
    if (key == word) return "time:1" + key;
  }
  return !key.empty() && is_digit(key[0]) && parse_duration(key).ok() ? "time:" + key : key;
}

Result<KeySpec> parse_key(const std::string& text, const Statement* statement, const TimeSpan* local_span) {
  KeySpec spec;
  spec.title = text;
  if (text.starts_with("time:")) {
    const auto width = parse_duration(std::string_view(text).substr(5));
    if (!width.ok()) return Status(StatusCode::kInvalidArgument, "--by: " + width.status().message());
    spec.by = KeySpec::By::kTime;
    spec.title = "time";
    spec.steps = local_span != nullptr ? TimeSteps::local(*width, *local_span) : TimeSteps(*width);
    return spec;
  }
  if (text == "time") return Status(StatusCode::kInvalidArgument, "--by: how long a step? Write time:1s");
  if (const std::string_view name = explicit_argument(text); !name.empty()) {
    return parse_argument_key(name, statement);
  }
  static const std::vector<const reader::Site*> none;
  const std::vector<const reader::Site*>& sites = statement != nullptr ? statement->sites : none;
  spec.field = field_named(text, arguments_of(sites));
  if (spec.field != Field::kArgument) return spec;
  if (statement != nullptr && (find_argument(*statement, text).ok() || arguments_of(sites)(text))) {
    return parse_argument_key(text, statement);
  }
  std::set<std::string> names(field_names().begin(), field_names().end());
  names.erase("time");
  names.insert("time:1s");
  for (const reader::Site* site : sites) {
    const std::vector<std::string> own = site->value_names();
    names.insert(own.begin(), own.end());
  }
  return Status(StatusCode::kInvalidArgument,
                "--by: cannot group by '" + text + "'" + did_you_mean(text, {names.begin(), names.end()}));
}

}  // namespace

bool name_arguments(const std::vector<std::string>& texts, const std::vector<const reader::Site*>& sites) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return !text.starts_with("time:") && field_named(text, arguments_of(sites)) == Field::kArgument;
  });
}

std::vector<std::string> plain_keys(const std::vector<std::string>& texts,
                                    const std::vector<const reader::Site*>& sites) {
  const IsArgument is_argument = arguments_of(sites);
  std::vector<std::string> keys;
  for (const std::string& text : texts) {
    const std::string_view name = explicit_argument(text);
    const bool is_one = is_argument(name.empty() ? text : name);
    for (const std::string_view part : is_one ? std::vector<std::string_view>{text} : split(text, ',')) {
      const std::string key(trim(part));
      keys.push_back(is_argument(key) ? key : with_time_step(key));
    }
  }
  return keys;
}

Result<std::vector<KeySpec>> parse_keys(const std::vector<std::string>& texts, const Statement* statement,
                                        const TimeSpan* local_span) {
  if (texts.size() > kMaxKeys) {
    return Status(StatusCode::kInvalidArgument, "--by: at most " + std::to_string(kMaxKeys) + " keys");
  }
  std::vector<KeySpec> specs;
  for (const std::string& text : texts) {
    auto spec = parse_key(text, statement, local_span);
    if (!spec.ok()) return spec.status();
    specs.push_back(std::move(spec).value());
  }
  return specs;
}

Cell cell_of(const KeySpec& spec, std::uint64_t value, const Interner& interner) {
  switch (spec.by) {
    case KeySpec::By::kField:
      if (spec.field == Field::kLevel) return Cell::of_text(level_name(static_cast<Level>(value)));
      if (is_number(spec.field)) return Cell::of(static_cast<text::Int128>(value));
      break;
    case KeySpec::By::kTime:
      return Cell::of_time(static_cast<std::int64_t>(value));
    case KeySpec::By::kArgument: {
      const ArgType type = spec.argument.types[0];
      if (counts_as_text(type)) break;
      if (type == ArgType::kF32)
        return Cell::of_real(printed_value(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
      if (type == ArgType::kF64) return Cell::of_real(std::bit_cast<double>(value));
      return is_signed_integer(type) ? Cell::of(static_cast<std::int64_t>(value))
                                     : Cell::of(static_cast<text::Int128>(value));
    }
  }
  return Cell::of_text(interner.text_of(value));
}

}  // namespace steno::query
