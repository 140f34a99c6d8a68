// Which rows of an answer are shown, and in which order: --having, --sort, --limit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/filter/expression.h"
#include "query/statistics/aggregate.h"
#include "steno/status.h"

namespace steno::query {

struct RankingOptions {
  std::string having;  // a condition on columns, as for --where
  std::string sort;    // "p99", "count:asc,thread"; empty: in the order of the keys
  std::optional<std::uint64_t> limit;
};

// Columns are keys and operations, by their titles; one of several operations of a kind by the whole title in braces.
class Ranking {
 public:
  // kInvalidArgument, in one sentence that begins with the option: a column that the question does not have, or a
  // comparison that makes no sense. `question` must outlive the result.
  static Result<Ranking> make(const RankingOptions& options, const Question& question, const TimeContext& times);

  // Takes the rows of a pass, and returns those to show now: with --sort, none before the last pass.
  std::vector<AnswerRow> take(std::vector<AnswerRow> rows, bool last);

 private:
  struct By {
    std::size_t column;
    bool descending;
  };

  explicit Ranking(const Question& question) : question_(&question) {}
  Result<std::size_t> find_column(const char* option, const std::string& name) const;
  Status add_sort(const std::string& list);
  Status check(const Expression& having);  // and fills columns_
  const Cell& cell(const AnswerRow& row, std::size_t column) const;
  bool holds(const Expression& expression, const AnswerRow& row) const;
  bool holds(const Condition& condition, const AnswerRow& row) const;
  bool is_before(const AnswerRow& a, const AnswerRow& b) const;
  void cut();

  const Question* question_;
  Expression having_;
  std::map<std::string, std::size_t> columns_;  // of names in having_
  std::vector<By> sort_;
  std::optional<std::uint64_t> left_;
  std::vector<AnswerRow> rows_;  // with a sort: those of all passes that may be shown
};

}  // namespace steno::query
