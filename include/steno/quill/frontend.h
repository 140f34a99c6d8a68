// Frontend, Backend, and the quick way to both (steno/quill.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "steno/quill/logger.h"
#include "steno/quill/options.h"
#include "steno/quill/sink.h"
#include "steno/quill/sinks.h"

#include "steno/detail/begin.h"

namespace quill {

class UserClockSource {
 public:
  virtual ~UserClockSource() = default;
  virtual std::uint64_t now() const = 0;
};

namespace detail {

// Loggers and sinks by name.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<LoggerBase>> loggers;
  std::vector<std::unique_ptr<LoggerBase>> removed;  // somebody may have a pointer still
  std::map<std::string, std::weak_ptr<Sink>> sinks;
  std::map<std::string, std::thread::id> in_making;  // names of sinks that are being made, and who makes them
  std::condition_variable is_made;

  // The sink of that name, or what `make` returns, which is called without the lock: constructors may ask for other
  // sinks and for loggers. One thread makes a sink, others that want it wait.
  template <class Make>
  std::shared_ptr<Sink> find_or_make(const std::string& name, bool may_be_there, const Make& make) {
    std::unique_lock<std::mutex> lock(mutex);
    if (const auto making = in_making.find(name);
        making != in_making.end() && making->second == std::this_thread::get_id())
      throw QuillError("the sink \"" + name + "\" asks for itself while it is made");
    is_made.wait(lock, [&] { return in_making.count(name) == 0; });
    if (auto known = sinks[name].lock()) {
      if (!may_be_there) throw QuillError("there is a sink \"" + name + "\" already");
      return known;
    }
    in_making[name] = std::this_thread::get_id();
    lock.unlock();
    std::shared_ptr<Sink> made;
    try {
      made = make();
    } catch (...) {
      lock.lock();
      in_making.erase(name);
      is_made.notify_all();
      throw;
    }
    lock.lock();
    sinks[name] = made;
    in_making.erase(name);
    is_made.notify_all();
    return made;
  }

  // Never destroyed, as loggers are not.
  static Registry& instance() {
    static auto* const one = new Registry;
    return *one;
  }
};

}  // namespace detail

// Thread-safe. What names nothing is nullptr, or QuillError where Quill throws.
template <class Options>
class FrontendImpl {
 public:
  using logger_t = LoggerImpl<Options>;

  // Rings are made when a thread logs first, and grow and shrink by themselves.
  static void preallocate() {}
  static void shrink_thread_local_queue(std::size_t) {}
  static std::size_t get_thread_local_queue_capacity() { return Options::initial_queue_capacity; }

  // Files have the name of their sink.
  template <class T, class... Args>
  static std::shared_ptr<Sink> create_or_get_sink(const std::string& name, Args&&... args) {
    return detail::Registry::instance().find_or_make(name, true,
                                                     [&] { return make_sink<T>(name, std::forward<Args>(args)...); });
  }
  template <class T, class... Args>
  static std::shared_ptr<Sink> create_sink(const std::string& name, Args&&... args) {
    return detail::Registry::instance().find_or_make(name, false,
                                                     [&] { return make_sink<T>(name, std::forward<Args>(args)...); });
  }
  static std::shared_ptr<Sink> get_sink(const std::string& name) {
    detail::Registry& all = detail::Registry::instance();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.sinks.find(name);
    auto sink = found != all.sinks.end() ? found->second.lock() : nullptr;
    if (sink == nullptr) throw QuillError("there is no sink \"" + name + '"');
    return sink;
  }

  static logger_t* create_or_get_logger(const std::string& name, std::vector<std::shared_ptr<Sink>> sinks,
                                        const PatternFormatterOptions& pattern = PatternFormatterOptions(),
                                        ClockSourceType = ClockSourceType::Tsc, UserClockSource* = nullptr) {
    return add(name, {std::move(sinks), pattern}, true);
  }
  static logger_t* create_or_get_logger(const std::string& name, std::initializer_list<std::shared_ptr<Sink>> sinks,
                                        const PatternFormatterOptions& pattern = PatternFormatterOptions(),
                                        ClockSourceType = ClockSourceType::Tsc, UserClockSource* = nullptr) {
    return add(name, {sinks, pattern}, true);
  }
  static logger_t* create_or_get_logger(const std::string& name, std::shared_ptr<Sink> sink,
                                        const PatternFormatterOptions& pattern = PatternFormatterOptions(),
                                        ClockSourceType = ClockSourceType::Tsc, UserClockSource* = nullptr) {
    return add(name, {{std::move(sink)}, pattern}, true);
  }
  // With the sinks and the pattern of another one.
  static logger_t* create_or_get_logger(const std::string& name, detail::LoggerBase* source = nullptr) {
    if (logger_t* const known = get_logger(name)) return known;
    if (source == nullptr) throw QuillError("there is no logger \"" + name + "\" yet, nor one to make it like");
    return add(name, source->kind(), true);
  }
  static logger_t* create_logger(const std::string& name, std::vector<std::shared_ptr<Sink>> sinks,
                                 const PatternFormatterOptions& pattern = PatternFormatterOptions(),
                                 ClockSourceType = ClockSourceType::Tsc, UserClockSource* = nullptr) {
    return add(name, {std::move(sinks), pattern}, false);
  }
  static logger_t* create_logger(const std::string& name, std::shared_ptr<Sink> sink,
                                 const PatternFormatterOptions& pattern = PatternFormatterOptions(),
                                 ClockSourceType = ClockSourceType::Tsc, UserClockSource* = nullptr) {
    return add(name, {{std::move(sink)}, pattern}, false);
  }

