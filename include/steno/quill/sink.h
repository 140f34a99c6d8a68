// The parts that sinks have in common, and sinks of the program's own (steno/quill.h).
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steno/quill/options.h"
#include "steno/session.h"
#include "steno/sink.h"

#include "steno/detail/begin.h"

namespace quill {

// A statement, as sinks of the program's own see it.
class MacroMetadata {
 public:
  const char* source_location() const { return source_location_.c_str(); }
  const char* full_path() const { return file_.c_str(); }
  const char* file_name() const { return file_.c_str() + base(); }
  const char* short_source_location() const { return source_location_.c_str() + base(); }
  const char* line() const { return line_.c_str(); }
  const char* caller_function() const { return function_.c_str(); }
  const char* message_format() const { return format_.c_str(); }
  const char* tags() const { return nullptr; }
  LogLevel log_level() const { return level_; }

 private:
  friend class Sink;
  std::size_t base() const {
    const std::size_t slash = file_.rfind('/');
    return slash != std::string::npos ? slash + 1 : 0;
  }

  std::string source_location_;
  std::string file_;
  std::string line_;
  std::string function_;
  std::string format_;
  LogLevel level_ = LogLevel::None;
};

// For sinks of the program's own: false leaves a message out. Called by a thread of the sink's session.
class Filter {
 public:
  explicit Filter(std::string name) : name_(std::move(name)) {}
  virtual ~Filter() = default;
  virtual bool filter(const MacroMetadata* statement, std::uint64_t time_ns, std::string_view thread_id,
                      std::string_view thread_name, std::string_view logger_name, LogLevel level,
                      std::string_view message, std::string_view line) noexcept = 0;
  const std::string& get_filter_name() const { return name_; }

 private:
  std::string name_;
};

namespace detail {

// Quill's pattern as steno's.
inline std::string pattern_of(const std::string& pattern) {
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"time", "{time}"},
      {"message", "{message}"},
      {"logger", "{logger}"},
      {"log_level", "{level}"},
      {"log_level_short_code", "{level_code}"},
      {"mdc", "{context}"},
      {"thread_id", "{tid}"},
      {"thread_name", "{thread}"},
      {"process_id", "{pid}"},
      {"file_name", "{basename}"},
      {"full_path", "{file}"},
      {"line_number", "{line}"},
      {"caller_function", "{function}"},
      {"source_location", "{file}:{line}"},
      {"short_source_location", "{basename}:{line}"},
  };
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t end = pattern.compare(i, 2, "%(") == 0 ? pattern.find(')', i) : std::string::npos;
    if (end == std::string::npos) {
      out += pattern[i];
      if (pattern[i] == '{' || pattern[i] == '}') out += pattern[i];
      continue;
    }
    const std::string_view inner = std::string_view(pattern).substr(i + 2, end - i - 2);
    const std::string_view name = inner.substr(0, inner.find(':'));
    for (const auto& [known, field] : kFields) {
      if (known == name) out += field;
    }
    i = end;
  }
  return out;
}

}  // namespace detail

// One of the program's own derives from it, and has write_log() and flush_sink(), which a thread of its session's
// calls, the latter whenever it has written what came.
class Sink {
 public:
  virtual ~Sink() = default;

  // `line` is what the pattern makes of the message, and a line end. `named_args` is null.
  virtual void write_log(const MacroMetadata* /*statement*/, std::uint64_t /*time_ns*/, std::string_view /*thread_id*/,
                         std::string_view /*thread_name*/, const std::string& /*process_id*/,
                         std::string_view /*logger_name*/, LogLevel /*level*/, std::string_view /*level_name*/,
                         std::string_view /*level_code*/,
                         const std::vector<std::pair<std::string, std::string>>* /*named_args*/,
                         std::string_view /*message*/, std::string_view /*line*/) {}
  virtual void flush_sink() {}
  virtual void run_periodic_tasks() {}

