// The public session API (steno/session.h), the default session's life, and what happens at exit.
#include "steno/session.h"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "live/recover.h"
#include "registry/registry.h"
#include "ring/layout.h"
#include "runtime/core.h"
#include "runtime/hooks.h"
#include "scribe/scribe.h"

namespace steno {

struct Session::Impl {
  runtime::Core* core = nullptr;
  std::unique_ptr<scribe::Scribe> scribe;
  Level level = Level::kInfo;
  pid_t pid = getpid();
};

namespace {

Status check(Options* options) {
  if (options->path.empty()) {
    const char* path = secure_getenv("STENO_PATH");
    if (path == nullptr || *path == '\0') {
      return {StatusCode::kInvalidArgument, "no log file: set Options::path, or STENO_PATH in the environment"};
    }
    options->path = path;
  }
  if (const char* name = secure_getenv("STENO_LEVEL"); name != nullptr && *name != '\0') {
    int level = 0;
    while (level <= kLevelCount && strcasecmp(name, level_name(static_cast<Level>(level))) != 0) ++level;
    if (level > kLevelCount) {
      return {StatusCode::kInvalidArgument,
              std::string("STENO_LEVEL is '") + name +
                  "'; it must be TRACE, DEBUG, INFO, NOTICE, WARN, ERROR, CRITICAL or OFF"};
    }
    options->level = static_cast<Level>(level);
  }
  if (options->clock == Clock::kUser && options->user_clock == nullptr) {
    return {StatusCode::kInvalidArgument, "Clock::kUser needs Options::user_clock"};
  }
  if (options->ring_bytes > ring::kMaxCapacity) {
    return {StatusCode::kInvalidArgument,
            "ring_bytes is " + std::to_string(options->ring_bytes) + "; the most is 1 GiB"};
  }
  if (options->flush_interval.count() < 0 || options->flush_interval > std::chrono::hours(24) ||
      options->sync_interval.count() < 0 || options->sync_interval > std::chrono::hours(24)) {
    return {StatusCode::kInvalidArgument, "flush_interval and sync_interval must be 0 to 24 hours"};
  }
  if (options->zstd_level < 0 || options->zstd_level > 19) {
    return {StatusCode::kInvalidArgument,
            "zstd_level is " + std::to_string(options->zstd_level) + "; it must be 0 to 19"};
  }
  if (options->flush_level < Level::kWarn || (options->sync == Sync::kOnLevel && options->sync_level < Level::kWarn)) {
    return {StatusCode::kInvalidArgument, "flush_level and sync_level must be WARN or above"};
  }
  return {};
}

// What processes that died left for this file goes before what this one logs.
void recover_orphans(const Options& options) {
  std::vector<std::string> problems;
  std::vector<std::string> roots;
  if (!options.staging_directory.empty()) roots.push_back(options.staging_directory);
  (void)live::recover_for(options.path, roots, {}, &problems, options.file_mode);
  for (const std::string& problem : problems) {
    const std::string text = "records of an earlier run could not be recovered yet: " + problem;
    if (options.on_warning) {
      options.on_warning(text);
    } else {
      fprintf(stderr, "steno: %s\n", text.c_str());
    }
  }
}

// The scribes that run, by slot: producers of manual sessions call on them when their ring is full, and the end of the
// process stops those whose sessions nobody stopped.
struct Running {
  std::mutex mutex;  // held while a producer is inside
  std::atomic<scribe::Scribe*> scribe{nullptr};
};
Running& running(std::uint32_t slot) {
  alignas(Running) static unsigned char storage[sizeof(Running) * runtime::kMaxSlots];
  static Running* const slots = [] {
    auto* first = reinterpret_cast<Running*>(storage);
    for (std::uint32_t i = 0; i < runtime::kMaxSlots; ++i) new (first + i) Running;
    return first;  // never destroyed
  }();
  return slots[slot];
}

void help(runtime::Core& core) {
  Running& slot = running(core.slot());
  const std::unique_lock lock(slot.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (auto* scribe = slot.scribe.load(std::memory_order_acquire)) (void)scribe->help();
}

Status run_scribe(runtime::Core& core, const Options& options, std::unique_ptr<scribe::Scribe>* out) {
  recover_orphans(options);
  auto scribe = std::make_unique<scribe::Scribe>(core, options);
  if (Status status = scribe->start(); !status.ok()) return status;
  running(core.slot()).scribe.store(scribe.get(), std::memory_order_release);
  if (!options.scribe_thread) core.help.store(help, std::memory_order_release);
  *out = std::move(scribe);
  return {};
}

Status stop_scribe(runtime::Core& core, scribe::Scribe& scribe) {
  Status status = scribe.stop();
  Running& slot = running(core.slot());
  const std::lock_guard lock(slot.mutex);
  slot.scribe.store(nullptr, std::memory_order_release);
  return status;
}

// The default session. Never destroyed, so that it can be stopped after the last static destructor.
struct Default {
  std::mutex mutex;
  std::unique_ptr<scribe::Scribe> scribe;
  Options options;  // of the session that runs or ran
  bool restart_in_child = false;
  scribe::Scribe* parents = nullptr;  // in a forked child
};

Default& default_session() {
  alignas(Default) static unsigned char storage[sizeof(Default)];
  static Default* const session = new (storage) Default;
  return *session;
}

std::string absolute(const std::string& path) {
  if (path.empty() || path[0] == '/') return path;
  char cwd[PATH_MAX];
  return getcwd(cwd, sizeof cwd) != nullptr ? std::string(cwd) + "/" + path : path;
}

}  // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;

Session& Session::operator=(Session&& other) noexcept {
  if (this != &other) {
    (void)stop();
    impl_ = std::move(other.impl_);
  }
  return *this;
}

Session::~Session() {
  (void)stop();
}

Result<Session> Session::open(Options options) {
  if (Status status = check(&options); !status.ok()) return status;
  options.path = absolute(options.path);
  options.staging_directory = absolute(options.staging_directory);
  auto impl = std::make_unique<Impl>();
  impl->core = runtime::Core::take_slot(options.staging_directory);
  if (impl->core == nullptr) return Status(StatusCode::kExhausted, "63 sessions are open already, or memory is out");
  impl->level = options.level;
  if (Status status = run_scribe(*impl->core, options, &impl->scribe); !status.ok()) {
    impl->core->release_slot();
    return status;
  }
  return Session(std::move(impl));
}

Logger Session::logger(const std::string& name) {
  return logger(name, impl_->level);
}
Logger Session::logger(const std::string& name, Level level) {
  static detail::LoggerState closed = {static_cast<std::uint8_t>(kLevelOff), true, 0, 0};
  return Logger(impl_->scribe->stopped() ? &closed : impl_->core->logger(name, level));
}

Status Session::flush() {
  if (impl_ == nullptr) return {StatusCode::kFailedPrecondition, "the session has ended"};
  return impl_->scribe->flush();
}

bool Session::poll() {
  return impl_ != nullptr && impl_->scribe->poll();
}

// The scribe stays until the session is destroyed: others may be inside flush() or stats().
Status Session::stop() {
  if (impl_ == nullptr || impl_->scribe->stopped()) return {};
  if (impl_->pid != getpid()) {  // a forked child's copy: the core is the parent's
    impl_->scribe->abandon();
    return {};
  }
  impl_->core->close_loggers();
  Status status = stop_scribe(*impl_->core, *impl_->scribe);
  impl_->core->release_slot();
  return status;
}

Stats Session::stats() const {
  return impl_ != nullptr ? impl_->scribe->stats() : Stats();
}

Status try_start(Options options) {
  if (Status status = check(&options); !status.ok()) return status;
  options.path = absolute(options.path);
  options.staging_directory = absolute(options.staging_directory);
  Default& session = default_session();
  const std::lock_guard lock(session.mutex);
  if (session.scribe != nullptr)
    return {StatusCode::kFailedPrecondition, "the default session runs already; stop() it first"};
  runtime::Core* core = runtime::Core::default_core(options.staging_directory);
  if (core == nullptr) return {StatusCode::kExhausted, "no memory for a session"};
  if (Status status = run_scribe(*core, options, &session.scribe); !status.ok()) return status;
  set_level(options.level);
  session.options = options;
  session.restart_in_child = false;
  return {};
}

bool start(Options options) {
  const Status status = try_start(std::move(options));
  if (!status.ok()) fprintf(stderr, "steno: not logging: %s\n", status.message().c_str());
  return status.ok();
}

Status flush() {
  Default& session = default_session();
  const std::lock_guard lock(session.mutex);
  if (session.scribe == nullptr) return {StatusCode::kFailedPrecondition, "no session has started"};
  return session.scribe->flush();
}

bool poll() {
  Default& session = default_session();
  const std::lock_guard lock(session.mutex);
  return session.scribe != nullptr && session.scribe->poll();
}

void stop() {
  Default& session = default_session();
  const std::lock_guard lock(session.mutex);
  if (session.scribe == nullptr) return;
  (void)stop_scribe(*runtime::Core::at(0), *session.scribe);
  session.restart_in_child = false;
  session.scribe.reset();
}

Stats stats() {
  Default& session = default_session();
  const std::lock_guard lock(session.mutex);
  return session.scribe != nullptr ? session.scribe->stats() : Stats();
}

Logger logger(const std::string& name) {
  return logger(name, level());
}

Logger logger(const std::string& name, Level level) {
  runtime::Core* core = runtime::Core::default_core();
  return core != nullptr ? Logger(core->logger(name, level)) : Logger();
}

void set_level(Level level) {
  registry::Registry::instance().set_threshold(level);
  Logger().set_level(level);
}

Level level() {
  return registry::Registry::instance().threshold();
}

void set_thread_name(const std::string& name) {
  runtime::rename_thread(name);
}
void prepare_thread() {
  (void)runtime::prepare_thread(0);
}

namespace {

// Records that wait in a core's rings, and those it refused, when nobody will write them any more.
std::uint64_t abandoned(runtime::Core& core) {
  std::uint64_t records = core.untold_discards();
  for (std::uint32_t i = 0; i < core.ring_count(); ++i) {
    const runtime::Ring& ring = core.ring(i);
    const ring::RingHeader* header = ring.memory.header;
    records += ring.unaccounted();
    const std::uint64_t tail = ring::load_tail(header);
    for (std::uint64_t p = ring::load_head(header); p < tail;) {
      const auto word = wire::Header::unpack(load<std::uint64_t>(ring.memory.data + (p & (ring.memory.capacity - 1))));
      if (word.size8 == 0) break;
      if (word.site != wire::kSitePad && word.site != wire::kSiteThread) ++records;
      p += word.size();
    }
  }
  return records;
}

// Whether threads that have a ring go on, who will not be heard any more.
bool other_threads(runtime::Core& core) {
  for (std::uint32_t i = 0; i < core.ring_count(); ++i) {
    const detail::Writer* writer = core.ring(i).writer;
    if (writer != nullptr && writer != detail::tls_writers[core.slot()]) return true;
  }
  return false;
}

// Records logged behind the last stop(): one more session takes them.
void take_stragglers(runtime::Core& core) {
  Default& session = default_session();
  if (core.slot() != 0 || session.options.path.empty() || abandoned(core) == 0) return;
  Options options = session.options;
  options.scribe_thread = false;
  if (try_start(options).ok()) stop();
}

// Removes the staging, unless something is in it that is not on file, or may come to be: whoever comes next finds that.
void leave_staging(runtime::Core& core) {
  const ring::SessionFile& session = core.session();
  const bool has_file = !core.staging().path().empty() && session.log_path[0] != '\0';
  // As if the process had been killed: what they log until the very end is found by whoever reads or starts next. If
  // they log nothing, the next program of this user that starts removes it. Its lock is held as long as they live.
  if (has_file && other_threads(core)) return;
  const std::uint64_t records = abandoned(core);
  if (has_file && (session.state == ring::kRunning || records != 0)) {
    fprintf(stderr, "steno: %llu records could not be written to %s; they wait in %s: 'steno recover' writes them\n",
            static_cast<unsigned long long>(records), session.log_path, core.staging().path().c_str());
    return;
  }
  if (records != 0) {
    fprintf(stderr,
            "steno: %llu records were logged while no session ran and are lost: call steno::start, or set STENO_PATH\n",
            static_cast<unsigned long long>(records));
  }
  core.remove_staging();
}

// Runs after the destructors of static objects, which may log, and while other threads still may.
__attribute__((destructor(101))) void at_exit() {
  for (std::uint32_t slot = 0; slot < runtime::kMaxSlots; ++slot) {
    if (runtime::Core* core = runtime::Core::at(slot)) core->end_process();
  }
  stop();
  for (std::uint32_t slot = 0; slot < runtime::kMaxSlots; ++slot) {
    runtime::Core* core = runtime::Core::at(slot);
    if (core == nullptr) continue;
    // A session that was never stopped or destroyed.
    if (auto* scribe = running(slot).scribe.load(std::memory_order_acquire)) (void)scribe->stop();
    take_stragglers(*core);
    leave_staging(*core);
  }
}

}  // namespace

// A child logs into its parent's file, in a session of its own: whole blocks are appended, so that both can.
void runtime::forget_sessions() noexcept {
  Default& session = default_session();
  new (&session.mutex) std::mutex;
  session.restart_in_child |= session.scribe != nullptr;
  if (session.scribe != nullptr) {  // not freed: the allocator may be in any state
    session.parents = session.scribe.release();
    session.parents->abandon();
  }
  for (std::uint32_t slot = 0; slot < runtime::kMaxSlots; ++slot) new (&running(slot)) Running;
}

void runtime::autostart() noexcept {
  Default& session = default_session();
  // A start() that is under way holds the lock and will do; one that is done has done.
  std::unique_lock lock(session.mutex, std::try_to_lock);
  if (!lock.owns_lock() || session.scribe != nullptr) return;
  const bool restart = std::exchange(session.restart_in_child, false);
  const char* path = secure_getenv("STENO_PATH");
  Options options = restart ? session.options : Options();
  lock.unlock();
  if (!restart && (path == nullptr || *path == '\0')) return;
  const Status status = try_start(std::move(options));
  if (!status.ok()) {
    fprintf(stderr, "steno: not logging%s: %s\n", restart ? " in the forked child" : "", status.message().c_str());
  }
}

}  // namespace steno
