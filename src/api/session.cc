// The public session API (steno/session.h).
#include "steno/session.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "api/default_session.h"
#include "api/log_paths.h"
#include "api/recovery.h"
#include "api/running_session.h"
#include "api/start_options.h"
#include "base/early.h"
#include "base/level_rules.h"
#include "base/never_destroyed.h"
#include "runtime/api_call.h"
#include "runtime/core.h"
#include "runtime/levels.h"
#include "runtime/producer.h"
#include "runtime/thread_hooks.h"

namespace steno {

struct Session::Impl {
  std::unique_ptr<api::RunningSession> session;
};

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

namespace {

Status half_process() {
  return {StatusCode::kFailedPrecondition,
          "this process was made by clone() or _Fork() while another thread changed levels or statements"};
}

// Staging of this log may be taken over; empty: none.
std::string external_log(const Options& options) {
  return options.scribe == Scribe::kExternal ? options.path : std::string();
}

}  // namespace

Result<Session> Session::open(Options options) {
  if (!runtime::begin_as_process()) return half_process();
  const runtime::ApiCall call;
  if (!call) return call.status();
  api::ConfigFile file;
  if (Status status = api::complete(&options, &file); !status.ok()) return status;
  if (Status status = api::make_directories(options); !status.ok()) return status;
  runtime::Core* core = runtime::take_slot(options.staging_directory, external_log(options));
  if (core == nullptr) return Status(StatusCode::kExhausted, "63 sessions are already open, or memory is exhausted");
  runtime::Levels::instance().begin_session(core->slot(), options.level, api::level_rules(options));
  if (options.scribe != Scribe::kExternal) api::recover_orphans(options);
  auto session = api::RunningSession::start(*core, options, file);
  if (!session.ok()) {
    runtime::release_slot(core->slot());
    return session.status();
  }
  api::recover_unattended(*core, options);
  return Session(std::make_unique<Impl>(Impl{std::move(session).value()}));
}

namespace {

Logger logger_of(const api::RunningSession& session, const std::string& name, std::optional<Level> level) {
  static detail::LoggerState closed = {static_cast<std::uint8_t>(kLevelOff), true, 0, 0};
  const runtime::ApiCall call;
  runtime::Core* const core = !call || session.ended() ? nullptr : runtime::core_of_slot(session.slot());
  return Logger(core != nullptr ? core->logger(name, level) : &closed);
}

// A logger of the default session.
Logger default_logger(const std::string& name, std::optional<Level> level) {
  const runtime::ApiCall call;
  runtime::Core* const core = call ? runtime::core_of_slot(0) : nullptr;
  return core != nullptr ? Logger(core->logger(name, level)) : Logger();
}

IgnorableStatus change_levels(std::uint32_t slot, const std::string& text) {
  const runtime::ApiCall call;
  if (!call) return call.status();
  const LevelRules rules = parse_level_rules(text);
  runtime::Levels::instance().add(slot, rules.rules);
  if (rules.problems.empty()) return {};
  return {StatusCode::kInvalidArgument, joined(rules.problems)};
}

}  // namespace

Logger Session::logger(const std::string& name) {
  return logger_of(*impl_->session, name, {});
}
Logger Session::logger(const std::string& name, Level level) {
  return logger_of(*impl_->session, name, level);
}

IgnorableStatus Session::set_levels(const std::string& rules) {
  if (impl_ == nullptr || impl_->session->ended()) return {StatusCode::kFailedPrecondition, "the session has ended"};
  return change_levels(impl_->session->slot(), rules);
}

IgnorableStatus Session::flush() {
  if (impl_ == nullptr) return {StatusCode::kFailedPrecondition, "the session has ended"};
  return impl_->session->flush();
}

IgnorableStatus Session::rotate() {
  if (impl_ == nullptr) return {StatusCode::kFailedPrecondition, "the session has ended"};
  return impl_->session->rotate();
}

IgnorableStatus Session::dump_recorder() {
  if (impl_ == nullptr) return {StatusCode::kFailedPrecondition, "the session has ended"};
  return impl_->session->dump_recorder();
}

bool Session::poll() {
  return impl_ != nullptr && impl_->session->poll();
}

IgnorableStatus Session::stop() {
  if (impl_ == nullptr || impl_->session->ended()) return {};
  const runtime::ApiCall call;
  if (!call) return call.status();
  const std::uint32_t slot = impl_->session->slot();
  runtime::Levels::instance().end_session(slot);
  Status status = impl_->session->stop();
  runtime::release_slot(slot);
  return status;
}

Stats Session::stats() const {
  return impl_ != nullptr ? impl_->session->stats() : Stats();
}

api::DefaultSession& api::DefaultSession::instance() {
  static NeverDestroyed<DefaultSession> session;
  return *session;
}
STENO_MAKE_EARLY(api::DefaultSession::instance())

namespace {

Status begin_default(Options options, api::Orphans orphans) {
  using namespace api;

  ConfigFile file;
  Status completed;
  if (orphans == Orphans::kLeave) {
    options.config.clear();  // they are complete: those of the session that has ended
    escape_paths(&options);
    completed = complete(&options, &file);
  } else {
    completed = complete_with_environment(&options, &file);
    if (completed.ok()) completed = make_directories(options);
  }
  if (!completed.ok()) return completed;
  DefaultSession& defaults = DefaultSession::instance();
  const std::lock_guard lock(defaults.mutex);
  if (defaults.session != nullptr && !defaults.session->inherited())
    return {StatusCode::kFailedPrecondition, "the default session is already running; call stop() first"};
  defaults.session.reset();  // the parent's is not carried on, then
  runtime::Core* core = runtime::core_of_slot(0, options.staging_directory, external_log(options));
  if (core == nullptr) return {StatusCode::kExhausted, "no memory for a session"};
  if (orphans == Orphans::kRecoverFirst && options.scribe != Scribe::kExternal) recover_orphans(options);
  auto session = RunningSession::start(*core, options, file);
  if (!session.ok()) return session.status();
  defaults.session = std::move(session).value();
  delete defaults.last_options.exchange(new Options(options), std::memory_order_acq_rel);
  runtime::Levels::instance().begin_session(0, options.level, level_rules(options));
  if (orphans == Orphans::kRecoverInBackground) recover_in_background(options);
  if (orphans == Orphans::kRecoverFirst) recover_unattended(*core, options);
  return {};
}

}  // namespace

// Called from log calls too, which nothing may leave.
Status api::start_default(Options options, Orphans orphans) {
  if (!runtime::begin_as_process()) return half_process();
  const runtime::ApiCall call;
  if (!call) return call.status();
  try {
    return begin_default(std::move(options), orphans);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kExhausted, "no memory");
  }
}

