// The handling of sessions when the process forks, ends, or logs its first record.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "api/default_session.h"
#include "api/environment.h"
#include "api/log_paths.h"
#include "api/recovery.h"
#include "api/start_options.h"
#include "base/absolute_path.h"
#include "base/own_process.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "runtime/core.h"
#include "runtime/hooks.h"
#include "wire/record.h"

namespace steno {
namespace {

// Records that wait in a core's rings, and those it refused, when nobody will write them any more.
std::uint64_t abandoned(runtime::Core& core) {
  std::uint64_t records = core.discards().unreported();
  for (std::uint32_t i = 0; i < core.rings().count(); ++i) {
    const runtime::Ring& ring = core.rings().at(i);
    const ring::RingHeader* header = ring.memory.header;
    records += ring.unaccounted() + (ring::last_release(header).announced >> 2);  // announced, and not written
    const std::uint64_t tail = ring::load_tail(header);
    for (std::uint64_t p = ring::load_head(header); p < tail;) {
      const auto word = wire::Header::unpack(load<std::uint64_t>(ring.at(p)));
      if (word.size8 == 0) break;
      if (word.site != wire::kSitePad && word.site != wire::kSiteThread) ++records;
      p += word.size();
    }
  }
  return records;
}

// Records logged after the last stop(): one more session takes them.
void take_stragglers(runtime::Core& core) {
  const Options* const last = api::DefaultSession::instance().last_options.load(std::memory_order_acquire);
  if (core.slot() != 0 || last == nullptr || abandoned(core) == 0) return;
  if (core.session().external != 0) return;  // they are for whoever drains, or recovers
  Options options = *last;
  options.scribe_thread = false;
  if (api::start_default(std::move(options), api::Orphans::kLeave).ok()) stop();
}

// Removes the staging, unless it has records that are not in the file, or may still get some: the next reader or start
// finds these.
void leave_staging(runtime::Core& core) {
  const ring::SessionFile& session = core.session();
  const bool has_file = !core.staging().path().empty() && session.log_path[0] != '\0';
  // The staging is left as if the process had been killed: readers and the next start find what these threads log until
  // the very end. If they log nothing, the next program of this user that starts removes the staging. Its lock is held
  // as long as they live.
  if (has_file && core.rings().has_other_thread(detail::tls_writers[core.slot()])) return;
  // An external scribe continues to drain it and removes it. If none runs, there has been a warning.
  if (session.external != 0 && session.state == ring::kRunning) return;
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
  core.leave_staging(detail::tls_writers[core.slot()], abandoned);
}

bool ended_here = false;

}  // namespace

// Points to the flag of the copy of steno that serves the process, where there are several. The function is exported
// for that.
bool* api::process_ends() {
  return &ended_here;
}

namespace {

// Runs after the destructors of static objects, which may log, and while other threads still may. A copy of steno that
// another one serves goes with its library, while the process lives on; at the end of the process it takes what its
// library's destructors have logged.
__attribute__((destructor(101))) void at_exit() {
  bool* const ends = api::process_ends();
  if (ends != &ended_here && !*ends) return;
  *ends = true;
  if (!enter_process()) return;  // the sessions are the parent's
  for (std::uint32_t slot = 0; slot < runtime::kMaxSlots; ++slot) {
    if (runtime::Core* core = runtime::core_at(slot)) core->end_process();
  }
  api::end_background_recovery();
  stop();
  for (std::uint32_t slot = 0; slot < runtime::kMaxSlots; ++slot) {
    runtime::Core* core = runtime::core_at(slot);
    if (core == nullptr) continue;
    // A session that was never stopped or destroyed.
    if (api::RunningSession* session = api::RunningSession::at(slot)) (void)session->stop();
    take_stragglers(*core);
    leave_staging(*core);
  }
}

}  // namespace

void runtime::forget_sessions() noexcept {
  api::RunningSession::inherit_all();
  api::forget_background_recovery();
  api::DefaultSession& defaults = api::DefaultSession::instance();
  (void)defaults.session.release();  // it may be between two, if another thread was in start() or stop()
  new (&defaults.mutex) std::mutex;
  defaults.session.reset(api::RunningSession::at(0));
}

void runtime::warn_of_process(const std::string& what) noexcept {
  const Options* const last = api::DefaultSession::instance().last_options.load(std::memory_order_acquire);
  api::warn(last != nullptr ? *last : Options(), what);
}

std::string runtime::log_of_environment() noexcept {
  const std::string_view path = api::environment_value("STENO_PATH");
  if (path.empty() || !api::environment_wants_external()) return {};
  std::string expanded(path);
  return api::expand_path("STENO_PATH", false, &expanded).ok() ? absolute_path(expanded) : std::string();
}

void runtime::autostart(std::uint32_t slot) noexcept {
  if (api::RunningSession* session = api::RunningSession::at(slot)) return session->resume();
  if (slot != 0) return;
  // A start() that is under way holds the lock and will do.
  std::unique_lock lock(api::DefaultSession::instance().mutex, std::try_to_lock);
  if (!lock.owns_lock() || api::DefaultSession::instance().session != nullptr) return;
  lock.unlock();
  const std::string_view console = api::environment_value("STENO_CONSOLE");
  const bool is_off = api::parse_switch(console) == false;
  const bool wanted = !api::environment_value("STENO_PATH").empty() ||
                      !api::environment_value("STENO_CONFIG").empty() || api::environment_wants_external() ||
                      (!console.empty() && !is_off);
  if (!wanted) return;
  const Status status = api::start_default({}, api::Orphans::kRecoverInBackground);
  if (!status.ok()) fprintf(stderr, "steno: not logging: %s\n", status.message().c_str());
}

}  // namespace steno
