// Loggers (steno/quill.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "steno/detail/fmt_argument.h"
#include "steno/detail/statement.h"
#include "steno/log.h"
#include "steno/quill/mdc.h"
#include "steno/quill/options.h"
#include "steno/quill/sink.h"
#include "steno/session.h"

#include "steno/detail/begin.h"

namespace quill {
namespace detail {

// The sessions of loggers: one for each combination of sinks, pattern and the like, for as long as the process lives.
class Sessions {
 public:
  // The options that the loggers of a session have in common.
  struct Kind {
    std::vector<std::shared_ptr<Sink>> sinks;
    PatternFormatterOptions pattern;
    std::uint32_t backtrace = 0;  // records; 0: none
    LogLevel backtrace_trigger = LogLevel::None;
    bool drops = false;
    std::size_t ring_bytes = 0;  // 0: as steno has it

    bool operator<(const Kind& other) const {
      return std::tie(sinks, pattern, backtrace, backtrace_trigger, drops, ring_bytes) <
             std::tie(other.sinks, other.pattern, other.backtrace, other.backtrace_trigger, other.drops,
                      other.ring_bytes);
    }
  };

  // Never destroyed: loggers of static objects may log to the end. What is in the rings then is written all the same.
  static Sessions& instance() {
    static auto* const one = new Sessions;
    return *one;
  }

  // nullptr: it cannot be, which has been said, or goes nowhere.
  steno::Session* open(const Kind& kind) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [place, is_new] = sessions_.try_emplace(kind);
    if (!is_new) return place->second.get();
    steno::Options options;
    options.level = steno::Level::kTrace;
    for (const auto& sink : kind.sinks) sink->add_to(options, kind.pattern);
    if (options.sinks.empty() && options.path.empty()) return nullptr;
    if (kind.backtrace != 0) {
      options.recorder.below = steno::Level::kDebug;
      options.recorder.records = kind.backtrace;
      options.recorder.trigger = level_of(kind.backtrace_trigger);
    }
    if (kind.drops) options.when_full = steno::WhenFull::kDrop;
    if (kind.ring_bytes != 0) options.ring_bytes = kind.ring_bytes;
    if (!backend_.cpu_affinity.empty()) options.scribe_cpu = backend_.cpu_affinity.front();
    options.on_warning = backend_.error_notifier;
    options.crash_record = crash_record_;
    auto opened = steno::Session::open(options);
    if (!opened.ok()) {
      std::fprintf(stderr, "steno: %s\n", opened.status().message().c_str());
      return nullptr;
    }
    place->second = std::make_unique<steno::Session>(std::move(opened).value());
    return place->second.get();
  }

  // Rules sessions that begin after it.
  void set_backend(const BackendOptions& options, bool crash_record) {
    const std::lock_guard<std::mutex> lock(mutex_);
    backend_ = options;
    crash_record_ = crash_record;
  }
  void flush() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [kind, session] : sessions_) {
      if (session != nullptr) (void)session->flush();
    }
  }

 private:
  std::mutex mutex_;
  std::map<Kind, std::unique_ptr<steno::Session>> sessions_;
  BackendOptions backend_;
  bool crash_record_ = false;
};

// A record of a statement, if its format fits; else of one that is made when it is met.
template <class S, class... A>
void log_statement(steno::Logger logger, const A&... args) {
  using steno::detail::Bare;
  using Types = steno::detail::Signature<Bare<A>...>;
  constexpr steno::detail::StatementText kText = S::steno_text();
  constexpr steno::detail::Verdict kVerdict =
      steno::detail::brace_verdict_of<Bare<A>...>(kText, Types::kLetters.of, sizeof...(A));
  if constexpr (kVerdict.error == steno::detail::FormatError::kNone) {
    const std::uint64_t word = __atomic_load_n(&steno::detail::SiteWord<S>::word, __ATOMIC_RELAXED);
    if ((word & steno::detail::kDisabledBit) != 0 || !steno::detail::passes(logger, kText.level, word)) return;
    static_cast<void>(steno::detail::log<S>(steno::detail::LoggerSlot(*logger.state()), word, "", args...));
  } else {
    steno::detail::log_braces(logger, {kText.level, kText.file, kText.line, kText.function},
                              std::string_view(kText.format, kText.length), args...);
  }
}

// A value that a statement takes: what it does not take is text.
template <class T>
decltype(auto) loggable(const T& value) {
  if constexpr (steno::detail::is_typed_pointer<steno::detail::Bare<T>>()) {
    return static_cast<const void*>(value);
  } else {
    return steno::detail::as_argument(value);
  }
}

