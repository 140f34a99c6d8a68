#include "web/log.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/level_name.h"
#include "follow/open_log.h"
#include "input/inputs.h"
#include "input/lost_pages.h"
#include "input/processes.h"
#include "input/shifts.h"
#include "input/unpack.h"
#include "memory_limit.h"
#include "query/filter/said_unit.h"
#include "query/statistics/time_line.h"
#include "reader/loss_text.h"
#include "staging/foreign_staging.h"
#include "version.h"
#include "web/answers.h"
#include "web/line_json.h"

namespace steno::cli::web {
namespace {

constexpr std::uint64_t kMemoryOfAnswers = std::uint64_t{768} << 20;  // and of the threads that make them
constexpr std::int64_t kLookAgainNs = 200'000'000;
constexpr std::size_t kMostProcesses = 256;  // that are looked at each time
constexpr std::size_t kMostDamage = 100;
constexpr std::size_t kMostNames = 10'000;

std::vector<std::string> paths_of_name(const std::string& name) {
  return is_pattern(name) ? matches_of(name) : std::vector<std::string>{name};
}

enum class KindOfField { kNumber, kDuration, kText };

struct FieldOfLog {
  KindOfField kind = KindOfField::kNumber;
  std::string unit;
};

FieldOfLog field_of(const reader::Site& site, std::uint32_t index) {
  const text::Meaning* meaning = site.meaning(index);
  const wire::Layout& layout = *site.layout();
  FieldOfLog field;
  if (meaning != nullptr && meaning->kind() == text::Meaning::Kind::kDuration) field.kind = KindOfField::kDuration;
  field.unit = meaning != nullptr ? meaning->unit() : query::said_unit(site, index);
  const bool named = meaning != nullptr && !meaning->is_number();
  const ArgType type = layout.fields[index].type;
  const bool number = !is_string(type) && type != ArgType::kChar && type != ArgType::kChar16 &&
                      type != ArgType::kChar32 && type != ArgType::kPointer && type != ArgType::kBool;
  if (named || !number) field.kind = KindOfField::kText;
  return field;
}

// A process that dies leaves its file as it is, and records in shared memory.
bool any_has_died(const reader::LogSet& logs) {
  using staging::ForeignStaging;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      if (!session->running || session->info.staging.empty()) continue;
      const auto view =
          ForeignStaging::open(session->info.staging, ForeignStaging::Access::kRead, ForeignStaging::Extent::kSession);
      if (!view.ok() || view->state() != staging::State::kLive) return true;
    }
  }
  return false;
}

void leave_out_gone_hosts(const reader::LogSet& logs, std::vector<std::string>* shifts) {
  std::set<std::string> hosts;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) hosts.insert(session->info.host);
  }
  std::erase_if(*shifts, [&](const std::string& shift) { return !hosts.contains(shift.substr(0, shift.rfind('='))); });
}

}  // namespace

void open_silently(const std::vector<std::string>& files, reader::LogSet* logs, std::vector<std::string>* problems) {
  logs->unpack_by(unpacked);
  for (const std::string& name : files) {
    const std::vector<std::string> paths = paths_of_name(name);
    if (paths.empty()) problems->push_back(name + ": no file matches this pattern");
    for (const std::string& path : paths) {
      if (const Status status = follow::add_log(path, logs, problems); !status.ok()) {
        problems->push_back(status.message());
      }
    }
  }
}

OpenLog::OpenLog(const WebOptions& options, ExitCode* code)
    : logs_(options.filter.secrets),
      secrets_(options.filter.secrets),
      names_(options.files),
      shifts_(options.filter.shifts),
      lost_pages_(lost_pages()) {
  code != nullptr ? open_inputs(options.files, &logs_, code, &problems_)
                  : open_silently(options.files, &logs_, &problems_);
  bound_memory(3 * size_of(logs_), kMemoryOfAnswers);  // it may be opened again, and verified, while this one is read
  // The last file of a host may have gone since they were opened first; the shifts of the others are as right as
  // before.
  if (code == nullptr) leave_out_gone_hosts(logs_, &shifts_);
  if (auto shifts = shift_hosts(shifts_, logs_); shifts.ok()) {
    shifts_ = std::move(shifts).value();
  } else if (code != nullptr) {
    throw CLI::ValidationError(shifts.status().message());
  } else {
    problems_.push_back(shifts.status().message());
    shifts_.clear();
  }
  for (const auto& file : logs_.files()) {
    for (const auto& session : file->sessions()) {
      records_ += session->records;
      running_ = running_ || session->running;
    }
  }
}

