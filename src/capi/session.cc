// Sessions, options, loggers and levels of the C API, over those of C++.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "capi/code.h"
#include "steno/c.h"
#include "steno/logf.h"
#include "steno/session.h"

struct steno_session {
  steno::Session session;
};

namespace steno::capi {
namespace {

using std::chrono::milliseconds;

steno_options defaults() {
  const Options options;
  steno_options c{};
  c.size = sizeof c;
  c.level = static_cast<steno_level>(options.level);
  c.ring_bytes = options.ring_bytes;
  c.staging_limit = options.staging_limit;
  std::fill(std::begin(c.drop_when_full_at), std::end(c.drop_when_full_at), static_cast<signed char>(-1));
  c.block_at_most_ms = options.block_at_most.count();
  c.flush_interval_ms = options.flush_interval.count();
  c.flush_level = static_cast<steno_level>(options.flush_level);
  c.sync_level = static_cast<steno_level>(options.sync_level);
  c.sync_interval_ms = options.sync_interval.count();
  c.scribe_cpu = options.scribe_cpu;
  c.file_mode = options.file_mode;
  c.recorder_trigger = static_cast<steno_level>(options.recorder.trigger);
  return c;
}

// A C program may store any number in an enum, which C++ must not read as one.
bool is_level(const steno_level& given) {
  int level = 0;
  static_assert(sizeof(level) == sizeof(given));
  std::memcpy(&level, &given, sizeof(level));
  return level >= 0 && level <= static_cast<int>(kLevelOff);
}

Status translate(const char* path, const steno_options* given, Options* options) {
  steno_options c = defaults();
  if (Status status = read_options(given, &c, "STENO_OPTIONS"); !status.ok()) return status;
  if (!is_level(c.level) || !is_level(c.flush_level) || !is_level(c.sync_level)) {
    return {StatusCode::kInvalidArgument, "a level must be 0 (TRACE) to 7 (OFF)"};
  }
  if (c.clock < STENO_CLOCK_BEST || c.clock > STENO_CLOCK_USER) {
    return {StatusCode::kInvalidArgument, "clock is not a value of enum steno_clock"};
  }
  if (c.sync < STENO_SYNC_NEVER || c.sync > STENO_SYNC_INTERVAL) {
    return {StatusCode::kInvalidArgument, "sync is not a value of enum steno_sync"};
  }
  if (c.console < STENO_CONSOLE_NONE || c.console > STENO_CONSOLE_STDOUT) {
    return {StatusCode::kInvalidArgument, "console is not a value of enum steno_console"};
  }
  if (c.scribe_wait < STENO_SCRIBE_BLOCKS || c.scribe_wait > STENO_SCRIBE_SPINS) {
    return {StatusCode::kInvalidArgument, "scribe_wait is not a value of enum steno_scribe_wait"};
  }
  if (!is_level(c.recorder_below) || !is_level(c.recorder_trigger)) {
    return {StatusCode::kInvalidArgument, "a level must be 0 (TRACE) to 7 (OFF)"};
  }
  if (c.console != STENO_CONSOLE_NONE) options->sinks.push_back({.console = static_cast<Console>(c.console)});
  if (path == nullptr) path = c.path;
  if (path != nullptr) options->path = path;
  options->level = static_cast<Level>(c.level);
  options->ring_bytes = c.ring_bytes;
  if (c.staging_limit != 0) options->staging_limit = c.staging_limit;
  options->when_full = c.drop_when_full ? WhenFull::kDrop : WhenFull::kBlock;
  for (int level = 0; level < kLevelCount; ++level) {
    if (c.drop_when_full_at[level] < 0) continue;
    options->when_full_at[static_cast<Level>(level)] =
        c.drop_when_full_at[level] != 0 ? WhenFull::kDrop : WhenFull::kBlock;
  }
  options->block_at_most = c.block_at_most_ms == -1 ? kForever : milliseconds(c.block_at_most_ms);
  options->clock = static_cast<Clock>(c.clock);
  options->user_clock = c.user_clock;
  options->flush_interval = milliseconds(c.flush_interval_ms);
  options->flush_level = static_cast<Level>(c.flush_level);
  options->sync = static_cast<Sync>(c.sync);
  options->sync_level = static_cast<Level>(c.sync_level);
  options->sync_interval = milliseconds(c.sync_interval_ms);
  options->zstd_level = c.zstd_level;
  options->scribe_thread = !c.no_scribe_thread;
  options->scribe_cpu = c.scribe_cpu;
  options->scribe_nice = c.scribe_nice;
  options->scribe_wait = static_cast<ScribeWait>(c.scribe_wait);
  options->recorder.below = static_cast<Level>(c.recorder_below);
  if (c.recorder_bytes != 0) options->recorder.bytes = c.recorder_bytes;
  options->recorder.trigger = static_cast<Level>(c.recorder_trigger);
  options->recorder.records = c.recorder_records;
  options->recorder.time = milliseconds(c.recorder_time_ms);
  if (c.staging_directory != nullptr) options->staging_directory = c.staging_directory;
  options->file_mode = c.file_mode;
  options->keep_up = !c.do_not_keep_up;
  if (c.levels != nullptr) options->levels = c.levels;
  options->rotation.max_bytes = c.rotate_bytes;
  if (c.rotate_when != nullptr) options->rotation.when = c.rotate_when;
  options->rotation.local_time = c.rotate_local_time;
  options->rotation.on_start = c.rotate_on_start;
  if (c.rotate_name != nullptr) options->rotation.name = c.rotate_name;
  options->rotation.keep = c.rotate_keep;
  options->rotation.keep_for = std::chrono::seconds(c.rotate_keep_for_s);
  options->rotation.keep_bytes = c.rotate_keep_bytes;
  if (c.config != nullptr) options->config = c.config;
  if (c.external_scribe) options->scribe = Scribe::kExternal;
  options->stop_waits = !c.stop_does_not_wait;
  options->crash_record = c.crash_record;
  if (c.on_warning != nullptr) {
    options->on_warning = [hear = c.on_warning, context = c.warning_context](const std::string& text) {
      hear(context, text.c_str());
    };
  }
  return {};
}

Status start(const char* path, const steno_options* given) {
  Options options;
  if (Status status = translate(path, given, &options); !status.ok()) return status;
  return try_start(std::move(options));
}

void copy(const Stats& stats, steno_stats* out, std::size_t size) {
  const steno_stats c = {stats.records,
                         stats.bytes,
                         stats.blocks,
                         stats.dropped,
                         stats.scribe_cpu_ns,
                         stats.quick_blocks,
                         stats.staging_bytes,
                         stats.stalls,
                         stats.longest_stall_ns,
                         stats.backlog_bytes,
                         stats.most_backlog_bytes,
                         stats.lag_ns,
                         stats.longest_lag_ns,
                         stats.discarded};
  hand_out(c, out, size);
}

steno_logger* handle_of(Logger logger) {
  return reinterpret_cast<steno_logger*>(const_cast<detail::LoggerState*>(logger.state()));
}

Logger logger_of(const steno_logger* logger) {
  return Logger(const_cast<steno_logger*>(logger));
}

}  // namespace
}  // namespace steno::capi