  // Before a logger with this sink logs first.
  void set_log_level_filter(LogLevel level) { level_ = level; }
  LogLevel get_log_level_filter() const { return level_; }
  // Before a logger with this sink logs first. Throws QuillError for those that rotate, write JSON, or have no lines.
  void add_filter(std::unique_ptr<Filter> filter) {
    if (!takes_filters_) throw QuillError("steno: a sink that takes no filters");
    filters_.push_back(std::move(filter));
  }

  // Called once for each session that lines come from, when one of its loggers logs first.
  virtual void add_to(steno::Options& options, const PatternFormatterOptions& of_logger) {
    steno::SinkOptions one = line_options(of_logger);
    one.pattern = std::string(kFacts) + one.pattern;
    one.sink = std::make_shared<Lines>(*this);
    options.sinks.push_back(std::move(one));
  }

 protected:
  explicit Sink(std::optional<PatternFormatterOptions> override_pattern_formatter_options = {})
      : pattern_(std::move(override_pattern_formatter_options)) {}
  // One of steno's, which add_to() describes. `takes_filters`: where it has some, it writes lines by write_log().
  struct Described {
    bool takes_filters = false;
  };
  Sink(Described described, std::optional<PatternFormatterOptions> pattern)
      : pattern_(std::move(pattern)), takes_filters_(described.takes_filters) {}
  bool has_filters() const { return !filters_.empty(); }

  steno::SinkOptions line_options(const PatternFormatterOptions& of_logger) const {
    const PatternFormatterOptions& pattern = pattern_ ? *pattern_ : of_logger;
    steno::SinkOptions options;
    options.level = detail::level_of(level_);
    options.pattern = detail::pattern_of(pattern.format_pattern);
    options.local_time = pattern.timestamp_timezone == Timezone::LocalTime;
    return options;
  }
  static steno::SinkOptions as_json(steno::SinkOptions options) {
    options.pattern.clear();
    options.format = steno::LineFormat::kJson;
    return options;
  }

 private:
  // The facts that go before the line of the pattern, each ended by a character that no text has: texts are escaped.
  static constexpr char kEnd = '\x1f';
  static constexpr std::string_view kFacts =
      "{tid}\x1f{thread}\x1f{file}\x1f{line}\x1f{function}\x1f{format}\x1f{message}\x1f";
  static constexpr std::size_t kFactCount = 7;

  class Lines : public steno::Sink {
   public:
    explicit Lines(quill::Sink& sink) : sink_(sink) {}  // it lives as long as the process
    bool write(const steno::Line* lines, std::size_t count) override {
      for (std::size_t i = 0; i < count; ++i) sink_.take(lines[i]);
      sink_.flush_sink();
      sink_.run_periodic_tasks();
      return true;
    }
    void flush() override { sink_.flush_sink(); }

   private:
    quill::Sink& sink_;
  };

  void take(const steno::Line& line) {
    std::array<std::string_view, kFactCount> facts;
    std::string_view text = line.text;
    for (std::string_view& fact : facts) {
      const std::size_t end = text.find(kEnd);
      if (end == std::string_view::npos) return;
      fact = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
    const LogLevel level = detail::level_of(line.level);
    MacroMetadata statement;
    statement.file_ = facts[2];
    statement.line_ = facts[3];
    statement.source_location_ = statement.file_ + ':' + statement.line_;
    statement.function_ = facts[4];
    statement.format_ = facts[5];
    statement.level_ = level;
    const auto time = static_cast<std::uint64_t>(line.time_ns);
    const std::string whole = std::string(text) + '\n';
    for (const auto& one : filters_) {
      if (!one->filter(&statement, time, facts[0], facts[1], line.logger, level, facts[6], whole)) return;
    }
    const detail::LevelName& name = detail::kLevelNames[static_cast<std::size_t>(level)];
    write_log(&statement, time, facts[0], facts[1], std::to_string(::getpid()), line.logger, level, name.name,
              name.code, nullptr, facts[6], whole);
  }

  std::optional<PatternFormatterOptions> pattern_;
  std::vector<std::unique_ptr<Filter>> filters_;
  LogLevel level_ = LogLevel::TraceL3;
  bool takes_filters_ = true;
};

}  // namespace quill

#include "steno/detail/end.h"
