#include "runtime/core.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fence.h"
#include "base/fence_all.h"
#include "base/kill_point.h"
#include "base/signal_safe_lock.h"
#include "registry/registry.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "runtime/crash_handler.h"
#include "runtime/levels.h"
#include "runtime/producer.h"
#include "staging/session_names.h"
#include "wire/dictionary.h"
#include "wire/stamp.h"

namespace steno::runtime {
namespace {

// Found once for a process and the children that it forks: /proc/self is dear in a new process. Called under the lock
// of the slots; its length comes last, as a fork may come in between.
std::string_view program_name() {
  static char path[256];
  static std::size_t size = 0;
  if (size == 0) {
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return "?";
    std::atomic_signal_fence(std::memory_order_release);
    size = static_cast<std::size_t>(n);
  }
  return {path, size};
}

void copy_text(char* to, std::size_t size, std::string_view text) {
  const std::size_t n = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), n);
  to[n] = '\0';
}

}  // namespace

Core* Core::make(std::uint32_t slot, const std::string& directory, const std::string& log) {
  auto* const core = new (std::nothrow) Core(slot, directory);
  return core != nullptr && core->open(log).ok() ? core : nullptr;
}

Status Core::open(const std::string& log) {
  loggers_ = LoggerTable::of(slot_);
  if (loggers_ == nullptr) return {StatusCode::kExhausted, "no memory for the table of loggers"};
  if (Status status = rings_.open(); !status.ok()) return status;
  discards_.open();
  auto staging = staging::OwnStaging::create(directory_, log, &warning_);
  if (!staging.ok()) return staging.status();
  staging_ = std::move(staging).value();
  CoreOptions buffering;
  for (WhenFull& policy : buffering.when_full) policy = WhenFull::kDrop;
  buffering.clock = best_clock();
  set_options(buffering);
  set_writers(buffering.clock, buffering.notify_level);
  ring::SessionFile& file = session();
  file.clock_kind = static_cast<std::uint32_t>(buffering.clock);
  file.start_wall = wall_now();
  copy_text(file.program, sizeof file.program, program_name());

  // Those of the parent in a forked child, and of sessions that used the slot before.
  ByteBuffer names;
  for (std::uint32_t id = 1; id < loggers_->size(); ++id)
    wire::append_entry(names, wire::LoggerInfo{id, loggers_->name(id)});
  dictionary_.append(names);
  registry::Registry::instance().subscribe([this](const ByteBuffer& entries) { dictionary_.append(entries); });
  staging_.cut_dictionary();
  STENO_KILL_POINT("core.staging_filled");
  ring::publish_version(file);
  return {};
}

void Core::begin(const CoreOptions& options, const std::string& log_path, const ring::LogIdentity& log) {
  if (options.crash_record) {
    install_crash_handler();
    {
      const SignalSafeLock lock(rings_.mutex());
      set_options(options);  // rings are made by them
    }
    if (crash_ring_ == nullptr) {
      crash_ring_ = rings_.make_reserved(kUsualRingBytes, ring::kOrdinaryRing, "records of crashes are");
      if (crash_ring_ != nullptr) rings_.give_reserved(*crash_ring_, &crash_writer_);
    }
  }
  const SignalSafeLock lock(rings_.mutex());
  set_options(options);
  patience_.set_end(Patience::kForever);
  ring::SessionFile& file = session();
  const bool carried_on = file.state == ring::kRunning && log_path == file.log_path &&
                          file.clock_kind == static_cast<std::uint32_t>(options.clock) &&
                          file.recorder_below == static_cast<std::uint32_t>(options.recorder_below);
  ring::set_coarse_clock(file, counter_now());
  ring::store_stopped(file, false);
  // The consumer before was another process, and has reported some.
  if (file.external != 0 && rings_.count() != 0)
    discards_.set_reported(ring::last_release(rings_.at(0).memory.header).discards);
  ring::store_external(file, options.external);
  ring::store_recorder_limits(
      file, {static_cast<std::uint32_t>(options.recorder_trigger), options.recorder_records, options.recorder_ns});
  ring::set_keeps_vacant(file, false);  // whoever drained before need not drain this one
  if (carried_on) {
    staging::set_identity(file, log);
  } else {
    name_session(options, log_path, log);
  }
  set_writers(options.clock, options.notify_level);
  wants_crashes_.store(options.crash_record && crash_ring_ != nullptr, std::memory_order_release);
  state_.store(State::kRunning, std::memory_order_release);
}

// A new one, which has what waits in the rings.
void Core::name_session(const CoreOptions& options, const std::string& log_path, const ring::LogIdentity& log) {
  ring::SessionFile& file = session();
  ring::set_dump_due(file, false);
  // Records that wait in rings are no session's yet. The level decides about the numbers of this session's records.
  ring::store_recorder_below(file, static_cast<std::uint32_t>(options.recorder_below));
  staging::name_session(file);
  STENO_KILL_POINT("core.session_named");
  file.last_look = 0;
  file.clock_kind = static_cast<std::uint32_t>(options.clock);
  const std::vector<std::string> keys = log_path.empty() ? std::vector<std::string>() : staging_.mark_log(log_path);
  staging::set_identity(file, log);
  staging::set_log_path(file, log_path);
  STENO_KILL_POINT("core.path_set");
  if (!log_path.empty()) staging_.forget_other_marks(keys);
  rings_.restart();
  ring::store_state(file, ring::kRunning);
  STENO_KILL_POINT("core.session_runs");
}

