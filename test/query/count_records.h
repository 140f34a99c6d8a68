// The records that filters leave, counted as `agg` counts them.
#pragma once

#include <utility>

#include "query/filter/filter.h"
#include "query/statistics/aggregate.h"
#include "reader/log_set.h"

namespace steno::query {

// The count is the only value of the only row.
inline Result<Answer> count_records(const reader::LogSet& logs, const FilterOptions& options) {
  auto expression = make_expression(options, logs);
  if (!expression.ok()) return expression.status();
  const Predicate predicate(std::move(expression).value(), logs);
  Question question;
  question.subject = {&logs, nullptr, &predicate};
  question.operations = *parse_operations({"count"});
  return aggregate(question);
}

}  // namespace steno::query
