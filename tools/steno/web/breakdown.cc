// /api/breakdown: the records by the values of a field: how many, how many of them errors, quantiles of a quantity, and
// their course over time.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "output/table.h"
#include "query/statistics/time_line.h"
#include "web/answers.h"
#include "web/groups.h"

namespace steno::cli::web {
namespace {

constexpr std::uint64_t kMostRows = 500;
constexpr std::uint64_t kMostBars = 200;

// More values than these are counted first, and the rest is asked of the most frequent alone: all else would be
// computed for each of them.
constexpr std::size_t kMostAtOnce = 4096;

// The texts of statements, by their places: in C++ one each, but what a server logs for others may have one place.
std::map<std::string, std::set<std::string>> texts_by_place(const reader::LogSet& logs) {
  std::map<std::string, std::set<std::string>> texts;
  for (const reader::Site* site : query::statements_of(logs)) {
    texts[site->info().file + ":" + std::to_string(site->info().line)].insert(site->info().format);
  }
  return texts;
}

std::string filter_of_row(const GroupQuestion& question, const query::AnswerRow& row) {
  std::string filter = filter_of(question.keys[0], row.keys[0]);
  for (std::size_t k = 1; k < row.keys.size(); ++k) filter += " and " + filter_of(question.keys[k], row.keys[k]);
  return filter;
}

}  // namespace

void answer_breakdown(const Asked& asked, Json* out) {
  const std::string by = asked.text("by");
  if (by.empty()) throw Refused(400, "by: write the name of a field, like logger");
  const std::size_t bars = asked.number("bins", 40, 1, kMostBars);
  const std::string quantity = asked.text("quantity");
  const query::TimeSpan span = asked.span();
  GroupQuestion question;
  const bool is_statement = by == "statement";
  question.keys = {field_name(by)};
  if (is_statement) question.keys.emplace_back("format");
  question.operations = {"count", "ratio(level >= ERROR)"};
  question.most = asked.number("limit", 50, 1, kMostRows);
  GroupQuestion whole = question;
  if (!quantity.empty()) {
    whole.operations.insert(whole.operations.end(), {"p50", "p99"});
    whole.argument = quantity;
    whole.counts_all = true;
  }
  if (!span.empty()) {
    const query::TimeLine line = query::make_time_line(span, bars);
    whole.course = {line.from, line.step, line.steps.size()};
  }
  whole.most_groups = kMostAtOnce;
  GroupAnswer found = ask_groups(asked, whole);
  if (found.too_many) {
    question.operations = {"count"};
    const GroupAnswer counts = ask_groups(asked, question);
    whole.most_groups = SIZE_MAX;
    for (const query::AnswerRow& row : counts.rows) whole.only.push_back(filter_of_row(question, row));
    found = ask_groups(asked, whole);
    found.records = counts.records;
  }
  const std::map<std::string, std::set<std::string>> texts =
      is_statement ? texts_by_place(asked.logs()) : std::map<std::string, std::set<std::string>>();
  std::uint64_t shown = 0;
  out->begin('{').name("by").text(by);
  if (!found.unit.empty()) out->name("unit").text(found.unit);
  out->name("rows").begin('[');
  for (const query::AnswerRow& row : found.rows) {
    const auto count = static_cast<std::uint64_t>(row.values[0].integer);
    shown += count;
    const std::string key = machine_text(row.keys[0], Zone::kUtc);
    out->begin('{');
    if (is_statement) {
      out->name("value").text(row.keys[1].text);
      out->name("site").text(key);
    } else {
      query::Cell value = row.keys[0];
      value.text = std::string(std::string_view(value.text).substr(0, kLongestValue));
      append_cell(value, &out->name("value"));
    }
    out->name("count").number(count);
    out->name("errors").number(
        static_cast<std::uint64_t>(std::llround(row.values[1].as_double() * static_cast<double>(count))));
    if (!quantity.empty() && row.values[2].kind != query::Cell::Kind::kNone) {
      append_cell(row.values[2], &out->name("p50"));
      append_cell(row.values[3], &out->name("p99"));
    }
    out->name("spark").begin('[');
    for (const std::uint64_t one : row.course) out->number(one);
    out->end(']');
    // A place says which statement it is, where it is the place of no other.
    const bool is_alone = is_statement && texts.contains(key) && texts.at(key).size() == 1;
    if (is_alone || std::all_of(row.keys.begin(), row.keys.end(), can_be_written)) {
      out->name("filter").text(is_alone ? filter_of(question.keys[0], row.keys[0]) : filter_of_row(question, row));
    }
    out->end('}');
  }
  out->end(']').name("others").begin('{').name("count").number(found.records - shown);
  out->end('}').end('}');
}

}  // namespace steno::cli::web
