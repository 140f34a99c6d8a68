#include "web/asked.h"

#include <charconv>

namespace steno::cli::web {
namespace {

query::Expression bound_of(query::Comparison comparison, std::int64_t time) {
  query::Condition condition;
  condition.field = query::Field::kTime;
  condition.comparison = comparison;
  condition.constant = query::Constant::of_integer(time);
  return query::Expression::of(std::move(condition));
}

query::Expression contains(const std::string& text) {
  query::Condition condition;
  condition.field = query::Field::kMessage;
  condition.comparison = query::Comparison::kMatches;
  condition.pattern = or_refuse(query::Pattern::make(text, query::PatternKind::kContains, false));
  return query::Expression::of(std::move(condition));
}

template <class Number>
bool read_number(const std::string& text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

query::Expression within(const query::TimeSpan& span) {
  return query::Expression::all_of(
      {bound_of(query::Comparison::kGreaterEqual, span.first), bound_of(query::Comparison::kLessEqual, span.last)});
}

Asked::Asked(const OpenLog& log, const Params& params, WorkMeter* meter) : log_(&log), params_(params), meter_(meter) {
  const auto from = time("from");
  const auto to = time("to");
  query::TimeSpan asked;
  if (from) asked.first = *from;
  if (to) asked.last = *to == INT64_MIN ? INT64_MIN : *to - 1;
  if (to && *to == INT64_MIN) asked = {INT64_MAX, INT64_MIN};
  span_ = asked.cut_to(query::recorded_span(logs()));
  std::vector<query::Expression>& conditions = conditions_;
  if (!text("where").empty()) {
    query::FilterOptions filter;
    filter.where = text("where");
    filter.secrets = log.secrets();
    filter.check_names = true;
    conditions.push_back(or_refuse(query::make_expression(filter, logs())));
  }
  has_condition_ = !conditions.empty();
  if (from || to) conditions.push_back(within(asked));
  if (!conditions.empty()) all_.emplace(query::Expression::all_of(conditions), logs());
  if (text("q").empty()) return;
  conditions.push_back(contains(text("q")));
  searched_.emplace(query::Expression::all_of(conditions), logs());
}

query::Predicate Asked::also(query::Expression condition) const {
  std::vector<query::Expression> all = conditions_;
  all.push_back(std::move(condition));
  return {query::Expression::all_of(std::move(all)), logs()};
}

std::unique_ptr<reader::RowFilter> Asked::row_filter() const {
  return conditions_.empty() ? nullptr : query::make_filter(query::Expression::all_of(conditions_));
}

query::Subject Asked::subject(bool searched) const {
  query::Subject subject;
  subject.logs = &logs();
  subject.predicate = searched && searched_ ? &*searched_ : all_ ? &*all_ : nullptr;
  subject.span = span_;
  subject.meter = meter_;
  return subject;
}

std::string Asked::text(const std::string& name) const {
  const auto found = params_.find(name);
  return found != params_.end() ? found->second : std::string();
}

std::uint64_t Asked::number(const std::string& name, std::uint64_t otherwise, std::uint64_t least,
                            std::uint64_t most) const {
  if (!has(name)) return otherwise;
  std::uint64_t number = 0;
  if (!read_number(text(name), &number) || number < least || number > most) {
    throw Refused(400, name + ": write a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

std::optional<std::int64_t> Asked::time(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  std::int64_t time = 0;
  if (!read_number(text(name), &time)) throw Refused(400, name + ": write nanoseconds since 1970, in digits");
  return time;
}

}  // namespace steno::cli::web
