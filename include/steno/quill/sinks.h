// Where lines go (steno/quill.h): descriptions, which sessions of loggers are made with.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "steno/quill/options.h"
#include "steno/quill/sink.h"
#include "steno/session.h"
#include "steno/sink.h"

#include "steno/detail/begin.h"

namespace quill {

enum class FilenameAppendOption : std::uint8_t { None, StartDate, StartDateTime, StartCustomTimestampFormat };

class FileSinkConfig {
 public:
  void set_filename_append_option(FilenameAppendOption option, std::string_view format = {}) {
    append_ = option;
    append_format_ = format;
  }
  void set_timezone(Timezone zone) { zone_ = zone; }
  // 'w' empties the file that is there, anything else appends to it.
  void set_open_mode(char mode) { truncate_ = mode == 'w'; }
  void set_open_mode(std::string_view mode) { truncate_ = !mode.empty() && mode[0] == 'w'; }
  void set_override_pattern_formatter_options(const std::optional<PatternFormatterOptions>& options) {
    pattern_ = options;
  }
  // Taken, and not asked.
  void set_fsync_enabled(bool) {}
  void set_write_buffer_size(std::size_t) {}
  void set_minimum_fsync_interval(std::chrono::milliseconds) {}

  const std::optional<PatternFormatterOptions>& override_pattern_formatter_options() const { return pattern_; }
  Timezone timezone() const { return zone_; }

 private:
  friend class FileSink;
  FilenameAppendOption append_ = FilenameAppendOption::None;
  std::string append_format_;
  Timezone zone_ = Timezone::LocalTime;
  bool truncate_ = true;
  std::optional<PatternFormatterOptions> pattern_;
};

// Never called.
struct FileEventNotifier {
  std::function<void(const std::filesystem::path&)> before_open;
  std::function<void(const std::filesystem::path&, std::FILE*)> after_open;
  std::function<void(const std::filesystem::path&, std::FILE*)> before_close;
  std::function<void(const std::filesystem::path&)> after_close;
  std::function<std::string(std::string_view)> before_write;
};

// Throws QuillError if the file cannot be opened.
class FileSink : public Sink {
 public:
  explicit FileSink(const std::filesystem::path& name, const FileSinkConfig& config = {}, FileEventNotifier = {})
      : FileSink(Described{true}, name, config) {}
  void add_to(steno::Options& options, const PatternFormatterOptions& pattern) override {
    if (has_filters()) return Sink::add_to(options, pattern);
    options.sinks.push_back(file_options(pattern));
  }
  void write_log(const MacroMetadata*, std::uint64_t, std::string_view, std::string_view, const std::string&,
                 std::string_view, LogLevel, std::string_view, std::string_view,
                 const std::vector<std::pair<std::string, std::string>>*, std::string_view,
                 std::string_view line) override {
    if (file_ == nullptr) file_.reset(std::fopen(name_.c_str(), "ae"));
    if (file_ != nullptr) (void)std::fwrite(line.data(), 1, line.size(), file_.get());
  }
  void flush_sink() override {
    if (file_ != nullptr) (void)std::fflush(file_.get());
  }
  const std::filesystem::path& get_filename() const { return name_; }

 protected:
  FileSink(Described described, const std::filesystem::path& name, const FileSinkConfig& config)
      : Sink(described, config.pattern_), name_(made_name(name, config)) {
    std::error_code error;
    if (name_.has_parent_path()) std::filesystem::create_directories(name_.parent_path(), error);
    std::FILE* const opened = std::fopen(name_.c_str(), config.truncate_ ? "we" : "ae");
    if (opened == nullptr) throw QuillError("cannot open " + name_.string());
    std::fclose(opened);
  }
  steno::SinkOptions file_options(const PatternFormatterOptions& pattern) const {
    steno::SinkOptions options = line_options(pattern);
    options.path = name_.string();
    options.rotation = rotation_;
    return options;
  }
  steno::Rotation rotation_;