void Core::renew(const ring::LogIdentity& log) {
  const SignalSafeLock lock(rings_.mutex());
  ring::SessionFile& file = session();
  staging::set_identity(file, log);
  if (file.log_path[0] != '\0') (void)staging_.mark_log(file.log_path);  // the path may lead elsewhere by now
  staging::name_session(file);
  STENO_KILL_POINT("core.session_renewed");
  rings_.restart();
}

void Core::set_ended() {
  set_stopped();
  ring::store_state(session(), ring::kEnded);
}

void Core::set_stopped() {
  ring::store_stopped(session(), true);
}

void Core::end() {
  help.store(nullptr, std::memory_order_release);
  const SignalSafeLock lock(rings_.mutex());
  wants_crashes_.store(false, std::memory_order_release);
  state_.store(process_ends_ ? State::kEnding : State::kBuffering, std::memory_order_release);
  set_writers(best_clock(), notify_level_);
}

void Core::end_process() {
  mark_scribe_thread();
  const SignalSafeLock lock(rings_.mutex());
  process_ends_ = true;
}

void Core::leave_staging(const detail::Writer* own, std::uint64_t (*abandoned)(Core&)) {
  const BlockSignals no_handlers;
  std::unique_lock lock(rings_.mutex());
  rings_.await_rings_in_making(lock);
  const ring::SessionFile& file = session();
  const bool may_stay = file.external != 0 && file.state == ring::kEnded && file.keeps_vacant != 0;
  if (may_stay && (rings_.is_others_too(own) || abandoned(*this) != 0)) return;
  Ring* const first = rings_.count() != 0 ? &rings_.at(0) : nullptr;
  if (may_stay && first != nullptr && first->memory.capacity > kUsualRingBytes)
    first->set_extent({ring::load_tail(first->memory.header), kUsualRingBytes});
  if (!may_stay || !staging_.vacate(rings_.ids(), first != nullptr ? &first->memory : nullptr, kUsualRingBytes))
    staging_.remove();
}

Ring* Core::make_recorder(std::uint64_t bytes) {
  if (recorder() == nullptr) {
    recorder_.store(rings_.make_reserved(bytes, ring::kRecorderRing, "the flight recorder is"),
                    std::memory_order_release);
  }
  return recorder();
}

std::string Core::take_warning() {
  {
    const SignalSafeLock lock(rings_.mutex());
    if (!warning_.empty()) return std::exchange(warning_, {});
  }
  std::string warning = rings_.take_warning();
  return warning.empty() ? dictionary_.take_warning() : warning;
}

detail::LoggerState* Core::logger(const std::string& name, std::optional<Level> made_with) {
  if (slot_ == 0 && name.empty()) return &detail::root_logger;
  const SignalSafeLock lock(rings_.mutex());
  return Levels::instance().logger(*loggers_, name, made_with, [&](Level threshold) {
    const std::uint32_t id = loggers_->size();
    if (id < LoggerTable::kMost) {
      ByteBuffer entry;
      wire::append_entry(entry, wire::LoggerInfo{id, name});
      dictionary_.append(entry);
    }
    if (detail::LoggerState* added = loggers_->add(name, threshold)) return added;
    return slot_ == 0 ? &detail::root_logger : &loggers_->state(0);
  });
}

std::string Core::logger_name(std::uint32_t id) {
  return id < loggers_->size() ? loggers_->name(id) : std::string();
}

std::uint64_t Core::called_time() {
  // The caller has loaded a clock line that sends it here: what was stored before that line is visible after this
  // fence.
  fence<__ATOMIC_ACQUIRE>();
  if (rests_.load(std::memory_order_relaxed)) scribe_call_.wake(false);
  if (!calls_clock()) return counter_now();
  const auto user_clock = user_clock_.load(std::memory_order_relaxed);
  const std::int64_t ns = user_clock != nullptr ? static_cast<std::int64_t>(user_clock()) : wall_now();
  return wire::stamp_of(wire::representable_time(ns));
}

void Core::set_options(const CoreOptions& options) {
  for (int level = 0; level < kLevelCount; ++level) {
    when_full_[level].store(options.when_full[level], std::memory_order_relaxed);
  }
  user_clock_.store(options.user_clock, std::memory_order_relaxed);
  rings_.set_limits({options.ring_bytes, options.staging_limit});
}

void Core::set_writers(ClockKind clock, std::uint8_t notify_level) {
  const bool counts = clock == ClockKind::kTsc || clock == ClockKind::kCntvct;
  const std::uint64_t* const line = counts                        ? &detail::kReadCounter
                                    : clock == ClockKind::kCoarse ? &session().coarse_clock
                                                                  : &detail::kCallForTime;
  calls_clock_.store(line == &detail::kCallForTime, std::memory_order_relaxed);
  notify_level_ = notify_level;
  clock_line_ = line;
  rings_.set_writers({line, notify_level});
}

// A producer opens its record (limit 0), then loads its clock's line, then commits. So after the barrier each thread
// has either its limit at 0, and is seen; or has committed, and the scribe sees its tail; or will load the new line,
// and call.
bool Core::begin_rest() {
  {
    const SignalSafeLock lock(rings_.mutex());
    if (clock_line_ == &session().coarse_clock) return false;
    rests_.store(true, std::memory_order_relaxed);
    rings_.set_writers({&detail::kCallForTime, notify_level_});
  }
  STENO_DELAY_POINT();
  // The second fence: of a record that ends just now, the limit may be seen before the tail.
  return fence_all_threads() && !rings_.is_anyone_inside() && fence_all_threads();
}

void Core::end_rest() {
  const SignalSafeLock lock(rings_.mutex());
  if (!rests_.exchange(false, std::memory_order_relaxed)) return;
  rings_.set_writers({clock_line_, notify_level_});
}

}  // namespace steno::runtime
