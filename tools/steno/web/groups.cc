#include "web/groups.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>

#include "output/meaning_cells.h"
#include "output/table.h"
#include "query/filter/expression.h"
#include "query/filter/said_unit.h"
#include "query/statistics/ranking.h"
#include "text/utf8.h"

namespace steno::cli::web {
namespace {

constexpr std::size_t kMemoryOfGroups = std::size_t{256} << 20;

// "--by: no such field" as the page is told it.
template <class T>
T or_say(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::string text = result.status().message();
  if (text.starts_with("--")) text.erase(0, 2);
  throw Refused(400, text);
}

}  // namespace

query::Expression condition_of(const std::string& where, const reader::LogSet& logs) {
  query::FilterOptions filter;
  filter.where = where;
  filter.secrets = logs.ordinals().secrets;
  return or_refuse(query::make_expression(filter, logs));
}

std::string field_name(const std::string& name) {
  return name == "statement" ? "site" : name;
}

std::string filter_of(const std::string& field, const query::Cell& value) {
  const bool is_number = field.empty() || (field[0] >= '0' && field[0] <= '9');
  const bool plain = !is_number && field.find_first_not_of(
                                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.") == std::string::npos;
  const std::string name = plain ? field : "{" + field + "}";
  if (value.kind == query::Cell::Kind::kNone) return name + " is null";
  if (value.kind == query::Cell::Kind::kReal && std::isnan(value.real)) return name + " is nan";
  if (value.kind == query::Cell::Kind::kReal && std::isinf(value.real)) {  // has no other name there
    return name + (value.real > 0 ? " > " : " < -") + machine_text(query::Cell::of_real(DBL_MAX), Zone::kUtc);
  }
  if (value.kind != query::Cell::Kind::kText) return name + " == " + machine_text(value, Zone::kUtc);
  std::string text;
  for (const char c : value.text) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return name + " == \"" + text + "\"";
}

bool can_be_written(const query::Cell& value) {
  if (value.kind != query::Cell::Kind::kText) return true;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(value.text.data());
  std::uint32_t code = 0;
  std::size_t at = 0;
  while (at < value.text.size()) {
    const std::size_t size = text::decode_utf8(bytes + at, value.text.size() - at, &code);
    if (size == 0 || bytes[at] == 0) return false;
    at += size;
  }
  return value.text.size() < kLongestValue;
}

void append_cell(const query::Cell& cell, Json* out) {
  switch (cell.kind) {
    case query::Cell::Kind::kNone:
      return out->null();
    case query::Cell::Kind::kReal:
      return out->real(cell.real);
    case query::Cell::Kind::kText:
      return out->text(cell.text);
    case query::Cell::Kind::kTime:
      return out->exact(static_cast<std::int64_t>(cell.integer));
    case query::Cell::Kind::kInteger:
      break;
  }
  constexpr text::Int128 kExact = text::Int128{1} << 53;
  const std::string digits = machine_text(cell, Zone::kUtc);
  cell.integer <= kExact&& cell.integer >= -kExact ? out->raw(digits) : out->text(digits);
}

ArgumentSubject::ArgumentSubject(const Asked& asked, const std::vector<std::string>& names,
                                 const std::vector<std::string>& only)
    : statement_(query::all_statements(asked.logs())) {
  std::vector<query::Expression> more;
  for (const std::string& name : names) {
    arguments_.push_back(or_say(query::find_argument(statement_, name, query::Units::kTimes)));
    more.push_back(query::Expression::has_value(arguments_.back().name));
  }
  for (const query::ArgumentOf& argument : arguments_) statement_.require(argument);
  for (query::ArgumentOf& argument : arguments_) argument.said_unit = query::said_unit(statement_, argument);
  for (const std::string& one : only) more.push_back(condition_of(one, asked.logs()));
  predicate_.emplace(asked.also(query::Expression::all_of(std::move(more))));
  subject_ = asked.subject();
  subject_.statement = &statement_;
  subject_.predicate = &*predicate_;
}

GroupAnswer ask_groups(const Asked& asked, const GroupQuestion& asking) {
  const reader::LogSet& logs = asked.logs();
  query::Question question;
  std::optional<query::Statement> statement;
  if (!asking.argument.empty() || query::name_arguments(asking.keys, query::statements_of(logs))) {
    statement = query::all_statements(logs);
  }
  question.keys = or_say(query::parse_keys(asking.keys, statement ? &*statement : nullptr));
  question.operations = or_say(query::parse_operations(asking.operations));
  for (query::Operation& operation : question.operations) {
    if (operation.kind != query::Operation::Kind::kRatio) continue;
    operation.predicate = std::make_shared<query::Predicate>(condition_of(operation.condition, logs), logs);
  }
  std::vector<query::Expression> more;
  GroupAnswer answer;
  std::optional<query::Predicate> has_argument;
  question.course = asking.course;
  question.most_groups = asking.most_groups;
  if (!asking.argument.empty()) {
    question.argument = or_say(query::find_argument(*statement, asking.argument, query::Units::kTimes));
    if (asking.counts_all) {
      has_argument.emplace(query::Expression::has_value(question.argument.name), logs);
      question.has_argument = &*has_argument;
    } else {
      statement->require(question.argument);
      more.push_back(query::Expression::has_value(question.argument.name));
    }
    answer.unit = question.argument.meaning != nullptr ? question.argument.meaning->unit()
                                                       : query::said_unit(*statement, question.argument);
  }
  for (const query::KeySpec& key : question.keys) {
    if (key.by != query::KeySpec::By::kArgument) continue;
    statement->require(key.argument);
    more.push_back(query::Expression::has_value(key.argument.name));
  }
  std::vector<query::Expression> only;
  for (const std::string& value : asking.only) only.push_back(condition_of(value, logs));
  if (!only.empty()) more.push_back(query::Expression::any_of(std::move(only)));
  const query::Predicate predicate = asked.also(query::Expression::all_of(std::move(more)));
  question.subject = asked.subject();
  question.subject.predicate = &predicate;
  question.subject.statement = statement ? &*statement : nullptr;
  question.memory = kMemoryOfGroups;
  query::RankingOptions options;
  if (asking.most != 0) {
    options.sort = question.operations[0].title;
    options.limit = asking.most;
  }
  auto ranking = or_say(query::Ranking::make(options, question, query::times_of(logs, false)));
  question.take_rows = [&](std::vector<query::AnswerRow> rows, bool last) {
    rows = ranking.take(std::move(rows), last);
    answer.rows.insert(answer.rows.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    return Status();
  };
  Result<query::Answer> found = query::aggregate(question);
  answer.too_many = asking.most_groups != SIZE_MAX && !found.ok() && found.status().code() == StatusCode::kExhausted;
  if (!answer.too_many) answer.records = or_say(std::move(found)).records;
  return answer;
}

}  // namespace steno::cli::web