 private:
  static std::filesystem::path made_name(const std::filesystem::path& name, const FileSinkConfig& config) {
    if (config.append_ == FilenameAppendOption::None) return name;
    const char* const format = config.append_ == FilenameAppendOption::StartDate       ? "_%Y%m%d"
                               : config.append_ == FilenameAppendOption::StartDateTime ? "_%Y%m%d_%H%M%S"
                                                                                       : config.append_format_.c_str();
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    (void)(config.zone_ == Timezone::GmtTime ? gmtime_r(&now, &parts) : localtime_r(&now, &parts));
    char text[128];
    const std::size_t size = std::strftime(text, sizeof text, format, &parts);
    return name.parent_path() / (name.stem().string() + std::string(text, size) + name.extension().string());
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path name_;
  std::unique_ptr<std::FILE, Close> file_;  // where lines are filtered
};

class RotatingFileSinkConfig : public FileSinkConfig {
 public:
  enum class RotationNamingScheme : std::uint8_t { Index, Date, DateAndTime };

  void set_rotation_max_file_size(std::size_t bytes) { rotation_.max_bytes = bytes < 4096 ? 4096 : bytes; }
  // 'H' or 'M'. Moments are counted from midnight on, so an interval that does not divide the day, or hour, becomes the
  // next shorter one that does.
  void set_rotation_frequency_and_interval(char frequency, std::uint32_t interval) {
    const bool hours = frequency == 'H' || frequency == 'h';
    if (!hours && interval >= 60) return set_rotation_frequency_and_interval('H', interval / 60);
    if (hours && interval >= 24) return set_rotation_time_daily("00:00");
    while (interval > 1 && (hours ? 24 : 60) % interval != 0) --interval;
    rotation_.when = "every " + std::to_string(interval == 0 ? 1 : interval) + (hours ? "h" : "m");
  }
  // "HH:MM".
  void set_rotation_time_daily(const std::string& time) { rotation_.when = "daily " + time; }
  void set_rotation_naming_scheme(RotationNamingScheme scheme) {
    rotation_.name = scheme == RotationNamingScheme::Index  ? "{stem}.{n}{ext}"
                     : scheme == RotationNamingScheme::Date ? "{stem}.{date}{ext}"
                                                            : "{stem}.{time}{ext}";
  }
  void set_max_backup_files(std::uint32_t files) { rotation_.keep = files; }
  void set_rotation_on_creation(bool value) { rotation_.on_start = value; }
  // Taken, and not asked: the oldest go.
  void set_overwrite_rolled_files(bool) {}
  void set_remove_old_files(bool) {}

 private:
  friend class RotatingFileSink;
  static steno::Rotation numbered() {
    steno::Rotation rotation;
    rotation.name = "{stem}.{n}{ext}";
    return rotation;
  }
  steno::Rotation rotation_ = numbered();
};

class RotatingFileSink : public FileSink {
 public:
  explicit RotatingFileSink(const std::filesystem::path& name, const RotatingFileSinkConfig& config = {},
                            FileEventNotifier = {})
      : FileSink(Described(), name, config) {
    rotation_ = config.rotation_;
    rotation_.local_time = config.timezone() == Timezone::LocalTime;
  }
};

// JSON as of `steno cat --format json`.
class JsonFileSink : public FileSink {
 public:
  explicit JsonFileSink(const std::filesystem::path& name, const FileSinkConfig& config = {}, FileEventNotifier = {})
      : FileSink(Described(), name, config) {}
  void add_to(steno::Options& options, const PatternFormatterOptions& pattern) override {
    options.sinks.push_back(as_json(file_options(pattern)));
  }
};
class RotatingJsonFileSink : public RotatingFileSink {
 public:
  using RotatingFileSink::RotatingFileSink;
  void add_to(steno::Options& options, const PatternFormatterOptions& pattern) override {
    options.sinks.push_back(as_json(file_options(pattern)));
  }
};

class ConsoleSinkConfig {
 public:
  enum class ColourMode : std::uint8_t { Always, Automatic, Never };
  // Colours are steno's.
  class Colours {
   public:
    void apply_default_colours() {}
    void assign_colour_to_log_level(LogLevel, std::string_view) {}
    void set_default_colours() {}
  };

