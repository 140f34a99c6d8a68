#include "output/trace_format.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/level_name.h"
#include "base/nanoseconds.h"
#include "format/ints/mini_block.h"
#include "lines/json_value.h"
#include "output/output.h"
#include "output/span_records.h"
#include "query/filter/filter.h"
#include "query/search/number_stream.h"
#include "query/statistics/time_steps.h"
#include "reader/loss_text.h"
#include "reader/message.h"

namespace steno::cli {
namespace {

std::string text_of(const ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::size_t kMostDepth = 100'000;  // of spans within spans: a damaged file may have spans within each other

// The numbers of the spans that begin, or end, among these records; sorted.
std::vector<std::uint64_t> numbers_of_spans(query::Subject subject, const query::Statement& statement,
                                            const query::ArgumentOf& key) {
  subject.statement = &statement;
  query::PartWalk walk(subject);
  std::vector<std::vector<std::uint64_t>> found(walk.workers());
  walk.run([&](unsigned worker, const query::Part& part) {
    const std::uint32_t column = key.index_in(*part.view->groups()[part.group].site);
    query::NumberStream stream(*part.view, part.group, column, query::NumberKind::kUnsigned);
    std::size_t row = 0;
    std::uint64_t buffer[format::kMiniBlock];
    for (query::Numbers numbers; stream.next(&numbers); row += numbers.n) {
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::size_t i = 0; i < numbers.n; ++i) {
        if (part.keep == nullptr || part.keep[row + i] != 0) found[worker].push_back(values[i]);
      }
    }
  });
  for (std::size_t w = 1; w < found.size(); ++w) found[0].insert(found[0].end(), found[w].begin(), found[w].end());
  std::sort(found[0].begin(), found[0].end());
  return std::move(found[0]);
}

// A span and the one around it; 0: none.
using SpanParent = std::pair<std::uint64_t, std::uint64_t>;

std::vector<std::uint64_t> numbers_in(const query::Part& part, std::uint32_t column) {
  query::NumberStream stream(*part.view, part.group, column, query::NumberKind::kUnsigned);
  std::vector<std::uint64_t> all;
  std::uint64_t buffer[format::kMiniBlock];
  for (query::Numbers numbers; stream.next(&numbers);) {
    const std::uint64_t* const values = numbers.unpack(buffer);
    all.insert(all.end(), values, values + numbers.n);
  }
  return all;
}

// The parents of all spans of these logs, whether or not their records are selected; sorted.
std::vector<SpanParent> parents_of_spans(const query::Subject& selected, const query::SpanStatements& spans) {
  std::vector<SpanParent> all;
  for (const bool begins : {true, false}) {
    const query::Statement& statement = begins ? spans.begins : spans.ends;
    if (statement.sites.empty()) continue;
    query::Subject whole;
    whole.logs = selected.logs;
    whole.meter = selected.meter;
    whole.statement = &statement;
    query::PartWalk walk(whole);
    std::vector<std::vector<SpanParent>> found(walk.workers());
    walk.run([&](unsigned worker, const query::Part& part) {
      const std::uint32_t column =
          (begins ? spans.begin_key : spans.end_key).index_in(*part.view->groups()[part.group].site);
      const std::vector<std::uint64_t> numbers = numbers_in(part, column);
      const std::vector<std::uint64_t> parents = numbers_in(part, column + 1);
      for (std::size_t i = 0; i < std::min(numbers.size(), parents.size()); ++i) {
        found[worker].emplace_back(numbers[i], parents[i]);
      }
    });
    for (const auto& one : found) all.insert(all.end(), one.begin(), one.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

class TraceFormat final : public LineFormat {
 public:
  explicit TraceFormat(std::shared_ptr<const TraceFrame> frame)
      : frame_(std::move(frame)), args_(lines::BigIntegers::kTexts) {}

  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    lines::each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) { append_record(slice, i, out); });
  }

 private:
  void append_record(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const std::span<const text::Value> values = row_.of(slice, i);
    const bool counted = append_counters(slice, i, values, out);
    const SpanEdge edge = edge_of(*group.site);
    if (edge == SpanEdge::kNone) {
      if (!counted && frame_->options().instants) append_event('i', slice, i, values, message(group, values), out);
      return;
    }
    const std::size_t own = group.site->info().argument_types().size();
    if (values.size() < own + 2) return;
    const std::uint64_t span = values[own].bits;
    const std::string name = span_name(edge, message(group, values));
    if (edge == SpanEdge::kBegin && (frame_->has_end(span) || frame_->stays_open(span))) {
      append_event('B', slice, i, values, name, out);
    } else if (edge == SpanEdge::kEnd && frame_->has_begin(span)) {
      append_event('E', slice, i, values, name, out);
    } else {
      append_event('i', slice, i, values, name + (edge == SpanEdge::kBegin ? " (no end)" : " (no begin)"), out);
    }
  }

  std::string message(const reader::DecodedGroup& group, std::span<const text::Value> values) {
    scratch_.clear();
    reader::append_message(group, values, scratch_);
    return text_of(scratch_);
  }

  void append_place(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) const {
    put(out, ",\"ts\":");
    frame_->append_time(slice.block->wall(i), out);
    put(out, ",\"pid\":" + std::to_string(frame_->pid_of(slice.block->session().info)) +
                 ",\"tid\":" + std::to_string(slice.thread->info.tid));
  }

  void append_event(char phase, const reader::Slice& slice, std::uint32_t i, std::span<const text::Value> values,
                    const std::string& name, ByteBuffer& out) {
    const reader::DecodedGroup& group = slice.block->group(i);
    const wire::SiteInfo& info = group.site->info();
    put(out, std::string("{\"ph\":\"") + phase + (phase == 'i' ? "\",\"s\":\"t" : "") + "\",\"name\":\"" +
                 lines::json_escaped(name) + "\",\"cat\":\"" + level_name(info.level) + "\"");
    append_place(slice, i, out);
    if (phase != 'E') {
      put(out, ",\"args\":{\"site\":\"" + lines::json_escaped(info.file) + ":" + std::to_string(info.line) +
                   "\",\"logger\":\"" + lines::json_escaped(group.logger->info.name) + "\",\"values\":");
      args_.append(*group.site, values, out);
      put(out, "}");
    }
    put(out, "},\n");
  }

  // Returns whether there was any counter.
  bool append_counters(const reader::Slice& slice, std::uint32_t i, std::span<const text::Value> values,
                       ByteBuffer& out) {
    const reader::Site& site = *slice.block->group(i).site;
    bool any = false;
    for (const std::string& name : frame_->options().counters) {
      const auto index = site.find_argument(name);
      if (!index || *index >= values.size() || site.presences().is_absent(*index, values)) continue;
      scratch_.clear();
      lines::append_json_value(values[*index], nullptr, scratch_);
      const std::string number = text_of(scratch_);
      if (number.empty() || number.find_first_not_of("0123456789+-.eE") != std::string::npos) continue;  // NaN, a text
      put(out, "{\"ph\":\"C\",\"name\":\"" + lines::json_escaped(name) + "\"");
      append_place(slice, i, out);
      put(out, ",\"args\":{\"value\":" + number + "}},\n");
      any = true;
    }
    return any;
  }

  const std::shared_ptr<const TraceFrame> frame_;
  lines::JsonArgs args_;
  lines::ValueRow row_;
  ByteBuffer scratch_;
};

void append_name(const char* what, std::uint64_t pid, std::uint64_t tid, const std::string& name, ByteBuffer& out) {
  put(out, std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + std::to_string(pid) +
               ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":\"" + lines::json_escaped(name) + "\"}},\n");
}

}  // namespace

TraceFrame::TraceFrame(const query::Subject& subject, Options options) : options_(std::move(options)) {
  const reader::LogSet& logs = *subject.logs;
  const query::TimeSpan recorded = query::recorded_span(logs);
  const std::int64_t first = std::max(recorded.first, std::min(subject.span.first, recorded.last));
  if (!recorded.empty()) start_ = query::TimeSteps(kNsPerSecond).step_of(first);
  number_processes(logs);
  const auto spans = query::find_spans(logs);
  if (!spans) return;
  if (!spans->begins.sites.empty()) begins_ = numbers_of_spans(subject, spans->begins, spans->begin_key);
  if (!spans->ends.sites.empty()) ends_ = numbers_of_spans(subject, spans->ends, spans->end_key);
  std::vector<std::uint64_t> open;
  std::set_difference(begins_.begin(), begins_.end(), ends_.begin(), ends_.end(), std::back_inserter(open));
  if (open.empty()) return;
  const std::vector<SpanParent> parents = parents_of_spans(subject, *spans);
  // An end closes the innermost slice, so a slice without an end must not be within one that is drawn with its end. A
  // parent without any record may have been within such a span.
  const auto is_within_none = [&](std::uint64_t span) {
    for (std::size_t hops = 0; hops < kMostDepth; ++hops) {
      const auto found = std::lower_bound(parents.begin(), parents.end(), SpanParent{span, 0});
      if (found == parents.end() || found->first != span) return false;
      span = found->second;
      if (span == 0) return true;
      if (has_begin(span) && has_end(span)) return false;
    }
    return false;
  };
  std::copy_if(open.begin(), open.end(), std::back_inserter(open_), is_within_none);
}

// A process has its number until it ends, and then another one may have it: always so in containers. Sessions that were
// there at the same time are of one process; one that begins after the end of another may be of another process.
void TraceFrame::number_processes(const reader::LogSet& logs) {
  struct Whole {
    const format::SessionBlock* info = nullptr;
    query::TimeSpan span{INT64_MAX, INT64_MIN};
  };
  std::map<SessionKey, Whole> sessions;  // of all files that have a part of it
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      Whole& whole = sessions[key_of(session->info)];
      const bool any = session->min_clock <= session->max_clock;
      whole.info = &session->info;
      whole.span.first =
          std::min(whole.span.first, any ? session->clock.wall(session->min_clock) : session->info.start_wall);
      whole.span.last =
          std::max(whole.span.last, any ? session->clock.wall(session->max_clock) : session->info.start_wall);
    }
  }
  std::vector<const Whole*> in_order;
  for (const auto& [key, whole] : sessions) in_order.push_back(&whole);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Whole* a, const Whole* b) { return a->span.first < b->span.first; });
  struct Run {
    std::int64_t last = INT64_MIN;
    std::uint64_t number = 0;
  };
  std::map<std::tuple<std::string, std::uint32_t, std::string>, Run> runs;  // the latest, by host, number, program
  std::set<std::uint64_t> taken;
  std::uint64_t next = kNoProcess + 1;
  for (const Whole* whole : in_order) {
    const format::SessionBlock& info = *whole->info;
    const auto [run, added] = runs.try_emplace({info.host, info.pid, info.program});
    if (added || whole->span.first > run->second.last) {
      run->second.number = taken.insert(info.pid).second ? info.pid : next++;
    }
    run->second.last = std::max(run->second.last, whole->span.last);
    pids_.emplace(key_of(info), run->second.number);
  }
}

