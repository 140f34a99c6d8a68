// Records as events of a trace, in the JSON that Perfetto and the trace viewers of browsers open.
//
// Spans (spec/file.md §5) are slices of their thread, values are counters of their process, and all other records are
// instants. Times count from the second in which the selected time begins, in microseconds with three decimals: so for
// 101 days (2^43 microseconds) nanoseconds differ also in programs that hold numbers as floats.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "lines/line_format.h"
#include "output/lines_names.h"
#include "query/statistics/parts.h"
#include "reader/log_set.h"

namespace steno::cli {

// The events of all records share this. Immutable; thread-safe.
class TraceFrame {
 public:
  struct Options {
    std::vector<std::string> counters;  // names of arguments
    bool instants = true;               // records that are neither spans nor counters
  };

  // Looks for spans that lack their begin or their end among the records of `subject`.
  TraceFrame(const query::Subject& subject, Options options);

  const Options& options() const { return options_; }
  // The whole second in which what is selected begins, or before it: ns since 1970.
  std::int64_t start() const { return start_; }
  // The process of events that are of none: no process has this number.
  static constexpr std::uint64_t kNoProcess = std::uint64_t{1} << 22;
  // Numbers that no two processes share, whatever their hosts are, and whether or not the system gave both the same
  // number one after the other: that of the process, if it can be.
  std::uint64_t pid_of(const format::SessionBlock& session) const;
  bool has_begin(std::uint64_t span) const;
  bool has_end(std::uint64_t span) const;
  // For a span whose end is not there: whether it lasts until the trace ends, because no span around it has an end.
  bool stays_open(std::uint64_t span) const;
  // Damaged blocks are left out: they are reported by whoever prints.

  // The text before the events, and the one after them.
  void append_head(const reader::LogSet& logs, ByteBuffer& out) const;
  void append_tail(ByteBuffer& out) const;
  void append_time(std::int64_t ns, ByteBuffer& out) const;

 private:
  // Host, number of the process, program, session.
  using SessionKey = std::tuple<std::string, std::uint32_t, std::string, std::uint64_t>;
  static SessionKey key_of(const format::SessionBlock& session);
  void number_processes(const reader::LogSet& logs);

  Options options_;
  std::int64_t start_ = 0;
  std::map<SessionKey, std::uint64_t> pids_;
  std::vector<std::uint64_t> begins_;  // spans, sorted
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint64_t> open_;  // that stay open
};

// Each event ends with a comma and a line end; without what comes before and after all of them.
std::unique_ptr<LineFormat> make_trace_format(std::shared_ptr<const TraceFrame> frame);

}  // namespace steno::cli
