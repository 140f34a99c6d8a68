#include "options/near_values.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "input/inputs.h"
#include "query/statistics/aggregate.h"

namespace steno::cli {
namespace {

constexpr std::uint64_t kMostRecords = 20'000'000;
constexpr std::size_t kMostTexts = 10'000;

std::uint64_t records_of(const reader::LogSet& logs) {
  std::uint64_t records = 0;
  for (const auto& file : logs.files()) {
    for (const reader::BlockEntry& block : file->blocks()) records += block.records;
  }
  return records;
}

// Returns the texts that records have for an argument. Empty: it has no texts, or too many.
std::vector<std::string> texts_of(const reader::LogSet& logs, const std::string& name) {
  query::Statement all = query::all_statements(logs);
  auto keys = query::parse_keys({"arg " + name}, &all);
  auto operations = query::parse_operations({"count"});
  if (!keys.ok() || !operations.ok() || !is_string((*keys)[0].argument.types[0])) return {};
  query::Question question;
  question.keys = std::move(keys).value();
  question.operations = std::move(operations).value();
  all.require(question.keys[0].argument);
  question.subject.logs = &logs;
  question.subject.statement = &all;
  question.most_groups = kMostTexts;
  const auto answer = query::aggregate(question);
  std::vector<std::string> texts;
  for (std::size_t i = 0; answer.ok() && i < answer->rows.size(); ++i) {
    const query::Cell& key = answer->rows[i].keys[0];
    if (key.kind == query::Cell::Kind::kText) texts.push_back(key.text);
  }
  return texts;
}

}  // namespace

void explain_near_values(const query::FilterOptions& options, const reader::LogSet& logs) {
  const std::vector<std::string> expressions = options.expressions();
  if (expressions.empty() || records_of(logs) > kMostRecords) return;
  const std::vector<const reader::Site*> sites = query::statements_of(logs);
  std::size_t left = 4;  // of conditions that are looked at
  const auto look_at = [&](const query::Condition& condition) {
    const bool is_text = condition.field == query::Field::kArgument &&
                         condition.comparison == query::Comparison::kEqual && !condition.negated &&
                         condition.constant.kind == query::Constant::Kind::kText;
    if (!is_text || left == 0) return;
    --left;
    const std::string& wanted = condition.constant.text;
    const std::vector<std::string> texts = texts_of(logs, condition.name);
    if (std::find(texts.begin(), texts.end(), wanted) != texts.end()) return;
    const std::string hint = did_you_mean(wanted, texts);
    if (hint.starts_with("; did you mean")) {
      complain("no record has " + condition.name + " == \"" + wanted + "\"" + hint);
    }
  };
  for (const std::string& text : expressions) {
    const auto where = query::parse_where(text, query::times_of(logs, options.local), query::arguments_of(sites));
    if (where.ok()) query::for_each_condition(*where, look_at);
  }
}

}  // namespace steno::cli
