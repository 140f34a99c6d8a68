// The operations that --op takes.
#include <charconv>

#include "base/suggest.h"
#include "query/statistics/aggregate.h"

namespace steno::query {
namespace {

using Kind = Operation::Kind;

constexpr std::pair<std::string_view, Kind> kNames[] = {
    {"count", Kind::kCount},    {"min", Kind::kMin},          {"max", Kind::kMax},           {"mean", Kind::kMean},
    {"sum", Kind::kSum},        {"stddev", Kind::kDeviation}, {"distinct", Kind::kDistinct}, {"top", Kind::kTop},
    {"hist", Kind::kHistogram}, {"share", Kind::kShare},      {"first", Kind::kFirst},       {"last", Kind::kLast}};

// Other names that people call them by.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"avg", "mean"},        {"average", "mean"}, {"std", "stddev"},     {"deviation", "stddev"},
    {"unique", "distinct"}, {"total", "sum"},    {"histogram", "hist"}, {"percentile", "p99"}};

constexpr std::size_t kDefaultTop = 10;
constexpr std::size_t kDefaultBars = 20;
constexpr std::size_t kMostSize = 1000;

bool parse_number(std::string_view text, double* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, std::chars_format::fixed);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Result<Operation> parse_operation(const std::string& text);

// "distinct(id)", "count(distinct id)": the argument is an option here.
Status refuse_function(const std::string& text) {
  const std::size_t open = text.find('(');
  std::string name = text.substr(0, open);
  std::string_view argument = trimmed(std::string_view(text).substr(open + 1, text.size() - open - 2));
  constexpr std::string_view kDistinct = "distinct ";
  if (name == "count" && argument.starts_with(kDistinct)) {
    name = "distinct";
    argument = trimmed(argument.substr(kDistinct.size()));
  }
  const auto operation = parse_operation(name);
  if (!operation.ok()) return operation.status();
  if (argument == "*") argument = {};
  if (argument.empty() && needs_argument(*operation)) argument = "NAME";
  return {StatusCode::kInvalidArgument,
          "--op: '" + text + "': write --op " + name + (argument.empty() ? "" : " --arg " + std::string(argument))};
}

Result<Operation> parse_operation(const std::string& text) {
  Operation operation;
  operation.title = text;
  constexpr std::string_view kRatioOf = "ratio(";
  if (text.starts_with(kRatioOf) && text.ends_with(')')) {
    operation.kind = Kind::kRatio;
    operation.condition = trimmed(std::string_view(text).substr(kRatioOf.size(), text.size() - kRatioOf.size() - 1));
    if (!operation.condition.empty()) return operation;
  }
  if (text.starts_with("ratio")) {
    return Status(StatusCode::kInvalidArgument, "--op: '" + text + "': write ratio(level >= ERROR)");
  }
  if (text.ends_with(')') && text.find('(') != std::string::npos) return refuse_function(text);
  const std::size_t colon = text.find(':');
  const std::string_view name = std::string_view(text).substr(0, colon);
  for (const auto& [known, kind] : kNames) {
    if (name != known) continue;
    operation.kind = kind;
    operation.size = kind == Kind::kTop ? kDefaultTop : kDefaultBars;
    if (colon == std::string::npos) return operation;
    double size = 0;
    if ((kind == Kind::kTop || kind == Kind::kHistogram) &&
        parse_number(std::string_view(text).substr(colon + 1), &size) && size >= 1 && size <= kMostSize) {
      operation.size = static_cast<std::size_t>(size);
      operation.sized = true;
      operation.title = name;
      return operation;
    }
    return Status(StatusCode::kInvalidArgument, "--op: '" + text + "': write top:10 or hist:20");
  }
  if (text == "median") {
    operation.kind = Kind::kQuantile;
    operation.quantile = 0.5;
    return operation;
  }
  for (const auto& [other, ours] : kOtherNames) {
    if (text != other) continue;
    return Status(StatusCode::kInvalidArgument,
                  "--op: there is no operation '" + text + "'; it is called '" + std::string(ours) + "' here");
  }
  double percent = 0;
  if (name == text && text.size() > 1 && text[0] == 'p' && parse_number(std::string_view(text).substr(1), &percent)) {
    if (percent >= 0 && percent <= 100) {
      operation.kind = Kind::kQuantile;
      operation.quantile = percent / 100;
      return operation;
    }
  }
  std::vector<std::string> names = {"median", "p50", "p99", "ratio(level >= ERROR)"};
  for (const auto& [known, kind] : kNames) names.emplace_back(known);
  return Status(StatusCode::kInvalidArgument, "--op: there is no operation '" + text + "'" + did_you_mean(text, names));
}

// Where the comma after what begins at `at` is, or the end; not within parentheses or quotes.
std::size_t end_of_operation(const std::string& list, std::size_t at) {
  std::size_t depth = 0;
  char quote = 0;
  for (; at < list.size(); ++at) {
    const char c = list[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (depth != 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && depth != 0) {
      --depth;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return list.size();
}

}  // namespace

Result<std::vector<Operation>> parse_operations(const std::vector<std::string>& texts) {
  std::vector<Operation> operations;
  for (const std::string& list : texts) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = end_of_operation(list, at);
      auto operation = parse_operation(std::string(trimmed(std::string_view(list).substr(at, comma - at))));
      if (!operation.ok()) return operation.status();
      operations.push_back(std::move(operation).value());
      at = comma + 1;
    }
  }
  return operations;
}

bool needs_argument(const Operation& operation) {
  switch (operation.kind) {
    case Kind::kCount:
    case Kind::kShare:
    case Kind::kRatio:
    case Kind::kFirst:
    case Kind::kLast:
      return false;
    default:
      return true;
  }
}

bool needs_number(const Operation& operation) {
  return needs_argument(operation) && operation.kind != Kind::kDistinct && operation.kind != Kind::kTop;
}

}  // namespace steno::query