TraceFrame::SessionKey TraceFrame::key_of(const format::SessionBlock& session) {
  return {session.host, session.pid, session.program, session.session_id};
}

std::uint64_t TraceFrame::pid_of(const format::SessionBlock& session) const {
  const auto found = pids_.find(key_of(session));
  return found != pids_.end() ? found->second : session.pid;
}

bool TraceFrame::stays_open(std::uint64_t span) const {
  return std::binary_search(open_.begin(), open_.end(), span);
}

bool TraceFrame::has_begin(std::uint64_t span) const {
  return std::binary_search(begins_.begin(), begins_.end(), span);
}

bool TraceFrame::has_end(std::uint64_t span) const {
  return std::binary_search(ends_.begin(), ends_.end(), span);
}

void TraceFrame::append_time(std::int64_t ns, ByteBuffer& out) const {
  const text::Int128 since = text::Int128{ns} - start_;  // not negative, but where a file is damaged
  const auto size = static_cast<std::uint64_t>(since < 0 ? -since : since);
  const std::string rest = std::to_string(1000 + size % 1000);
  put(out, (since < 0 ? "-" : "") + std::to_string(size / 1000) + "." + rest.substr(1));
}

void TraceFrame::append_head(const reader::LogSet& logs, ByteBuffer& out) const {
  put(out,
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"start\":\"" + reader::iso_time(start_) + "\"},\"traceEvents\":[\n");
  std::set<std::uint64_t> named;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> threads;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      const format::SessionBlock& info = session->info;
      const std::uint64_t pid = pid_of(info);
      if (named.insert(pid).second) {
        append_name("process_name", pid, 0, info.program + " (" + std::to_string(info.pid) + " on " + info.host + ")",
                    out);
      }
      for (const reader::Thread& thread : session->dictionary.all_threads()) {
        threads[{pid, thread.info.tid}] = thread.display();
      }
    }
  }
  for (const auto& [of, name] : threads) append_name("thread_name", of.first, of.second, name, out);
}

// JSON has no comma after the last one, so the last event is one more about a process, which says nothing new.
void TraceFrame::append_tail(ByteBuffer& out) const {
  const std::string pid = std::to_string(pids_.empty() ? 0 : pids_.begin()->second);
  put(out,
      "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":" + pid + ",\"tid\":0,\"args\":{\"sort_index\":0}}\n]}\n");
}

std::unique_ptr<LineFormat> make_trace_format(std::shared_ptr<const TraceFrame> frame) {
  return std::make_unique<TraceFormat>(std::move(frame));
}

}  // namespace steno::cli
