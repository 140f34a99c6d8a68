#include "runtime/core.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/early.h"
#include "base/fence.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "base/signal_safe_lock.h"
#include "registry/registry.h"
#include "ring/held_locks.h"
#include "ring/release.h"
#include "ring/session_names.h"
#include "runtime/crash_handler.h"
#include "runtime/format_sites.h"
#include "runtime/hooks.h"
#include "runtime/levels.h"

namespace steno::runtime {
namespace {

std::atomic<Core*> cores[kMaxSlots];
Core* parents_cores[kMaxSlots];  // in a forked child: those of its parent, whose members that never change may be read

std::mutex& cores_mutex() {
  alignas(std::mutex) static unsigned char storage[sizeof(std::mutex)];
  static std::mutex* const mutex = new (storage) std::mutex;  // never destroyed
  return *mutex;
}
STENO_MAKE_EARLY(cores_mutex())

std::string program_name() {
  char path[256];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : "?";
}

void copy_text(char* to, std::size_t size, const std::string& text) {
  const std::size_t n = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), n);
  to[n] = '\0';
}

}  // namespace

Core* Core::at(std::uint32_t slot) {
  return cores[slot].load(std::memory_order_acquire);
}

Core* Core::make(std::uint32_t slot, const std::string& directory, const std::string& log) {
  auto* core = new (std::nothrow) Core(slot, directory);
  if (core == nullptr || !core->open(log).ok()) return nullptr;
  install_thread_hooks();
  cores[slot].store(core, std::memory_order_release);
  return core;
}

// Of a session that nobody has begun yet, if it brings no scribe: in a forked child it is the parent's, carried on.
std::string Core::log_to_come(std::uint32_t slot, const Core* parents) {
  if (parents == nullptr) return slot == 0 ? log_of_environment() : std::string();
  const ring::SessionFile& session = *parents->staging_.session();
  return session.external != 0 ? std::string(session.log_path, strnlen(session.log_path, sizeof session.log_path))
                               : std::string();
}

Core* Core::of_slot(std::uint32_t slot, const std::string& directory, const std::string& log) {
  if (Core* core = at(slot)) return core;
  const SignalSafeLock lock(cores_mutex());
  if (Core* core = at(slot)) return core;
  const Core* parents = parents_cores[slot];
  if (slot != 0 && (parents == nullptr || !parents->taken_)) return nullptr;
  std::string where = directory;
  if (where.empty() && parents != nullptr) where = parents->directory_;
  const char* from_environment = secure_getenv("STENO_STAGING");
  if (where.empty() && slot == 0 && from_environment != nullptr) where = from_environment;
  Core* core = make(slot, where, log.empty() ? log_to_come(slot, parents) : log);
  if (core != nullptr) core->taken_ = slot != 0;
  return core;
}

Core* Core::take_slot(const std::string& directory, const std::string& log) {
  const SignalSafeLock lock(cores_mutex());
  for (std::uint32_t slot = 1; slot < kMaxSlots; ++slot) {
    Core* core = at(slot);
    if (core == nullptr && parents_cores[slot] != nullptr && parents_cores[slot]->taken_) continue;
    if (core == nullptr) core = make(slot, directory, log);
    if (core == nullptr) return nullptr;
    if (core->taken_) continue;
    core->taken_ = true;
    return core;
  }
  return nullptr;
}

void Core::release_slot(std::uint32_t slot) {
  const SignalSafeLock lock(cores_mutex());
  for (Core* core : {at(slot), parents_cores[slot]}) {
    if (core != nullptr) core->taken_ = false;
  }
}

