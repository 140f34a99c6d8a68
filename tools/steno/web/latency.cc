// /api/latency and /api/scatter: the course of a quantity, how it is spread, and two quantities against each other.
#include <algorithm>

#include "query/statistics/heat_map.h"
#include "web/answers.h"
#include "web/groups.h"
#include "web/line_json.h"

namespace steno::cli::web {
namespace {

constexpr std::uint64_t kMostBins = 1000;
constexpr std::size_t kMostBuckets = 64;
constexpr std::uint64_t kMostPoints = 20'000;

std::string wanted_name(const Asked& asked, const char* parameter) {
  const std::string name = asked.text(parameter);
  if (name.empty()) throw Refused(400, std::string(parameter) + ": write the name of an argument, like elapsed");
  return name;
}

// Conditions of the parameter `site`, a place as LINE.site has it.
std::vector<std::string> sites_of(const Asked& asked) {
  if (asked.text("site").empty()) return {};
  return {filter_of("site", query::Cell::of_text(asked.text("site")))};
}

void append_line_of(const GroupAnswer& answer, Json* out) {
  out->name("lines").begin('[');
  for (const query::AnswerRow& row : answer.rows) {
    const char* const names[] = {"count", "p50", "p99", "max"};
    out->begin('{').name("time");
    append_cell(row.keys[0], out);
    for (std::size_t i = 0; i < row.values.size(); ++i) append_cell(row.values[i], &out->name(names[i]));
    out->end('}');
  }
  out->end(']');
}

void append_heat(const query::HeatMap& map, Json* out) {
  out->name("heat").begin('{').name("edges").begin('[');
  for (const double edge : map.edges) out->real(edge);
  out->end(']').name("cells").begin('[');
  for (const auto& step : map.cells) {
    out->begin('[');
    for (const std::uint64_t count : step) out->number(count);
    out->end(']');
  }
  out->end(']').end('}');
}

}  // namespace

void answer_latency(const Asked& asked, Json* out) {
  const std::string field = wanted_name(asked, "field");
  const query::TimeSpan span = asked.span().empty() ? query::TimeSpan{0, 0} : asked.span();
  const query::TimeLine steps = query::make_time_line(span, asked.number("bins", 200, 1, kMostBins));
  GroupQuestion question;
  question.keys = {"time:" + std::to_string(steps.step) + "ns"};
  question.operations = {"count", "p50", "p99", "max"};
  question.argument = field;
  question.only = sites_of(asked);
  const GroupAnswer lines = ask_groups(asked, question);
  const ArgumentSubject of_field(asked, {field}, question.only);
  const query::HeatMap map =
      or_refuse(query::make_heat_map(of_field.subject(), of_field.argument(0), steps, kMostBuckets));
  out->begin('{').name("field").text(field);
  if (!lines.unit.empty()) out->name("unit").text(lines.unit);
  out->name("step").exact(steps.step);
  out->name("from").exact(steps.from);
  append_line_of(lines, out);
  append_heat(map, out);
  out->end('}');
}

void answer_scatter(const Asked& asked, Json* out) {
  const ArgumentSubject both(asked, {wanted_name(asked, "x"), wanted_name(asked, "y")}, sites_of(asked));
  const query::Scatter scatter = or_refuse(query::make_scatter(both.subject(), both.argument(0), both.argument(1),
                                                               asked.number("limit", 5000, 1, kMostPoints)));
  out->begin('{').name("points").begin('[');
  for (const query::PairOfValues& point : scatter.points) {
    const reader::LogFile& file = *asked.logs().files()[point.ref.file];
    out->begin('[');
    out->real(point.x);
    out->real(point.y);
    out->text(id_of(file, file.blocks()[point.ref.block], point.ref.record));
    out->end(']');
  }
  out->end(']').name("total").number(scatter.total);
  for (std::size_t i = 0; i < 2; ++i) {
    const query::ArgumentOf& argument = both.argument(i);
    const std::string_view unit = argument.meaning != nullptr ? argument.meaning->unit() : argument.said_unit;
    if (!unit.empty()) out->name(i == 0 ? "x_unit" : "y_unit").text(unit);
  }
  out->end('}');
}

}  // namespace steno::cli::web
