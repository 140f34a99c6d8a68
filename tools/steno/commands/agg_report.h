// The answer of steno agg, as tables, as JSON and as charts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "options/question.h"
#include "output/table.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/ranking.h"

namespace steno::cli {

struct AggOptions {
  QuestionOptions question;
  std::vector<std::string> operations;
  std::string argument;
  std::vector<std::string> by;
  std::string svg;
  bool plot = false;
  bool plot_is_wanted() const { return plot || !svg.empty(); }
  query::RankingOptions ranking;
  std::uint64_t memory = std::uint64_t{1} << 30;
};

// All of it must outlive the report.
struct AggReport {
  const AggOptions& options;
  const query::Question& question;
  const std::vector<query::AnswerRow>& rows;
  const TableStyle& style;
  std::string title;
  bool is_whole = false;  // all rows are here
};

// Returns whether the operation's result is a list, and no number.
bool is_list(const query::Operation& operation);
// Steps of time and one other key, and a single number: the other key's values become columns, which a person can
// compare. Not where rows have an order of their own, and not where they come in several parts.
bool is_pivot(const AggOptions& options, const query::Question& question, bool is_whole);

void append_report(const AggReport& report, ByteBuffer& out);
std::string svg_of_report(const AggReport& report);

}  // namespace steno::cli
