#include "query/statistics/ranking.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/level_name.h"
#include "base/name_match.h"
#include "base/split.h"
#include "base/suggest.h"
#include "query/filter/bound.h"
#include "query/filter/said_unit.h"

namespace steno::query {
namespace {

using Kind = Operation::Kind;

bool is_time(Kind kind) {
  return kind == Kind::kFirst || kind == Kind::kLast;
}
bool is_list(Kind kind) {
  return kind == Kind::kTop || kind == Kind::kHistogram;
}
constexpr std::pair<std::string_view, bool> kDirections[] = {{":asc", false}, {":desc", true}, {" asc", false},
                                                             {" desc", true}, {" ASC", false}, {" DESC", true}};

// Returns whether the answer is in the unit of the argument.
bool has_unit(Kind kind) {
  return kind == Kind::kMin || kind == Kind::kMax || kind == Kind::kMean || kind == Kind::kSum ||
         kind == Kind::kDeviation || kind == Kind::kQuantile;
}

long double scaled(long double value, text::TimeUnit from, text::TimeUnit to) {
  return value * static_cast<long double>(from.numerator) * static_cast<long double>(to.denominator);
}

// Returns whether the condition holds for a cell with a number of this unit of time, or of none, or a time.
bool number_holds_of(const Condition& condition, const Cell& cell, const std::optional<text::TimeUnit>& unit) {
  const Constant& constant = condition.constant;
  if (constant.unit && unit) {
    const bool holds = compare(condition.comparison, scaled(cell.as_double(), *unit, *constant.unit),
                               scaled(constant.real, *constant.unit, *unit));
    return holds != condition.negated;
  }
  if (cell.kind != Cell::Kind::kReal) return number_holds(condition, cell.integer);
  return compare(condition.comparison, static_cast<long double>(cell.real), constant.real) != condition.negated;
}

}  // namespace

Result<Ranking> Ranking::make(const RankingOptions& options, const Question& question, const TimeContext& times) {
  Ranking ranking(question);
  ranking.left_ = options.limit;
  if (!options.sort.empty()) {
    if (Status status = ranking.add_sort(options.sort); !status.ok()) return status;
  }
  if (options.having.empty()) return ranking;
  auto having = parse_where(options.having, times);
  if (!having.ok()) {
    std::string text = having.status().message();
    if (text.starts_with("--where")) text.replace(0, 7, "--having");
    return Status(StatusCode::kInvalidArgument, text);
  }
  if (Status status = ranking.check(*having); !status.ok()) return status;
  ranking.having_ = std::move(having).value();
  return ranking;
}

Result<std::size_t> Ranking::find_column(const char* option, const std::string& name) const {
  std::vector<std::string> titles;
  for (const KeySpec& key : question_->keys) titles.push_back(key.title);
  for (const Operation& operation : question_->operations) titles.push_back(operation.title);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < titles.size() && !found; ++i) {
    if (titles[i] == name) found = i;
  }
  for (std::size_t i = 0; i < titles.size() && !found; ++i) {
    if (titles[i].starts_with(name + "(")) found = i;  // ratio
  }
  if (!found) {
    return Status(StatusCode::kInvalidArgument,
                  std::string(option) + ": there is no column '" + name + "'" + did_you_mean(name, titles));
  }
  if (*found >= question_->keys.size() && is_list(question_->operations[*found - question_->keys.size()].kind)) {
    return Status(StatusCode::kInvalidArgument, std::string(option) + ": '" + name + "' is a list");
  }
  return *found;
}

// "p99", "p99:asc", "p99 asc", "-p99", "level,count:desc". Numbers are greatest first, keys and times least first.
Status Ranking::add_sort(const std::string& list) {
  for (const std::string_view part : split(list, ',')) {
    std::string_view name = trim(part);
    std::optional<bool> descending;
    for (const auto& [suffix, down] : kDirections) {
      if (!name.ends_with(suffix)) continue;
      name = trim(name.substr(0, name.size() - suffix.size()));
      descending = down;
    }
    if (name.starts_with('-')) {
      name.remove_prefix(1);
      descending = true;
    }
    const auto column = find_column("--sort", std::string(name));
    if (!column.ok()) return column.status();
    const bool is_key = *column < question_->keys.size();
    const bool greatest_first = !is_key && !is_time(question_->operations[*column - question_->keys.size()].kind);
    sort_.push_back({*column, descending.value_or(greatest_first)});
  }
  return {};
}