Status try_start(Options options) {
  return api::start_default(std::move(options), api::Orphans::kRecoverFirst);
}

bool start(Options options) {
  const Status status = try_start(std::move(options));
  if (!status.ok()) fprintf(stderr, "steno: not logging: %s\n", status.message().c_str());
  return status.ok();
}

namespace {

IgnorableStatus ask_default(Status (api::RunningSession::*what)()) {
  const runtime::ApiCall call;
  if (!call) return call.status();
  api::DefaultSession& defaults = api::DefaultSession::instance();
  const std::lock_guard lock(defaults.mutex);
  if (defaults.session == nullptr) return {StatusCode::kFailedPrecondition, "no session has started"};
  return ((*defaults.session).*what)();
}

}  // namespace

IgnorableStatus flush() {
  return ask_default(&api::RunningSession::flush);
}

IgnorableStatus rotate() {
  return ask_default(&api::RunningSession::rotate);
}

IgnorableStatus dump_recorder() {
  return ask_default(&api::RunningSession::dump_recorder);
}

bool poll() {
  const runtime::ApiCall call;
  if (!call) return false;
  api::DefaultSession& defaults = api::DefaultSession::instance();
  const std::lock_guard lock(defaults.mutex);
  return defaults.session != nullptr && defaults.session->poll();
}

void stop() {
  const runtime::ApiCall call;
  if (!call) return;
  api::DefaultSession& defaults = api::DefaultSession::instance();
  const std::lock_guard lock(defaults.mutex);
  if (defaults.session == nullptr) return;
  (void)defaults.session->stop();
  defaults.session.reset();
}

Stats stats() {
  const runtime::ApiCall call;
  if (!call) return {};
  api::DefaultSession& defaults = api::DefaultSession::instance();
  const std::lock_guard lock(defaults.mutex);
  return defaults.session != nullptr ? defaults.session->stats() : Stats();
}

Logger logger(const std::string& name) {
  return default_logger(name, {});
}

Logger logger(const std::string& name, Level level) {
  return default_logger(name, level);
}

void set_level(Level level) {
  Logger().set_level(level);
}

Level level() {
  const runtime::ApiCall call;
  if (!call) return Level::kInfo;
  return runtime::Levels::instance().level(0);
}

IgnorableStatus set_levels(const std::string& rules) {
  return change_levels(0, rules);
}

void set_thread_name(const std::string& name) {
  runtime::rename_thread(name);
}
void prepare_thread() {
  (void)runtime::prepare_thread(0);
}

}  // namespace steno
