// /api/diff: the selected time against another one, by default the one before it of the same length.
#include "query/statistics/diff.h"

#include <algorithm>
#include <map>

#include "web/answers.h"

namespace steno::cli::web {
namespace {

constexpr std::size_t kMostDifferences = 500;

using query::Difference;
using Kind = query::Difference::Kind;

std::string place_of(const reader::Site& site) {
  return site.info().file + ":" + std::to_string(site.info().line);
}

Json& begin_statement(const Difference& one, Json* out) {
  out->begin('{');
  out->name("site").text(place_of(*one.site));
  out->name("text").text(one.site->info().format);
  out->name("level").text(level_name(one.site->info().level));
  return *out;
}

void append_alone(const std::vector<const Difference*>& all, Kind kind, Json* out) {
  out->begin('[');
  for (const Difference* one : all) {
    if (one->kind != kind) continue;
    begin_statement(*one, out).name("count").number(kind == Kind::kNew ? one->after : one->before);
    out->name("rate").real(kind == Kind::kNew ? one->rate_after : one->rate_before);
    out->end('}');
  }
  out->end(']');
}

void append_arguments(const std::vector<const Difference*>& all, Kind kind, Json* out) {
  out->begin('[');
  for (const Difference* one : all) {
    if (one->kind != kind) continue;
    out->begin('{');
    out->name("field").text(one->argument);
    out->name("value").text(one->value);
    out->name("before").text(one->from);
    out->name("after").text(one->to);
    if (kind == Kind::kArgument) out->name("distance").real(one->distance);
    out->name("score").real(one->score);
    out->end('}');
  }
  out->end(']');
}

// The differences of one statement; `all` is not empty.
void append_changed(const std::vector<const Difference*>& all, Json* out) {
  const auto rate =
      std::find_if(all.begin(), all.end(), [](const Difference* one) { return one->kind == Kind::kRate; });
  const Difference& any = rate != all.end() ? **rate : *all[0];
  begin_statement(any, out).name("before").number(any.before);
  out->name("after").number(any.after);
  out->name("rate_before").real(any.rate_before);
  out->name("rate_after").real(any.rate_after);
  out->name("ratio");
  rate != all.end() ? out->real(any.factor) : out->null();
  append_arguments(all, Kind::kValue, &out->name("values"));
  append_arguments(all, Kind::kArgument, &out->name("numbers"));
  out->end('}');
}

// The parameters of the other side.
Params params_before(const Asked& asked, const Params& given) {
  Params params = given;
  for (const char* name : {"from", "to"}) params.erase(name);
  const auto begin = asked.time("before_from");
  const auto end = asked.time("before_to");
  const query::TimeSpan span = asked.span();
  const std::int64_t to = end ? *end : asked.time("from").value_or(span.first);
  const text::Int128 length =
      text::Int128{asked.time("to").value_or(span.last)} - asked.time("from").value_or(span.first);
  const text::Int128 from = begin ? text::Int128{*begin} : text::Int128{to} - length;
  params.emplace("from", std::to_string(static_cast<std::int64_t>(std::max<text::Int128>(from, INT64_MIN))));
  params.emplace("to", std::to_string(to));
  return params;
}

void append_side(const char* name, std::uint64_t records, double seconds, Json* out) {
  out->name(name).begin('{').name("records").number(records);
  out->name("seconds").real(seconds);
  out->end('}');
}

}  // namespace

void answer_diff(const Asked& asked, Json* out) {
  const Params before_params = params_before(asked, asked.params());
  const Asked before(asked.log(), before_params, asked.meter());
  const query::DiffAnswer answer = query::diff_logs(before.subject(), asked.subject(), {});
  std::vector<const Difference*> alone;
  std::vector<std::vector<const Difference*>> changed;  // by statement, the most important first
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  double load = 1;
  std::size_t taken = 0;
  for (const Difference& one : answer.differences) {
    if (one.kind == Kind::kAll) load = one.factor;
    if (one.site == nullptr || taken++ >= kMostDifferences) continue;
    if (one.kind == Kind::kNew || one.kind == Kind::kGone) {
      alone.push_back(&one);
      continue;
    }
    const auto [found, added] = places.try_emplace({place_of(*one.site), one.site->info().format}, changed.size());
    if (added) changed.emplace_back();
    changed[found->second].push_back(&one);
  }
  out->begin('{');
  append_side("before", answer.records_before, answer.seconds_before, out);
  append_side("after", answer.records_after, answer.seconds_after, out);
  out->name("load").real(load);
  append_alone(alone, Kind::kNew, &out->name("new"));
  append_alone(alone, Kind::kGone, &out->name("gone"));
  out->name("changed").begin('[');
  for (const auto& of_statement : changed) append_changed(of_statement, out);
  out->end(']').end('}');
}

}  // namespace steno::cli::web
