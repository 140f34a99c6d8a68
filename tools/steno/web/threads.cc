// /api/threads: what each thread did, and since when it does nothing.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "query/statistics/time_line.h"
#include "web/answers.h"
#include "web/groups.h"

namespace steno::cli::web {
namespace {

constexpr std::uint64_t kMostThreads = 500;
constexpr std::uint64_t kMostThreadBins = 1000;

// Names do not tell threads apart: all of a pool may have one, and the first process of each container is 1.
using ThreadKey = std::tuple<std::string, text::Int128, text::Int128>;  // host, process, tid
const std::vector<std::string> kThreadKeys = {"session.host", "session.pid", "tid"};

struct ThreadRow {
  std::uint64_t count = 0;
  text::Int128 last = INT64_MIN;
  std::string name;  // those of its last record
  std::string program;
  std::vector<std::uint64_t> activity;
};
using ThreadRows = std::map<ThreadKey, ThreadRow>;

// Rows by thread and one thing more, as many as there are.
std::vector<query::AnswerRow> ask_threads(const Asked& asked, const std::string& key,
                                          std::vector<std::string> operations) {
  GroupQuestion question;
  question.keys = kThreadKeys;
  question.keys.push_back(key);
  question.operations = std::move(operations);
  return ask_groups(asked, question).rows;
}

ThreadKey thread_key(const query::AnswerRow& row) {
  return {row.keys[0].text, row.keys[1].integer, row.keys[2].integer};
}

ThreadRows count_threads(const Asked& asked) {
  ThreadRows threads;
  for (const query::AnswerRow& row : ask_threads(asked, "thread", {"count", "last"})) {
    ThreadRow& thread = threads[thread_key(row)];
    thread.count += static_cast<std::uint64_t>(row.values[0].integer);
    if (row.values[1].integer < thread.last) continue;
    thread.last = row.values[1].integer;
    thread.name = row.keys[3].text;
  }
  return threads;
}

// Records are asked only where several programs had one number on one host.
void add_programs(const Asked& asked, ThreadRows* threads) {
  std::map<std::pair<std::string, text::Int128>, std::set<std::string>> programs;
  for (const auto& file : asked.logs().files()) {
    for (const auto& session : file->sessions()) {
      programs[{session->info.host, session->info.pid}].insert(session->info.program);
    }
  }
  bool is_plain = true;
  for (auto& [key, thread] : *threads) {
    const std::set<std::string>& names = programs[{std::get<0>(key), std::get<1>(key)}];
    is_plain = is_plain && names.size() == 1;
    if (!names.empty()) thread.program = *names.begin();
  }
  if (is_plain) return;
  for (const query::AnswerRow& row : ask_threads(asked, "session.program", {"last"})) {
    ThreadRow& thread = (*threads)[thread_key(row)];
    if (row.values[0].integer == thread.last) thread.program = row.keys[3].text;
  }
}

void add_activity(const Asked& asked, const query::TimeLine& line, ThreadRows* threads) {
  for (const query::AnswerRow& row : ask_threads(asked, "time:" + std::to_string(line.step) + "ns", {"count"})) {
    std::vector<std::uint64_t>& activity = (*threads)[thread_key(row)].activity;
    activity.resize(line.steps.size());
    const text::Int128 at = (row.keys[3].integer - line.from) / line.step;
    if (row.keys[3].integer < line.from || at >= static_cast<text::Int128>(activity.size())) continue;
    activity[static_cast<std::size_t>(at)] += static_cast<std::uint64_t>(row.values[0].integer);
  }
}

void append_thread(const ThreadKey& key, const ThreadRow& thread, std::int64_t end, Json* out) {
  const auto last = static_cast<std::int64_t>(thread.last);
  const query::Cell cells[] = {query::Cell::of_text(std::get<0>(key)), query::Cell::of(std::get<1>(key)),
                               query::Cell::of(std::get<2>(key))};
  std::string filter;
  for (std::size_t i = 0; i < kThreadKeys.size(); ++i) {
    filter += (i == 0 ? "" : " and ") + filter_of(kThreadKeys[i], cells[i]);
  }
  out->begin('{');
  out->name("program").text(thread.program);
  append_cell(cells[0], &out->name("host"));
  append_cell(cells[1], &out->name("pid"));
  append_cell(cells[2], &out->name("tid"));
  out->name("thread").text(thread.name);
  if (can_be_written(cells[0])) out->name("filter").text(filter);
  out->name("count").number(thread.count);
  out->name("last").exact(last);
  out->name("gap").exact(std::max<std::int64_t>(end - last, 0));
  out->name("activity").begin('[');
  for (const std::uint64_t count : thread.activity) out->number(count);
  out->end(']').end('}');
}

}  // namespace

void answer_threads(const Asked& asked, Json* out) {
  const query::TimeSpan span = asked.span();
  const std::uint64_t most = asked.number("limit", 200, 1, kMostThreads);
  ThreadRows threads = count_threads(asked);
  add_programs(asked, &threads);
  std::int64_t step = 1;
  std::int64_t from = 0;
  if (!span.empty()) {
    const query::TimeLine line = query::make_time_line(span, asked.number("bins", 100, 1, kMostThreadBins));
    step = line.step;
    from = line.from;
    add_activity(asked, line, &threads);
  }
  std::vector<ThreadRows::const_iterator> rows;
  for (auto at = threads.cbegin(); at != threads.cend(); ++at) rows.push_back(at);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a->second.count > b->second.count; });
  if (rows.size() > most) rows.resize(most);
  const std::int64_t end = asked.time("to") ? std::min(*asked.time("to"), span.last) : span.last;
  out->begin('{');
  out->name("from").exact(from);
  out->name("step").exact(step);
  out->name("threads").begin('[');
  for (const auto& row : rows) append_thread(row->first, row->second, end, out);
  out->end(']').end('}');
}

}  // namespace steno::cli::web