using namespace steno::capi;

extern "C" {

void steno_options_init(steno_options* options, size_t size) {
  options_init(defaults(), options, size);
}

steno_code steno_start(const char* path, const steno_options* options) {
  steno_error error;
  const steno_code code = steno_try_start(path, options, &error);
  if (code != STENO_OK) fprintf(stderr, "steno: not logging: %s\n", error.text);
  return code;
}

steno_code steno_try_start(const char* path, const steno_options* options, steno_error* error) {
  return guarded(error, [&] { return start(path, options); });
}

steno_code steno_flush(steno_error* error) {
  return guarded(error, [] { return steno::Status(steno::flush()); });
}

steno_code steno_dump_recorder(steno_error* error) {
  return guarded(error, [] { return steno::Status(steno::dump_recorder()); });
}

steno_code steno_rotate(steno_error* error) {
  return guarded(error, [] { return steno::Status(steno::rotate()); });
}

bool steno_poll(void) {
  return guarded_or(false, [] { return steno::poll(); });
}

void steno_stop(void) {
  (void)guarded_or(false, [] { return steno::stop(), true; });
}

void steno_get_stats(steno_stats* stats, size_t size) {
  (void)guarded_or(false, [=] { return copy(steno::stats(), stats, size), true; });
}

void steno_set_level(steno_level level) {
  if (!is_level(level)) return;
  (void)guarded_or(false, [level] { return steno::set_level(static_cast<steno::Level>(level)), true; });
}

steno_level steno_get_level(void) {
  return static_cast<steno_level>(steno::level());
}

steno_code steno_set_levels(const char* rules, steno_error* error) {
  return guarded(error, [rules] { return steno::Status(steno::set_levels(rules != nullptr ? rules : "")); });
}

const char* steno_level_name(steno_level level) {
  return steno::level_name(static_cast<steno::Level>(level));
}

steno_logger* steno_get_logger(const char* name) {
  return guarded_or(static_cast<steno_logger*>(nullptr), [name] { return handle_of(steno::logger(name)); });
}

void steno_logger_set_level(steno_logger* logger, steno_level level) {
  if (!is_level(level)) return;
  (void)guarded_or(false, [=] { return logger_of(logger).set_level(static_cast<steno::Level>(level)), true; });
}

steno_level steno_logger_get_level(const steno_logger* logger) {
  return static_cast<steno_level>(logger_of(logger).level());
}

bool steno_logger_enabled(const steno_logger* logger, steno_level level) {
  return logger_of(logger).enabled(static_cast<steno::Level>(level));
}

steno_session* steno_session_open(const char* path, const steno_options* options, steno_error* error) {
  steno_session* opened = nullptr;
  (void)guarded(error, [&]() -> steno::Status {
    steno::Options translated;
    if (steno::Status status = translate(path, options, &translated); !status.ok()) return status;
    auto session = steno::Session::open(std::move(translated));
    if (!session.ok()) return session.status();
    opened = new steno_session{std::move(session).value()};
    return {};
  });
  return opened;
}

steno_code steno_session_set_levels(steno_session* session, const char* rules, steno_error* error) {
  return guarded(error, [=] { return steno::Status(session->session.set_levels(rules != nullptr ? rules : "")); });
}

steno_logger* steno_session_logger(steno_session* session, const char* name) {
  return guarded_or(static_cast<steno_logger*>(nullptr), [&] { return handle_of(session->session.logger(name)); });
}

steno_code steno_session_flush(steno_session* session, steno_error* error) {
  return guarded(error, [session] { return steno::Status(session->session.flush()); });
}

steno_code steno_session_dump_recorder(steno_session* session, steno_error* error) {
  return guarded(error, [session] { return steno::Status(session->session.dump_recorder()); });
}

steno_code steno_session_rotate(steno_session* session, steno_error* error) {
  return guarded(error, [session] { return steno::Status(session->session.rotate()); });
}

bool steno_session_poll(steno_session* session) {
  return guarded_or(false, [session] { return session->session.poll(); });
}

void steno_session_get_stats(const steno_session* session, steno_stats* stats, size_t size) {
  (void)guarded_or(false, [=] { return copy(session->session.stats(), stats, size), true; });
}

steno_code steno_session_close(steno_session* session, steno_error* error) {
  if (session == nullptr) return report(STENO_OK, "", error);
  const steno_code code = guarded(error, [session] { return steno::Status(session->session.stop()); });
  delete session;
  return code;
}

void steno_set_thread_name(const char* name) {
  (void)guarded_or(false, [name] { return steno::set_thread_name(name), true; });
}

void steno_prepare_thread(void) {
  (void)guarded_or(false, [] { return steno::prepare_thread(), true; });
}

void steno_logf_at(const steno_logger* logger, steno_level level, const char* file, unsigned line, const char* function,
                   const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  steno_vlogf_at(logger, level, file, line, function, format, arguments);
  va_end(arguments);
}

void steno_vlogf_at(const steno_logger* logger, steno_level level, const char* file, unsigned line,
                    const char* function, const char* format, va_list arguments) {
  const steno::Origin origin(static_cast<steno::Level>(level), file, line, function);
  if (logger == nullptr) {
    steno::vlogf(origin, format, arguments);
  } else {
    steno::vlogf(logger_of(logger), origin, format, arguments);
  }
}

void steno_set_most_formats(size_t most) {
  steno::set_most_formats(most);
}

}  // extern "C"