  void set_colours(const Colours&) {}
  void set_colour_mode(ColourMode mode) { mode_ = mode; }
  void set_stream(const std::string& stream) { stream_ = stream; }
  void set_override_pattern_formatter_options(const std::optional<PatternFormatterOptions>& options) {
    pattern_ = options;
  }

 private:
  friend class ConsoleSink;
  ColourMode mode_ = ColourMode::Automatic;
  std::string stream_ = "stdout";
  std::optional<PatternFormatterOptions> pattern_;
};

class ConsoleSink : public Sink {
 public:
  explicit ConsoleSink(const ConsoleSinkConfig& config = {}) : ConsoleSink(Described{true}, config) {}
  void add_to(steno::Options& options, const PatternFormatterOptions& pattern) override {
    if (has_filters()) return Sink::add_to(options, pattern);
    options.sinks.push_back(console_options(pattern));
  }

  void write_log(const MacroMetadata*, std::uint64_t, std::string_view, std::string_view, const std::string&,
                 std::string_view, LogLevel, std::string_view, std::string_view,
                 const std::vector<std::pair<std::string, std::string>>*, std::string_view,
                 std::string_view line) override {
    (void)std::fwrite(line.data(), 1, line.size(), config_.stream_ == "stderr" ? stderr : stdout);
  }
  void flush_sink() override { (void)std::fflush(config_.stream_ == "stderr" ? stderr : stdout); }

 protected:
  ConsoleSink(Described described, const ConsoleSinkConfig& config)
      : Sink(described, config.pattern_), config_(config) {}
  steno::SinkOptions console_options(const PatternFormatterOptions& pattern) const {
    steno::SinkOptions options = line_options(pattern);
    options.console = config_.stream_ == "stderr" ? steno::Console::kStderr : steno::Console::kStdout;
    options.colour = config_.mode_ == ConsoleSinkConfig::ColourMode::Always  ? steno::Colour::kAlways
                     : config_.mode_ == ConsoleSinkConfig::ColourMode::Never ? steno::Colour::kNever
                                                                             : steno::Colour::kAuto;
    return options;
  }

 private:
  ConsoleSinkConfig config_;
};
class JsonConsoleSink : public ConsoleSink {
 public:
  explicit JsonConsoleSink(const ConsoleSinkConfig& config = {}) : ConsoleSink(Described(), config) {}
  void add_to(steno::Options& options, const PatternFormatterOptions& pattern) override {
    options.sinks.push_back(as_json(console_options(pattern)));
  }
};

class NullSink : public Sink {
 public:
  NullSink() : Sink(Described(), {}) {}
  void add_to(steno::Options&, const PatternFormatterOptions&) override {}
};

class SyslogSinkConfig {
 public:
  void set_identifier(const std::string& identifier) { identifier_ = identifier; }
  // LOG_USER and so on of <syslog.h>.
  void set_facility(int facility) { facility_ = facility; }
  // Taken, and not asked.
  void set_options(int) {}
  void set_format_message(bool) {}

 private:
  friend class SyslogSink;
  std::string identifier_;
  int facility_ = 1 << 3;
};
class SyslogSink : public Sink {
 public:
  explicit SyslogSink(SyslogSinkConfig config = {}) : Sink(Described(), {}), config_(std::move(config)) {}
  void add_to(steno::Options& options, const PatternFormatterOptions& pattern) override {
    steno::SinkOptions one = line_options(pattern);
    one.pattern.clear();
    one.syslog.address = "local";
    one.syslog.app_name = config_.identifier_;
    one.syslog.facility = static_cast<steno::Facility>(config_.facility_ >> 3);
    options.sinks.push_back(std::move(one));
  }

 private:
  SyslogSinkConfig config_;
};

// steno's own: the log as a file that `steno` reads. A logger has one at most.
class StenoSink : public Sink {
 public:
  explicit StenoSink(std::string path) : Sink(Described(), {}), path_(std::move(path)) {}
  void add_to(steno::Options& options, const PatternFormatterOptions&) override { options.path = path_; }

 private:
  std::string path_;
};

}  // namespace quill

#include "steno/detail/end.h"