bool OpenLog::is_whole() const {
  return lost_pages_ == lost_pages();
}

bool Log::open(ExitCode* code) {
  if (std::find(options_.files.begin(), options_.files.end(), "-") != options_.files.end()) {
    throw CLI::ValidationError(
        "FILE: the page reads its files again and again, which standard input cannot be; name files");
  }
  const std::string mark = this->mark();
  auto opened = std::make_shared<const OpenLog>(options_, code);
  if (opened->logs().files().empty()) return false;
  options_.filter.shifts = opened->shifts();
  const std::lock_guard lock(mutex_);
  open_ = std::move(opened);
  mark_ = mark;
  looked_ = monotonic_now();
  return true;
}

std::shared_ptr<const OpenLog> Log::now() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

std::string Log::mark() const {
  std::string mark;
  for (const std::string& name : options_.files) {
    for (const std::string& path : paths_of_name(name)) {
      struct stat st {};
      if (::stat(path.c_str(), &st) != 0) continue;
      mark += std::to_string(st.st_ino) + " " + std::to_string(st.st_size) + " " + std::to_string(st.st_mtim.tv_sec) +
              "." + std::to_string(st.st_mtim.tv_nsec) + "\n";
    }
  }
  return mark + mark_of_processes();
}

// The records that are in no file yet, and whether their processes live: a file does not change when one is killed.
std::string Log::mark_of_processes() const {
  std::string mark;
  std::set<std::string> looked_at;  // a process has a session in each part of a log that was rotated
  const std::shared_ptr<const OpenLog> open = now();
  for (std::size_t f = 0; open != nullptr && f < open->logs().files().size(); ++f) {
    for (const auto& session : open->logs().files()[f]->sessions()) {
      if (session->end || session->info.staging.empty() || looked_at.size() >= kMostProcesses) continue;
      if (!looked_at.insert(session->info.staging).second) continue;
      const auto process = look_at_process(session->info.staging);
      if (process.ok()) mark += process->state + " " + std::to_string(process->backlog) + "\n";
    }
  }
  return mark;
}

std::shared_ptr<const OpenLog> Log::refreshed() {
  const std::lock_guard refresh(refresh_mutex_);
  if (monotonic_now() - looked_ < kLookAgainNs) return now();
  const std::string mark = this->mark();
  if (mark != mark_ || !now()->is_whole() || any_has_died(now()->logs())) {
    auto opened = std::make_shared<const OpenLog>(options_, nullptr);
    const std::lock_guard lock(mutex_);
    open_ = std::move(opened);
    mark_ = mark;
  }
  looked_ = monotonic_now();
  return now();
}

namespace {

void append_files(const reader::LogSet& logs, Json* out) {
  out->name("files").begin('[');
  for (const auto& file : logs.files()) {
    std::uint64_t records = 0;
    for (const auto& session : file->sessions()) records += session->records;
    out->begin('{');
    out->name("path").text(file->path());
    out->name("bytes").number(file->size());
    out->name("records").number(records);
    out->end('}');
  }
  out->end(']');
}

// A session in all the files that have a part of it.
struct WholeSession {
  const reader::Session* part = nullptr;
  query::TimeSpan span{INT64_MAX, INT64_MIN};
  bool running = false;
  bool ended = false;
  bool died = false;
  bool left = false;  // it has no end, and what it logged last is where its process has left it
};

void append_sessions(const reader::LogSet& logs, Json* out) {
  std::map<std::pair<std::string, std::uint64_t>, WholeSession> sessions;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      WholeSession& whole = sessions[{session->info.host, session->info.session_id}];
      if (whole.part == nullptr) whole.part = session.get();
      whole.running |= session->running;
      whole.ended |= session->end.has_value() || session->ended_elsewhere;
      whole.died |= session->end.has_value() && session->end->died;
      whole.left |= !session->end && !session->running && session->extra_bytes != 0;
      if (session->min_clock > session->max_clock) continue;
      whole.span.first = std::min(whole.span.first, session->clock.wall(session->min_clock));
      whole.span.last = std::max(whole.span.last, session->clock.wall(session->max_clock));
    }
  }
  out->name("sessions").begin('[');
  for (const auto& [key, whole] : sessions) {
    const format::SessionBlock& info = whole.part->info;
    const bool any = !whole.span.empty();
    const char* state = !whole.part->known  ? "unknown"
                        : whole.running     ? "running"
                        : whole.died        ? "killed"
                        : whole.ended       ? "ended"
                        : whole.left || any ? "killed"  // as the time line has it
                                            : "unknown";
    out->begin('{');
    out->name("id").text(session_name(*whole.part));
    out->name("program").text(info.program);
    out->name("host").text(info.host);
    out->name("pid").number(info.pid);
    out->name("first").exact(any ? whole.span.first : info.start_wall);
    out->name("last").exact(any ? whole.span.last : info.start_wall);
    out->name("state").text(state);
    out->end('}');
  }
  out->end(']');
}

