// /api/timeline: how many records of each level in each step of time, and what happened to the processes.
#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "query/statistics/time_line.h"
#include "reader/loss_text.h"
#include "reader/losses.h"
#include "web/answers.h"
#include "web/line_json.h"

namespace steno::cli::web {
namespace {

constexpr std::uint64_t kMostSteps = 4000;
constexpr std::size_t kMostMarks = 2000;
constexpr std::size_t kMostDrops = 100'000;  // that are looked at, of which marks are chosen

struct Mark {
  std::int64_t time = 0;
  const char* kind = "";
  std::string text;
  std::string session;
};

std::string process_text(const reader::Session& session) {
  return session.info.program + " (" + std::to_string(session.info.pid) + " on " + session.info.host + ")";
}

// The life of each session, as far as its files tell.
void add_lives(const reader::LogSet& logs, std::vector<Mark>* marks) {
  struct Life {
    const reader::Session* first = nullptr;
    std::int64_t last = INT64_MIN;
    bool running = false;
    bool ended = false;
    bool died = false;
  };
  std::map<std::pair<std::string, std::uint64_t>, Life> lives;
  for (const auto& file : logs.files()) {
    for (const auto& part : file->sessions()) {
      const reader::Session& session = *part;
      if (!session.known) continue;
      const std::string name = session_name(session);
      Life& life = lives[{session.info.host, session.info.session_id}];
      const bool any = session.min_clock <= session.max_clock;
      if (session.info.elsewhere && any) {
        marks->push_back({session.clock.wall(session.min_clock), "rotation",
                          process_text(session) + " goes on in " + file->path(), name});
      }
      if (life.first == nullptr || session.info.start_wall < life.first->info.start_wall) life.first = &session;
      if (any) life.last = std::max(life.last, session.clock.wall(session.max_clock));
      life.running |= session.running;
      life.ended |= session.end.has_value() || session.ended_elsewhere;
      life.died |= session.end.has_value() && session.end->died;
    }
  }
  for (const auto& [key, life] : lives) {
    const std::string name = session_name(*life.first);
    const std::string who = process_text(*life.first);
    if (!life.first->info.elsewhere) marks->push_back({life.first->info.start_wall, "start", who + " starts", name});
    if (life.running || life.last == INT64_MIN) continue;
    if (life.died || !life.ended) {
      marks->push_back({life.last, "death", who + (life.died ? " dies" : " has no end in these files"), name});
    } else {
      marks->push_back({life.last, "end", who + " ends", name});
    }
  }
}

// Records that say how many others are missing; damaged stretches, by the times around them.
void add_losses(const Asked& asked, std::vector<Mark>* marks) {
  for (const auto& file : asked.logs().files()) {
    if (asked.meter() != nullptr) asked.meter()->check();
    reader::LossOptions options;
    options.drops = false;
    for (const reader::Loss& loss : reader::find_losses(*file, options).losses) {
      if (loss.cause != reader::LossCause::kDamage && loss.cause != reader::LossCause::kMissing) continue;
      const std::int64_t time = loss.from_wall != INT64_MIN ? loss.from_wall
                                : loss.to_wall != INT64_MAX ? loss.to_wall
                                                            : INT64_MIN;
      const bool known = loss.session < file->sessions().size();
      marks->push_back({time != INT64_MIN ? time : asked.span().first, "damage",
                        file->path() + ": " + reader::describe(*file, loss),
                        known ? session_name(*file->sessions()[loss.session]) : std::string()});
    }
  }
}

// The statements of the protocol that report drops, of all sessions.
query::Statement drop_reports(const reader::LogSet& logs) {
  query::Statement reports;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Site& site : session->dictionary.sites()) {
        const std::uint32_t id = site.info().id;
        if (id == wire::kSiteDropped || id == wire::kSiteDiscarded) reports.add(site);
      }
    }
  }
  return reports;
}

// Where the drops were reported, in order; of very many the first and the last.
std::vector<query::RecordRef> find_drops(const query::Subject& subject, std::uint64_t all) {
  if (all <= kMostDrops) return query::find_in_order(subject, query::TimeOrder::kOldest, kMostDrops).records;
  std::vector<query::RecordRef> drops =
      query::find_in_order(subject, query::TimeOrder::kOldest, kMostDrops / 2).records;
  const std::vector<query::RecordRef> last =
      query::find_in_order(subject, query::TimeOrder::kNewest, kMostDrops / 2).records;
  drops.insert(drops.end(), last.rbegin(), last.rend());
  return drops;
}