Status Core::open(const std::string& log) {
  loggers_ = LoggerTable::of(slot_);
  if (loggers_ == nullptr) return {StatusCode::kExhausted, "no memory for the table of loggers"};
  void* table = mmap(nullptr, kMaxRings * sizeof(Ring*), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return {StatusCode::kExhausted, "no memory for the table of rings"};
  rings_ = static_cast<Ring**>(table);
  CoreOptions buffering;
  for (WhenFull& policy : buffering.when_full) policy = WhenFull::kDrop;
  buffering.clock = best_clock();
  set_options(buffering);

  auto staging = ring::Staging::create(directory_, log, &warning_);
  if (!staging.ok()) return staging.status();
  staging_ = std::move(staging).value();
  ring::SessionFile& file = session();
  file.clock_kind = static_cast<std::uint32_t>(options_.clock);
  file.start_wall = wall_now();
  copy_text(file.program, sizeof file.program, program_name());

  // Those of the parent in a forked child, and of sessions that used the slot before.
  ByteBuffer names;
  for (std::uint32_t id = 1; id < loggers_->size(); ++id)
    wire::append_entry(names, wire::LoggerInfo{id, loggers_->name(id)});
  append_dictionary(names);
  registry::Registry::instance().subscribe([this](const ByteBuffer& entries) { append_dictionary(entries); });
  staging_.cut_dictionary();
  STENO_KILL_POINT("core.staging_filled");
  __atomic_store_n(&file.version, ring::kVersion, __ATOMIC_RELEASE);
  return {};
}

void Core::append_dictionary(const ByteBuffer& entries) {
  const SignalSafeLock lock(dictionary_mutex_);
  unwritten_entries_.put_bytes(entries.data(), entries.size());
  write_dictionary();
}

void Core::retry_dictionary() {
  if (__atomic_load_n(&session().missing_entries, __ATOMIC_RELAXED) == 0) return;
  const SignalSafeLock lock(dictionary_mutex_);
  write_dictionary();
}

// What cannot be written stays for the next try. Requires dictionary_mutex_.
void Core::write_dictionary() {
  const Status status = staging_.append_dictionary(unwritten_entries_);
  if (status.ok()) {
    unwritten_entries_.clear();
    if (short_of_dictionary_) dictionary_warning_ += "staging has room for all statements and loggers again\n";
  } else if (!short_of_dictionary_) {
    dictionary_warning_ +=
        status.message() +
        "; until there is room, records of statements that are new to the process will not survive a crash\n";
  }
  short_of_dictionary_ = !status.ok();
  // After the size of the dictionary, and before any record of those statements.
  __atomic_store_n(&session().missing_entries, wire::count_entries(unwritten_entries_), __ATOMIC_RELEASE);
}

// Numbers start anew in rings that exist (ring.md §4.2).
void Core::start_rings() {
  for (std::uint32_t i = 0; i < ring_count(); ++i) {
    ring::RingHeader* header = ring(i).memory.header;
    const ring::Release& last = ring::last_release(header);
    ring(i).owner = ring::owner_at(header, last);  // another process may have drained the session before
    ring::publish(header, ring::restarted(last), ring(i).owner);
    STENO_KILL_POINT("core.ring_restarted");
    __atomic_store_n(&header->session_id, session().session_id, __ATOMIC_RELEASE);
  }
}

void Core::begin(const CoreOptions& options, const std::string& log_path, const ring::LogIdentity& log) {
  if (options.crash_record) {
    install_crash_handler();
    {
      const SignalSafeLock lock(mutex_);
      set_options(options);  // rings are made by them
    }
    make_crash_ring();
  }
  const SignalSafeLock lock(mutex_);
  set_options(options);
  set_give_up(kNever);
  ring::SessionFile& file = session();
  const bool carried_on = file.state == ring::kRunning && log_path == file.log_path &&
                          file.clock_kind == static_cast<std::uint32_t>(options.clock) &&
                          file.recorder_below == static_cast<std::uint32_t>(options.recorder_below);
  file.coarse_clock = counter_now();
  __atomic_store_n(&file.stopped, 0u, __ATOMIC_RELEASE);
  // The consumer before was another process, and has reported some.
  if (file.external != 0 && ring_count() != 0)
    discards_taken_.store(ring::last_release(ring(0).memory.header).discards, std::memory_order_relaxed);
  __atomic_store_n(&file.external, options.external ? 1u : 0u, __ATOMIC_RELEASE);
  __atomic_store_n(&file.keeps_vacant, 0u, __ATOMIC_RELAXED);  // whoever drained before need not drain this one
  if (carried_on) ring::set_identity(file, log);
  if (!carried_on) {
    // What waits is nobody's yet. It decides about the numbers of this session's records.
    __atomic_store_n(&file.recorder_below, static_cast<std::uint32_t>(options.recorder_below), __ATOMIC_RELEASE);
    ring::name_session(file);
    STENO_KILL_POINT("core.session_named");
    file.last_look = 0;
    file.clock_kind = static_cast<std::uint32_t>(options.clock);
    if (!log_path.empty()) staging_.mark_log(log_path);
    ring::set_identity(file, log);
    ring::set_log_path(file, log_path);
    STENO_KILL_POINT("core.path_set");
    if (!log_path.empty()) staging_.forget_other_marks(log_path);
    start_rings();
    __atomic_store_n(&file.state, ring::kRunning, __ATOMIC_RELEASE);
    STENO_KILL_POINT("core.session_runs");
  }
  for (std::uint32_t i = 0; i < ring_count(); ++i) {
    if (ring(i).writer != nullptr) configure(*ring(i).writer);
  }
  wants_crashes_.store(options.crash_record && crash_ring_ != nullptr, std::memory_order_release);
  state_.store(State::kRunning, std::memory_order_release);
}

void Core::renew(const ring::LogIdentity& log) {
  const SignalSafeLock lock(mutex_);
  ring::SessionFile& file = session();
  ring::set_identity(file, log);
  if (file.log_path[0] != '\0') staging_.mark_log(file.log_path);  // the path may lead elsewhere by now
  ring::name_session(file);
  STENO_KILL_POINT("core.session_renewed");
  start_rings();
}

std::uint64_t Core::take_discarded() {
  const std::uint64_t total = __atomic_load_n(&session().discarded, __ATOMIC_RELAXED);
  return total - discards_taken_.exchange(total, std::memory_order_relaxed);
}

std::uint64_t Core::unreported_discards() const {
  return __atomic_load_n(&staging_.session()->discarded, __ATOMIC_RELAXED) -
         discards_taken_.load(std::memory_order_relaxed);
}

void Core::end() {
  help.store(nullptr, std::memory_order_release);
  const SignalSafeLock lock(mutex_);
  wants_crashes_.store(false, std::memory_order_release);
  state_.store(process_ends_ ? State::kEnding : State::kBuffering, std::memory_order_release);
  options_.clock = best_clock();
  for (std::uint32_t i = 0; i < ring_count(); ++i) {
    if (ring(i).writer != nullptr) configure(*ring(i).writer);
  }
}

// Nobody uses staging_ without the mutex from here on.
void Core::await_rings_in_making(std::unique_lock<std::mutex>& lock) {
  removing_ = true;
  while (rings_in_making_ != 0) {
    lock.unlock();
    usleep(50);  // whoever makes one may have a lower priority
    lock.lock();
  }
}

void Core::remove_staging() {
  const BlockSignals no_handlers;
  std::unique_lock lock(mutex_);
  await_rings_in_making(lock);
  staging_.remove();
}

void Core::leave_staging(const detail::Writer* own, std::uint64_t (*abandoned)(Core&)) {
  const BlockSignals no_handlers;
  std::unique_lock lock(mutex_);
  await_rings_in_making(lock);
  const ring::SessionFile& file = session();
  const bool may_stay = file.external != 0 && file.state == ring::kEnded && file.keeps_vacant != 0;
  if (may_stay && (is_others_too(own) || abandoned(*this) != 0)) return;
  Ring* const first = ring_count() != 0 ? &ring(0) : nullptr;
  if (may_stay && first != nullptr && first->memory.capacity > kUsualRingBytes)
    first->set_extent({ring::load_tail(first->memory.header), kUsualRingBytes});
  if (!may_stay || !staging_.vacate(next_ring_, first != nullptr ? &first->memory : nullptr, kUsualRingBytes))
    staging_.remove();
}

void Core::end_process() {
  mark_scribe_thread();
  const SignalSafeLock lock(mutex_);
  process_ends_ = true;
}

std::string Core::take_warning() {
  {
    const SignalSafeLock lock(mutex_);
    if (!warning_.empty()) return std::exchange(warning_, {});
    if (growth_error_ != 0 && !std::exchange(warned_of_growth_, true)) {
      return staging_.path() + ": no room for rings to grow: " + strerror(growth_error_) +
             "; threads that log much wait for the scribe, or drop, sooner than with larger rings";
    }
  }
  const SignalSafeLock lock(dictionary_mutex_);
  const std::size_t end = dictionary_warning_.find('\n');
  if (end == std::string::npos) return {};
  std::string first = dictionary_warning_.substr(0, end);
  dictionary_warning_.erase(0, end + 1);
  return first;
}

void Core::wake(bool soon) {
  if (soon) {
    hurry_.store(true, std::memory_order_release);
    __atomic_fetch_add(&session().requests, 1u, __ATOMIC_RELEASE);  // pairs with the loads of consumers elsewhere
  }
  // Pairs with the scribe's fence between setting the word and its last look at the tails.
  fence<__ATOMIC_SEQ_CST>();
  STENO_DELAY_POINT();
  std::uint32_t* word = &session().scribe_sleeping;
  if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0) return;
  __atomic_store_n(word, 0, __ATOMIC_RELAXED);
  futex_wake(word);
  if (ring::Doorbell* const bell = staging_.doorbell(); bell != nullptr) ring::call(bell);
}

