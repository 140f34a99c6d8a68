#include "api/running_session.h"

#include <cstdio>
#include <new>

#include "base/early.h"
#include "base/never_destroyed.h"
#include "base/own_process.h"
#include "runtime/api_call.h"
#include "scribe/absent_scribe.h"
#include "scribe/scribe.h"

namespace steno::api {
namespace {

// The scribe of each slot: manual sessions' producers call on the scribe when their ring is full, and the end of the
// process stops the sessions that nobody stopped.
struct Slot {
  std::mutex mutex;  // held while a producer is inside
  std::atomic<RunningSession*> session{nullptr};
  std::atomic<scribe::Service*> scribe{nullptr};
};

Slot& slot_at(std::uint32_t slot) {
  static NeverDestroyed<Slot[runtime::kMaxSlots]> slots;
  return (*slots)[slot];
}
STENO_MAKE_EARLY(slot_at(0))

void help(runtime::Core& core) {
  Slot& slot = slot_at(core.slot());
  const std::unique_lock lock(slot.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (auto* scribe = slot.scribe.load(std::memory_order_acquire)) (void)scribe->help();
}

}  // namespace

RunningSession* RunningSession::at(std::uint32_t slot) {
  return slot_at(slot).session.load(std::memory_order_acquire);
}

Result<std::unique_ptr<RunningSession>> RunningSession::start(runtime::Core& core, const Options& options,
                                                              const ConfigFile& file) {
  std::unique_ptr<RunningSession> session(new RunningSession(core.slot(), options, file.level_without));
  const std::lock_guard lock(session->mutex_);
  if (Status status = session->run(core, options, &file); !status.ok()) return status;
  slot_at(core.slot()).session.store(session.get(), std::memory_order_release);
  return session;
}

RunningSession::~RunningSession() {
  if (!enter_process()) return;  // all of it is the parent's
  (void)stop();
  RunningSession* self = this;  // in a child of a fork that came in the middle of stop()
  slot_at(slot_).session.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel);
  delete scribe();
}

Status RunningSession::run(runtime::Core& core, const Options& options, const ConfigFile* file) {
  const bool external = options.scribe == Scribe::kExternal;
  std::unique_ptr<scribe::Service> scribe;
  if (external) {
    scribe = std::make_unique<scribe::AbsentScribe>(core, options);
  } else {
    scribe = std::make_unique<scribe::Scribe>(core, options);
  }
  if (Status status = scribe->start(); !status.ok()) return status;
  scribe_.store(scribe.get(), std::memory_order_release);
  slot_at(slot_).scribe.store(scribe.release(), std::memory_order_release);
  if (external || !options.scribe_thread) core.help.store(help, std::memory_order_release);
  if (!options.config.empty()) config_ = std::make_unique<ConfigWatch>(slot_, options, file, level_without_file_);
  state_.store(State::kRunning, std::memory_order_release);
  return {};
}

Status RunningSession::flush() {
  return asked(&scribe::Service::flush);
}

Status RunningSession::rotate() {
  return asked(&scribe::Service::rotate);
}

Status RunningSession::dump_recorder() {
  return asked(&scribe::Service::dump_recorder);
}

Status RunningSession::asked(Status (scribe::Service::*what)()) {
  const runtime::ApiCall call;
  if (!call) return call.status();
  if (scribe::Service* running = scribe()) return (running->*what)();
  switch (state_.load(std::memory_order_acquire)) {
    case State::kEnded:
      return {StatusCode::kFailedPrecondition, "the session has ended"};
    case State::kFailed:
      return {StatusCode::kFailedPrecondition, "the session did not start in the forked child: " + failure_};
    default:
      return {};
  }
}

bool RunningSession::poll() {
  const runtime::ApiCall call;
  if (!call) return false;
  scribe::Service* const running = scribe();
  if (running == nullptr) return false;
  if (!options_.config.empty() && !options_.scribe_thread) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && config_ != nullptr) config_->look();
  }
  return running->poll();
}

Stats RunningSession::stats() const {
  const scribe::Service* const running = scribe();
  return running != nullptr ? running->stats() : Stats();
}

Status RunningSession::stop() {
  if (!enter_process()) return {};
  const std::lock_guard lock(mutex_);
  if (state_.exchange(State::kEnded, std::memory_order_acq_rel) == State::kEnded) return {};
  config_.reset();
  Status status;
  if (scribe::Service* running = scribe()) status = running->stop();
  Slot& slot = slot_at(slot_);
  const std::lock_guard nobody_inside(slot.mutex);
  slot.scribe.store(nullptr, std::memory_order_release);
  slot.session.store(nullptr, std::memory_order_release);
  return status;
}

void RunningSession::resume() noexcept {
  // It is being stopped, possibly by the thread that this signal handler interrupted.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || state_.load(std::memory_order_acquire) != State::kInherited) return;
  runtime::Core* const core = runtime::core_at(slot_);
  Options options = options_;
  // It is the parent's session that has started.
  options.rotation.on_start = false;
  for (SinkOptions& sink : options.sinks) sink.rotation.on_start = false;
  const Status status = core != nullptr ? run(*core, options, nullptr)
                                        : Status(StatusCode::kExhausted, "no memory for a session of its own");
  if (status.ok()) return;
  failure_ = status.message();
  state_.store(State::kFailed, std::memory_order_release);
  fprintf(stderr, "steno: not logging in the forked child: %s\n", failure_.c_str());
}

void RunningSession::inherit_all() noexcept {
  for (std::uint32_t i = 0; i < runtime::kMaxSlots; ++i) {
    Slot& slot = slot_at(i);
    RunningSession* const session = slot.session.load(std::memory_order_relaxed);
    new (&slot) Slot;  // whoever was inside does not live here
    if (session == nullptr) continue;
    new (&session->mutex_) std::mutex;
    if (session->ended()) continue;
    if (session->config_ != nullptr) session->config_->abandon();
    (void)session->config_.release();  // its thread is the parent's
    slot.session.store(session, std::memory_order_relaxed);
    if (scribe::Service* const parents = session->scribe_.exchange(nullptr)) {
      session->parents_ = parents;
      parents->abandon();
    }
    session->state_.store(State::kInherited, std::memory_order_relaxed);
  }
}

}  // namespace steno::api