void append_fields(const reader::LogSet& logs, Json* out) {
  std::map<std::string, FieldOfLog> fields;
  for (const reader::Site* site : query::statements_of(logs)) {
    if (site->layout() == nullptr || fields.size() >= kMostNames) continue;
    for (const std::string& name : site->value_names()) {
      const auto index = site->find_argument(name);
      const bool is_nameless = name.find_first_not_of("0123456789") == std::string::npos;  // each statement has its own
      if (!index || is_nameless) continue;
      const FieldOfLog field = field_of(*site, *index);
      const auto [known, added] = fields.try_emplace(name, field);
      if (added) continue;
      known->second.kind = std::max(known->second.kind, field.kind);
      if (known->second.unit != field.unit) known->second.unit.clear();
    }
  }
  out->name("fields").begin('[');
  for (const auto& [name, field] : fields) {
    out->begin('{');
    out->name("name").text(name);
    out->name("kind").text(field.kind == KindOfField::kText       ? "text"
                           : field.kind == KindOfField::kDuration ? "duration"
                                                                  : "number");
    if (!field.unit.empty()) out->name("unit").text(field.unit);
    out->end('}');
  }
  out->end(']');
}

void append_loggers(const reader::LogSet& logs, Json* out) {
  std::set<std::string> names;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Logger& logger : session->dictionary.all_loggers()) {
        if (!logger.info.name.empty() && names.size() < kMostNames) names.insert(logger.info.name);
      }
    }
  }
  out->name("loggers").begin('[');
  for (const std::string& name : names) out->text(name);
  out->end(']');
}

// All that opening the files has met. /api/verify looks for all else that is missing.
void append_damage(const OpenLog& log, Json* out) {
  const reader::LogSet& logs = log.logs();
  std::size_t shown = 0;
  out->name("damage").begin('[');
  for (const std::string& problem : log.problems()) {
    if (shown++ < kMostDamage) out->text(problem);
  }
  for (const auto& file : logs.files()) {
    for (const reader::Damage& damage : file->damage()) {
      if (shown++ < kMostDamage) out->text(file->path() + ": " + reader::describe(damage));
    }
  }
  out->end(']');
}

std::string title_of(const reader::LogSet& logs) {
  if (logs.files().empty()) return "no log";
  const std::string& first = logs.files()[0]->path();
  const std::string name = first.substr(first.find_last_of('/') + 1);
  const std::size_t others = logs.files().size() - 1;
  return others == 0 ? name : name + " and " + std::to_string(others) + " more";
}

}  // namespace

std::string session_name(const reader::Session& session) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(session.info.session_id));
  return digits;
}

void append_levels(Json* out) {
  out->name("levels").begin('[');
  for (std::size_t level = 0; level + 1 < query::kLevelPlaces; ++level) {
    out->text(level_name(static_cast<Level>(level)));
  }
  out->text("?");
  out->end(']');
}

void answer_log(const Asked& asked, bool control, Json* out) {
  const reader::LogSet& logs = asked.logs();
  const query::TimeSpan span = query::recorded_span(logs);
  out->begin('{');
  out->name("title").text(title_of(logs));
  out->name("version").text(kVersion);
  append_files(logs, out);
  append_sessions(logs, out);
  out->name("first").exact(span.empty() ? 0 : span.first);
  out->name("last").exact(span.empty() ? 0 : span.last);
  out->name("records").number(asked.log().records());
  append_levels(out);
  append_fields(logs, out);
  append_loggers(logs, out);
  out->name("live").boolean(asked.log().is_running());
  out->name("control").boolean(control);
  out->name("shifts").begin('[');
  for (const std::string& shift : asked.log().shifts()) out->text(shift);
  out->end(']').name("secrets").boolean(asked.log().secrets() == reader::Secrets::kShown);
  append_damage(asked.log(), out);
  out->end('}');
}

}  // namespace steno::cli::web