detail::LoggerState* Core::logger(const std::string& name, std::optional<Level> made_with) {
  if (slot_ == 0 && name.empty()) return &detail::root_logger;
  const SignalSafeLock lock(mutex_);
  return Levels::instance().logger(*loggers_, name, made_with, [&](Level threshold) {
    const std::uint32_t id = loggers_->size();
    if (id < LoggerTable::kMost) {
      ByteBuffer entry;
      wire::append_entry(entry, wire::LoggerInfo{id, name});
      append_dictionary(entry);
    }
    if (detail::LoggerState* added = loggers_->add(name, threshold)) return added;
    return slot_ == 0 ? &detail::root_logger : &loggers_->state(0);
  });
}

std::string Core::logger_name(std::uint32_t id) {
  return id < loggers_->size() ? loggers_->name(id) : std::string();
}

void forget_cores() {
  new (&cores_mutex()) std::mutex;  // whoever held it does not live here
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    Core* const parents = cores[slot].exchange(nullptr);
    if (parents == nullptr) continue;
    parents->staging().abandon();
    parents_cores[slot] = parents;
  }
  ring::abandon_locks();
  forget_crashes();
}

void Core::set_options(const CoreOptions& options) {
  options_ = options;
  for (int level = 0; level < kLevelCount; ++level) {
    when_full_[level].store(options.when_full[level], std::memory_order_relaxed);
  }
  user_clock_.store(options.user_clock, std::memory_order_relaxed);
}

std::uint64_t Core::called_time() const {
  const auto user_clock = user_clock_.load(std::memory_order_relaxed);
  return user_clock != nullptr ? user_clock() : static_cast<std::uint64_t>(wall_now());
}

bool Core::gives_up() const {
  const std::int64_t at = give_up_at_.load(std::memory_order_acquire);
  return at != kNever && monotonic_now() >= at;
}

// Applies clock and notify level.
void Core::configure(detail::Writer& writer) {
  const ClockKind clock = options_.clock;
  const std::uint64_t* line = clock == ClockKind::kTsc || clock == ClockKind::kCntvct ? &detail::kReadCounter
                              : clock == ClockKind::kCoarse                           ? &session().coarse_clock
                                                                                      : &detail::kCallForTime;
  __atomic_store_n(&writer.notify_level, options_.notify_level, __ATOMIC_RELAXED);
  __atomic_store_n(&writer.clock_line, line, __ATOMIC_RELAXED);
}

}  // namespace steno::runtime