// Made by Frontend, and never destroyed.
class LoggerBase {
 public:
  LoggerBase(std::string name, Sessions::Kind kind) : name_(std::move(name)), kind_(std::move(kind)) {}
  LoggerBase(const LoggerBase&) = delete;
  LoggerBase& operator=(const LoggerBase&) = delete;

  const std::string& get_logger_name() const { return name_; }
  bool is_valid_logger() const { return is_valid_.load(std::memory_order_acquire); }
  void mark_invalid() { is_valid_.store(false, std::memory_order_release); }
  ClockSourceType get_clock_source_type() const { return ClockSourceType::Tsc; }
  const std::vector<std::shared_ptr<Sink>>& get_sinks() const { return kind_.sinks; }
  const Sessions::Kind& kind() const { return kind_; }

  void set_log_level(LogLevel level) {
    if (level == LogLevel::Backtrace) throw QuillError("LogLevel::Backtrace is set by init_backtrace()");
    level_.store(level, std::memory_order_relaxed);
  }
  LogLevel get_log_level() const { return level_.load(std::memory_order_relaxed); }
  bool should_log_statement(LogLevel level) const {
    return level == LogLevel::Backtrace ? kind_.backtrace != 0 : level >= get_log_level();
  }
  template <LogLevel kLevel>
  bool should_log_statement() const {
    return should_log_statement(kLevel);
  }

  // Flushed after each so many messages; 0: not so.
  void set_immediate_flush(std::uint32_t messages = 1) { flush_each_.store(messages, std::memory_order_relaxed); }
  // Returns when all that was logged before is with the sinks.
  void flush_log(std::uint32_t /*sleep_ns*/ = 100) {
    if (session_.load(std::memory_order_acquire) != nullptr) (void)session_.load(std::memory_order_relaxed)->flush();
  }
  // Before it logs first. Then its TRACE messages, and LOG_BACKTRACE's, wait for one of `flush_level` or above, the
  // last `messages` of them.
  void init_backtrace(std::uint32_t messages, LogLevel flush_level = LogLevel::None) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_open_.load(std::memory_order_relaxed)) throw QuillError("init_backtrace() comes before the first message");
    kind_.backtrace = messages;
    kind_.backtrace_trigger = flush_level;
  }
  // Fields that all messages of the calling thread have from now on, to whichever logger: names and values in turn.
  template <class... A>
  void set_mdc(const A&... names_and_values) {
    static_assert(sizeof...(A) != 0 && sizeof...(A) % 2 == 0, "steno: set_mdc() takes names and values in turn");
    Mdc::of_thread().set(names_and_values...);
  }
  template <class... Names>
  void erase_mdc(const Names&... names) {
    Mdc::of_thread().erase(names...);
  }
  void clear_mdc() { Mdc::of_thread().clear(); }
  void flush_backtrace() {
    if (session_.load(std::memory_order_acquire) != nullptr)
      (void)session_.load(std::memory_order_relaxed)->dump_recorder();
  }

  // A message of the statement S, whose level is enabled.
  template <class S, class Format, class... A>
  void write(const Format&, const A&... args) {
    if (!need_session()) return;
    log_statement<S>(steno_, loggable(args)...);
    flush_if_due();
  }
  template <class... A>
  void write_braces(const steno::Origin& origin, std::string_view format, const A&... args) {
    if (!need_session()) return;
    steno::detail::log_braces(steno_, origin, format, loggable(args)...);
    flush_if_due();
  }

 private:
  bool need_session() {
    if (!is_open_.load(std::memory_order_acquire)) open();
    return session_.load(std::memory_order_relaxed) != nullptr;
  }
  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_open_.load(std::memory_order_relaxed)) return;
    steno::Session* const session = Sessions::instance().open(kind_);
    if (session != nullptr) steno_ = session->logger(name_);
    session_.store(session, std::memory_order_release);
    is_open_.store(true, std::memory_order_release);
  }
  void flush_if_due() {
    const std::uint32_t each = flush_each_.load(std::memory_order_relaxed);
    if (each != 0 && (written_.fetch_add(1, std::memory_order_relaxed) + 1) % each == 0) flush_log();
  }

  const std::string name_;
  Sessions::Kind kind_;
  std::atomic<LogLevel> level_{LogLevel::Info};
  std::atomic<std::uint32_t> flush_each_{0};
  std::atomic<std::uint32_t> written_{0};
  std::atomic<bool> is_valid_{true};
  std::mutex mutex_;
  std::atomic<bool> is_open_{false};
  std::atomic<steno::Session*> session_{nullptr};
  steno::Logger steno_;
};

}  // namespace detail

template <class Options>
class LoggerImpl : public detail::LoggerBase {
 public:
  using frontend_options_t = Options;
  using detail::LoggerBase::LoggerBase;
};
using Logger = LoggerImpl<FrontendOptions>;

}  // namespace quill

#include "steno/detail/end.h"
