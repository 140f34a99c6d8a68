// The parts that sinks have in common (steno/spdlog.h): descriptions, which sessions of loggers are made with.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "steno/rotation.h"
#include "steno/session.h"
#include "steno/sink.h"
#include "steno/spdlog/common.h"
#include "steno/spdlog/pattern.h"

#include "steno/detail/begin.h"

namespace spdlog {

namespace sinks {

// Where lines go; a description, which the session of a logger is made with.
class sink {
 public:
  virtual ~sink() = default;
  // Called once, when a logger with this sink logs first.
  virtual void add_to(steno::Options& options, bool named) const = 0;

  void set_level(level::level_enum level) { level_ = level; }
  level::level_enum level() const { return level_; }
  bool should_log(level::level_enum level) const { return level >= level_; }
  void set_pattern(const std::string& pattern) { pattern_ = pattern; }
  void set_formatter(std::unique_ptr<spdlog::formatter> made) {
    if (const auto* by_pattern = dynamic_cast<const pattern_formatter*>(made.get())) pattern_ = by_pattern->pattern();
  }
  virtual void flush() {}

 protected:
  steno::SinkOptions line_options(bool named) const {
    steno::SinkOptions options;
    options.level = details::level_of(level_);
    options.pattern = details::pattern_of(pattern_.empty() ? details::global_pattern() : pattern_, named);
    options.local_time = true;
    return options;
  }

 private:
  level::level_enum level_ = level::trace;
  std::string pattern_;
};

// Made with a mutex type, which nothing here needs.
namespace described {

class console : public sink {
 public:
  console(steno::Console to, steno::Colour colour) : console_(to), colour_(colour) {}
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.console = console_;
    one.colour = colour_;
    options.sinks.push_back(std::move(one));
  }
  template <class Colour>
  void set_color(level::level_enum, Colour) {}
  void set_color_mode(color_mode mode) {
    colour_ = mode == color_mode::always  ? steno::Colour::kAlways
              : mode == color_mode::never ? steno::Colour::kNever
                                          : steno::Colour::kAuto;
  }

 private:
  steno::Console console_;
  steno::Colour colour_;
};

class file : public sink {
 public:
  explicit file(filename_t name, bool truncate) : name_(std::move(name)) {
    const std::filesystem::path directory = std::filesystem::path(name_).parent_path();
    std::error_code error;
    if (!directory.empty()) std::filesystem::create_directories(directory, error);
    std::FILE* const opened = std::fopen(name_.c_str(), truncate ? "wb" : "ab");
    if (opened == nullptr) throw_spdlog_ex("Failed opening file " + name_ + " for writing");
    std::fclose(opened);
  }
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.path = name_;
    one.rotation = rotation_;
    options.sinks.push_back(std::move(one));
  }
  const filename_t& filename() const { return name_; }

 protected:
  steno::Rotation rotation_;

 private:
  filename_t name_;
};

class callback : public sink {
 public:
  using Function = std::function<void(const details::log_msg&)>;
  explicit callback(Function function) : function_(std::move(function)) {}
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.pattern = "{message}";
    one.callback = [function = function_](const steno::Line& line) {
      details::log_msg message;
      message.logger_name = line.logger;
      message.level = details::level_of(line.level);
      message.time = log_clock::time_point(
          std::chrono::duration_cast<log_clock::duration>(std::chrono::nanoseconds(line.time_ns)));
      message.payload = line.text;
      function(message);
    };
    options.sinks.push_back(std::move(one));
  }

 private:
  Function function_;
};

}  // namespace described

}  // namespace sinks

}  // namespace spdlog

#include "steno/detail/end.h"