// Adds as many drops as there is room for, evenly chosen, the first and the last among them. Returns how many others
// there are.
std::uint64_t add_drops(const Asked& asked, std::size_t room, std::vector<Mark>* marks) {
  const query::Statement reports = drop_reports(asked.logs());
  if (reports.sites.empty() || asked.span().empty()) return 0;
  query::Subject subject;
  subject.logs = &asked.logs();
  subject.statement = &reports;
  const query::Predicate in_time(within(asked.span()), asked.logs());
  subject.predicate = &in_time;
  subject.span = asked.span();
  subject.meter = asked.meter();
  query::TimeLine line = query::make_time_line(subject.span, 1);
  query::count_on(subject, &line);
  std::uint64_t all = 0;
  for (const auto& step : line.steps) all = std::accumulate(step.begin(), step.end(), all);
  std::vector<query::RecordRef> refs = find_drops(subject, all);
  const std::size_t found = refs.size();
  const std::size_t chosen = std::min(room, found);
  for (std::size_t i = 1; i < chosen; ++i) refs[i] = refs[i * (found - 1) / (chosen - 1)];
  refs.resize(chosen);
  const std::vector<std::string> texts = messages_of(asked, refs);
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const reader::LogFile& file = *asked.logs().files()[refs[i].file];
    const reader::Session& session = *file.sessions()[file.blocks()[refs[i].block].session];
    marks->push_back({refs[i].wall, "drop", process_text(session) + ": " + texts[i], session_name(session)});
  }
  return all - std::min<std::uint64_t>(all, chosen);
}

// The worst comes first: of many marks the others are left out.
std::size_t rank_of(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"death", "damage", "drop", "rotation", "start", "end"};
  return static_cast<std::size_t>(std::find(std::begin(kKinds), std::end(kKinds), kind) - std::begin(kKinds));
}

void append_marks(const Asked& asked, Json* out) {
  std::vector<Mark> marks;
  add_lives(asked.logs(), &marks);
  add_losses(asked, &marks);
  std::erase_if(marks, [&](const Mark& mark) {
    const auto from = asked.time("from");
    const auto to = asked.time("to");
    return (from && mark.time < *from) || (to && mark.time >= *to);
  });
  const auto worse = static_cast<std::size_t>(
      std::count_if(marks.begin(), marks.end(), [](const Mark& mark) { return rank_of(mark.kind) < rank_of("drop"); }));
  std::uint64_t more = add_drops(asked, kMostMarks - std::min(worse, kMostMarks), &marks);
  const auto by_time = [](const Mark& a, const Mark& b) { return a.time < b.time; };
  std::stable_sort(marks.begin(), marks.end(), by_time);
  if (marks.size() > kMostMarks) {
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return rank_of(a.kind) < rank_of(b.kind); });
    more += marks.size() - kMostMarks;
    marks.resize(kMostMarks);
    std::stable_sort(marks.begin(), marks.end(), by_time);
  }
  out->name("marks").begin('[');
  for (const Mark& mark : marks) {
    out->begin('{');
    out->name("time").exact(mark.time);
    out->name("kind").text(mark.kind);
    out->name("text").text(mark.text);
    out->name("session").text(mark.session);
    out->end('}');
  }
  out->end(']').name("more").number(more);
}

// The times that a time line covers: those asked for, else those of the log.
query::TimeSpan span_of_line(const Asked& asked) {
  query::TimeSpan span = query::recorded_span(asked.logs());
  if (span.empty()) span = {0, 0};
  if (const auto from = asked.time("from")) span.first = *from;
  if (const auto to = asked.time("to")) span.last = *to == INT64_MIN ? INT64_MIN : *to - 1;
  if (span.empty()) throw Refused(400, "from: it must be before 'to'");
  return span;
}

}  // namespace

void answer_timeline(const Asked& asked, Json* out) {
  const query::TimeSpan span = span_of_line(asked);
  query::TimeLine line = query::make_time_line(span, asked.number("bins", 400, 1, kMostSteps));
  query::TimeLine matches = line;
  query::count_on(asked.subject(false), &line);
  out->begin('{');
  out->name("from").exact(line.from);
  const text::Int128 end =
      text::Int128{line.from} + text::Int128{line.step} * static_cast<std::int64_t>(line.steps.size());
  out->name("to").exact(static_cast<std::int64_t>(std::min<text::Int128>(end, INT64_MAX)));
  out->name("step").exact(line.step);
  append_levels(out);
  out->name("counts").begin('[');
  for (const auto& step : line.steps) {
    out->begin('[');
    for (const std::uint64_t count : step) out->number(count);
    out->end(']');
  }
  out->end(']');
  if (asked.is_searched()) {
    query::count_on(asked.subject(), &matches);
    out->name("matches").begin('[');
    for (const auto& step : matches.steps) {
      std::uint64_t all = 0;
      for (const std::uint64_t count : step) all += count;
      out->number(all);
    }
    out->end(']');
  }
  append_marks(asked, out);
  out->end('}');
}

}  // namespace steno::cli::web