Status Ranking::check(const Expression& having) {
  Status status;
  for_each_condition(having, [&](const Condition& condition) {
    if (!status.ok()) return;
    const auto column = find_column("--having", condition.name);
    if (!column.ok()) {
      status = column.status();
      return;
    }
    columns_[condition.name] = *column;
    if (condition.comparison == Comparison::kIsNull) return;
    const std::size_t keys = question_->keys.size();
    const bool is_key = *column < keys;
    const Kind kind = is_key ? Kind::kCount : question_->operations[*column - keys].kind;
    const Constant& constant = condition.constant;
    const bool is_duration = (is_key || has_unit(kind)) &&
                             time_unit_of(is_key ? question_->keys[*column].argument : question_->argument).has_value();
    const bool unit_fits = !constant.unit || is_duration;
    const bool fits = is_key || (is_time(kind) ? constant.time.has_value() : constant.is_number());
    if (fits && unit_fits) return;
    const char* what = is_time(kind)   ? "a time"
                       : is_duration   ? "a number, like 5ms"
                       : constant.unit ? "a value without a unit"
                                       : "a number";
    status = Status(StatusCode::kInvalidArgument, "--having: '" + condition.name + "' is compared with " + what);
  });
  return status;
}

const Cell& Ranking::cell(const AnswerRow& row, std::size_t column) const {
  return column < row.keys.size() ? row.keys[column] : row.values[column - row.keys.size()];
}

bool Ranking::holds(const Expression& expression, const AnswerRow& row) const {
  switch (expression.kind) {
    case Expression::Kind::kTrue:
      return true;
    case Expression::Kind::kCondition:
      return holds(expression.condition, row);
    case Expression::Kind::kAnd:
      return std::all_of(expression.parts.begin(), expression.parts.end(),
                         [&](const Expression& part) { return holds(part, row); });
    case Expression::Kind::kOr:
      return std::any_of(expression.parts.begin(), expression.parts.end(),
                         [&](const Expression& part) { return holds(part, row); });
  }
  return false;
}

bool Ranking::holds(const Condition& condition, const AnswerRow& row) const {
  const std::size_t column = columns_.at(condition.name);
  const Cell& one = cell(row, column);
  const bool absent = one.kind == Cell::Kind::kNone;
  if (condition.comparison == Comparison::kIsNull) return absent != condition.negated;
  if (absent) return false;
  if (one.kind == Cell::Kind::kText) {
    Level level{};
    if (condition.field == Field::kLevel) {
      return parse_level_name(one.text, &level) && number_holds(condition, static_cast<int>(level));
    }
    const bool is_place = condition.field == Field::kSite || condition.field == Field::kFile;
    if (is_place && condition.comparison == Comparison::kEqual) {
      return path_ends_in(one.text, condition.constant.text) != condition.negated;
    }
    const bool is_text = condition.pattern != nullptr || condition.constant.kind == Constant::Kind::kText;
    return is_text && text_holds(condition, one.text);
  }
  if (one.kind == Cell::Kind::kTime && condition.constant.time) {
    Condition numeric = condition;
    numeric.constant = Constant::of_integer(*condition.constant.time);
    return number_holds(numeric, one.integer);
  }
  if (!condition.constant.is_number()) return false;
  const bool is_key = column < row.keys.size();
  return number_holds_of(condition, one, time_unit_of(is_key ? question_->keys[column].argument : question_->argument));
}

// A row without a value comes last, in either direction.
bool Ranking::is_before(const AnswerRow& a, const AnswerRow& b) const {
  for (const By& by : sort_) {
    const Cell& x = cell(a, by.column);
    const Cell& y = cell(b, by.column);
    const bool x_absent = x.kind == Cell::Kind::kNone;
    const bool y_absent = y.kind == Cell::Kind::kNone;
    if (x_absent || y_absent) {
      if (x_absent != y_absent) return y_absent;
      continue;
    }
    const auto [first, second] = by.descending ? std::pair(&y, &x) : std::pair(&x, &y);
    Level one{};
    Level other{};
    const bool levels = by.column < question_->keys.size() && question_->keys[by.column].by == KeySpec::By::kField &&
                        question_->keys[by.column].field == Field::kLevel;
    if (levels && parse_level_name(first->text, &one) && parse_level_name(second->text, &other)) {
      if (one != other) return one < other;
      continue;
    }
    if (*first < *second) return true;
    if (*second < *first) return false;
  }
  return false;
}

void Ranking::cut() {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [this](const AnswerRow& a, const AnswerRow& b) { return is_before(a, b); });
  if (left_ && rows_.size() > *left_) rows_.resize(*left_);
}

std::vector<AnswerRow> Ranking::take(std::vector<AnswerRow> rows, bool last) {
  std::erase_if(rows, [this](const AnswerRow& row) { return !holds(having_, row); });
  if (sort_.empty()) {
    if (left_) {
      if (rows.size() > *left_) rows.resize(*left_);
      *left_ -= rows.size();
    }
    return rows;
  }
  std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
  cut();
  return last ? std::exchange(rows_, {}) : std::vector<AnswerRow>();
}

}  // namespace steno::query
