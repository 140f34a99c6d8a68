// What --op takes.
#include <charconv>

#include "base/suggest.h"
#include "query/aggregate.h"

namespace steno::query {
namespace {

using Kind = Operation::Kind;

constexpr std::pair<std::string_view, Kind> kNames[] = {
    {"count", Kind::kCount},       {"min", Kind::kMin}, {"max", Kind::kMax},
    {"mean", Kind::kMean},         {"sum", Kind::kSum}, {"stddev", Kind::kDeviation},
    {"distinct", Kind::kDistinct}, {"top", Kind::kTop}, {"hist", Kind::kHistogram}};

// What else people call them.
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

Result<Operation> parse_operation(const std::string& text) {
  Operation operation;
  operation.title = text;
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
  std::vector<std::string> names = {"median", "p50", "p99"};
  for (const auto& [known, kind] : kNames) names.emplace_back(known);
  return Status(StatusCode::kInvalidArgument, "--op: there is no operation '" + text + "'" + did_you_mean(text, names));
}

}  // namespace

Result<std::vector<Operation>> parse_operations(const std::vector<std::string>& texts) {
  std::vector<Operation> operations;
  for (const std::string& list : texts) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      auto operation = parse_operation(list.substr(at, comma - at));
      if (!operation.ok()) return operation.status();
      operations.push_back(std::move(operation).value());
      at = comma + 1;
    }
  }
  return operations;
}

bool needs_argument(const Operation& operation) {
  return operation.kind != Kind::kCount;
}

bool needs_number(const Operation& operation) {
  return operation.kind != Kind::kCount && operation.kind != Kind::kDistinct && operation.kind != Kind::kTop;
}

}  // namespace steno::query