  // It is not to be used any more, and what it logged is with its sinks.
  static void remove_logger(detail::LoggerBase* logger) {
    if (logger == nullptr) return;
    logger->flush_log();
    logger->mark_invalid();
    detail::Registry& all = detail::Registry::instance();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.loggers.find(logger->get_logger_name());
    if (found == all.loggers.end() || found->second.get() != logger) return;
    all.removed.push_back(std::move(found->second));
    all.loggers.erase(found);
  }
  static void remove_logger_blocking(logger_t* logger, std::uint32_t /*sleep_ns*/ = 100) { remove_logger(logger); }

  static logger_t* get_logger(const std::string& name) {
    detail::Registry& all = detail::Registry::instance();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.loggers.find(name);
    return found != all.loggers.end() ? static_cast<logger_t*>(found->second.get()) : nullptr;
  }
  static std::vector<logger_t*> get_all_loggers() {
    detail::Registry& all = detail::Registry::instance();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::vector<logger_t*> loggers;
    for (const auto& [name, logger] : all.loggers) loggers.push_back(static_cast<logger_t*>(logger.get()));
    return loggers;
  }
  static logger_t* get_valid_logger() {
    const auto all = get_all_loggers();
    return all.empty() ? nullptr : all.front();
  }
  static std::size_t get_number_of_loggers() { return get_all_loggers().size(); }

 private:
  template <class T, class... Args>
  static std::shared_ptr<Sink> make_sink([[maybe_unused]] const std::string& name, Args&&... args) {
    if constexpr (std::is_base_of_v<FileSink, T> || std::is_same_v<StenoSink, T>) {
      return std::make_shared<T>(name, std::forward<Args>(args)...);
    } else {
      return std::make_shared<T>(std::forward<Args>(args)...);
    }
  }
  static logger_t* add(const std::string& name, detail::Sessions::Kind kind, bool may_be_there) {
    constexpr bool kBounded =
        Options::queue_type == QueueType::BoundedBlocking || Options::queue_type == QueueType::BoundedDropping;
    kind.drops =
        Options::queue_type == QueueType::UnboundedDropping || Options::queue_type == QueueType::BoundedDropping;
    kind.ring_bytes = kBounded ? Options::initial_queue_capacity : 0;
    detail::Registry& all = detail::Registry::instance();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (const auto found = all.loggers.find(name); found != all.loggers.end()) {
      if (!may_be_there) throw QuillError("there is a logger \"" + name + "\" already");
      return static_cast<logger_t*>(found->second.get());
    }
    return static_cast<logger_t*>(
        all.loggers.emplace(name, std::make_unique<logger_t>(name, std::move(kind))).first->second.get());
  }
};
using Frontend = FrontendImpl<FrontendOptions>;

// The threads of steno's sessions, which loggers start by themselves: options are for sessions that begin after
// start().
class Backend {
 public:
  static void start(const BackendOptions& options = {}) {
    detail::Sessions::instance().set_backend(options, false);
    is_running_ = true;
  }
  template <class Frontend>
  static void start(const BackendOptions& options, const SignalHandlerOptions&) {
    detail::Sessions::instance().set_backend(options, true);
    is_running_ = true;
  }
  template <class Frontend>
  static void start_with_signal_handler(const BackendOptions& options = {}, const SignalHandlerOptions& of = {}) {
    start<Frontend>(options, of);
  }
  // Returns when everything logged before is with the sinks. Messages after it are written too.
  static void stop() {
    detail::Sessions::instance().flush();
    is_running_ = false;
  }
  static void notify() {}
  static bool is_running() { return is_running_; }

 private:
  static inline std::atomic<bool> is_running_{false};
};

// A logger that goes to "stdout", "stderr", or the file of that name.
inline Logger* simple_logger(const std::string& output = "stdout") {
  if (!Backend::is_running()) Backend::start();
  if (output != "stdout" && output != "stderr")
    return Frontend::create_or_get_logger(output, Frontend::create_or_get_sink<FileSink>(output));
  ConsoleSinkConfig config;
  config.set_stream(output);
  return Frontend::create_or_get_logger(output, Frontend::create_or_get_sink<ConsoleSink>(output, config));
}
inline Logger* simple_logger_with_signal_handler(const std::string& output = "stdout",
                                                 const SignalHandlerOptions& options = {}) {
  if (!Backend::is_running()) Backend::start<FrontendOptions>({}, options);
  return simple_logger(output);
}

}  // namespace quill

#include "steno/detail/end.h"
