#include "api/scribe_sinks.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "api/config_file.h"
#include "api/file_watch.h"
#include "api/log_paths.h"
#include "api/start_options.h"
#include "base/absolute_path.h"
#include "sink/sink_set.h"
#include "steno/session.h"

namespace steno::api {
namespace {

constexpr std::int64_t kCloseWaitNs = 2'000'000'000;
constexpr std::chrono::milliseconds kReleaseGap{5};
constexpr int kMostReleaseLooks = 400;  // at whether sessions have let go of sinks

Status bad(std::string what) {
  return {StatusCode::kInvalidArgument, std::move(what)};
}

// Refuses keys that only a program that logs understands.
Status check_keys(const std::string& path, const ConfigFile& file) {
  const auto refuse = [&](const std::string& key, const std::string& place) {
    return bad(path + place + ": '" + key +
               "' is an option of programs that log; an external scribe reads console, sinks and file_mode only");
  };
  if (file.level.has_value()) return refuse("level", "");
  if (!file.levels.empty()) return refuse("levels", "");
  for (const auto& [name, setting] : file.settings) {
    const std::string key = name.substr(0, name.find_first_of(".["));
    if (key == "console" || key == "sinks" || key == "file_mode") continue;
    return refuse(key, ':' + std::to_string(setting.line) + ':' + std::to_string(setting.column));
  }
  return {};
}

bool same_but_for_levels(const ConfigFile& a, const ConfigFile& b) {
  const auto others = [](const ConfigFile& file) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [name, setting] : file.settings) {
      if (!is_level_of_sink(name)) found.emplace_back(name, setting.value);
    }
    return found;
  };
  return others(a) == others(b);
}

}  // namespace

class ScribeSinks::Impl {
 public:
  explicit Impl(ScribeSinkOptions options) : options_(std::move(options)) {}
  ~Impl();
  Status open();
  std::shared_ptr<sink::SinkSet> current();

 private:
  // The current sinks of the options and the file.
  Status read(Options* read, ConfigFile* file) const;
  Status open_all(const Options& read);
  void read_again();
  void close(const std::shared_ptr<sink::SinkSet>& sinks) const;

  const ScribeSinkOptions options_;
  ConfigFile file_;
  std::mutex mutex_;  // of sinks_
  std::shared_ptr<sink::SinkSet> sinks_;
  std::unique_ptr<FileWatch> watch_;  // the last: its thread uses the others
};

Status ScribeSinks::Impl::read(Options* read, ConfigFile* file) const {
  for (const std::string& keys : options_.sinks) {
    const std::string name = "--sink " + keys;
    const auto taken = read_config_text(name, "sinks=[{" + keys + "}]", read);
    if (!taken.ok()) return taken.status();
  }
  if (!options_.config.empty()) {
    auto taken = read_config_file(options_.config, read);
    if (!taken.ok()) return taken.status();
    if (Status status = check_keys(options_.config, *taken); !status.ok()) return status;
    *file = std::move(taken).value();
  }
  if (read->console) read->sinks.insert(read->sinks.begin(), SinkOptions{.console = Console::kStderr});
  if (options_.console) read->sinks.insert(read->sinks.begin(), SinkOptions{.console = Console::kStdout});
  read->console = false;
  Status status = complete_sinks(read);
  for (const SinkOptions& sink : read->sinks) {
    if (!status.ok()) break;
    if (sink.when_full == WhenFull::kBlock) {
      status = bad("a sink: when_full is 'block', but an external scribe never waits for a sink");
    } else if (!sink.path.empty() &&
               std::find(options_.logs.begin(), options_.logs.end(), sink.path) != options_.logs.end()) {
      status = bad("a sink: " + sink.path + " is the binary log; choose another path");
    }
  }
  if (status.ok() || options_.config.empty()) return status;
  return file->located(options_.config, status);
}

Status ScribeSinks::Impl::open_all(const Options& read) {
  std::shared_ptr<sink::SinkSet> opened;
  if (!read.sinks.empty()) {
    if (Status status = make_directories(read); !status.ok()) return status;
    auto sinks = sink::SinkSet::open(read.sinks, read.file_mode, kCloseWaitNs);
    if (!sinks.ok()) return sinks.status();
    opened = std::move(sinks).value();
  }
  {
    const std::lock_guard lock(mutex_);
    sinks_.swap(opened);
  }
  if (opened != nullptr) close(opened);
  return {};
}

Status ScribeSinks::Impl::open() {
  Options now;
  if (Status status = read(&now, &file_); !status.ok()) return status;
  if (Status status = open_all(now); !status.ok()) return status;
  if (options_.config.empty()) return {};
  watch_ = std::make_unique<FileWatch>(options_.config, file_.stamp, [this] { read_again(); });
  if (Status status = watch_->start(); !status.ok()) options_.warn(status.message());
  return {};
}

ScribeSinks::Impl::~Impl() {
  watch_.reset();
  if (sinks_ != nullptr) close(sinks_);
}

std::shared_ptr<sink::SinkSet> ScribeSinks::Impl::current() {
  const std::lock_guard lock(mutex_);
  return sinks_;
}

// A wrong file changes nothing.
void ScribeSinks::Impl::read_again() {
  Options now;
  ConfigFile file;
  Status status = read(&now, &file);
  std::shared_ptr<sink::SinkSet> sinks = current();
  if (status.ok() && sinks != nullptr && same_but_for_levels(file_, file)) {
    for (std::size_t i = 0; i < sinks->sinks().size(); ++i) sinks->sinks()[i]->set_level(now.sinks[i].level);
  } else if (status.ok()) {
    sinks.reset();  // who closes them waits until nobody else has them
    status = open_all(now);
  }
  if (!status.ok()) return options_.warn(status.message() + "; the previous configuration stays in effect");
  file_ = std::move(file);
}

// Once sessions have let go of them, which they do at their next pass: what they have shown is written then.
void ScribeSinks::Impl::close(const std::shared_ptr<sink::SinkSet>& sinks) const {
  for (int i = 0; i < kMostReleaseLooks && sinks.use_count() > 1; ++i) std::this_thread::sleep_for(kReleaseGap);
  sinks->close();
  sinks->take_warnings(options_.warn);
}

ScribeSinks::ScribeSinks(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScribeSinks::~ScribeSinks() = default;

Result<std::unique_ptr<ScribeSinks>> ScribeSinks::open(ScribeSinkOptions options) {
  if (!options.config.empty()) options.config = absolute_path(options.config);
  auto impl = std::make_unique<Impl>(std::move(options));
  if (Status status = impl->open(); !status.ok()) return status;
  return std::unique_ptr<ScribeSinks>(new ScribeSinks(std::move(impl)));
}

std::shared_ptr<sink::SinkSet> ScribeSinks::current() {
  return impl_->current();
}

}  // namespace steno::api
