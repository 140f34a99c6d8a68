#include "live/external_scribe.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/fence.h"
#include "base/futex.h"
#include "live/find_staging.h"
#include "live/recover.h"

namespace steno::live {
namespace {

constexpr std::int64_t kSpinNs = 200'000;          // how long to look on after work
constexpr std::int64_t kShortestWaitNs = 200'000;  // where not all words can be waited for
constexpr std::int64_t kOthersNs = 500'000'000;    // between two looks at a session that brings its scribe
constexpr std::int64_t kLongestWaitNs = 50'000'000;
constexpr std::int64_t kShortestForMuteNs = 1'000'000;  // where producers cannot wake us

}  // namespace

ExternalScribe::ExternalScribe(ExternalScribeOptions options)
    : options_(std::move(options)), doorbells_(all_roots(options_.roots)), pool_(options_.threads) {}

bool ExternalScribe::is_wanted(const ring::SessionFile& session) const {
  if (session.external == 0) return false;
  if (session.log_path[0] == '\0') return options_.attach.log_of != nullptr;
  if (options_.all) return true;
  // One that was named by us, or by a scribe before us.
  if (options_.attach.log_of && logs_into(session, options_.attach.log_of(session))) return true;
  return std::any_of(options_.paths.begin(), options_.paths.end(),
                     [&](const std::string& path) { return logs_into(session, path); });
}

void ExternalScribe::say_once(const std::string& directory, const std::string& what) {
  std::string& last = said_[directory];
  if (last == what) return;
  last = what;
  options_.attach.warn(what);
}

void ExternalScribe::consider(const std::string& directory) {
  using Extent = StagingView::Extent;
  auto view = StagingView::open(directory, StagingView::Access::kRead, Extent::kSession);
  if (!view.ok()) {
    if (is_unreadable(view.status())) say_once(directory, view.status().message());
    return;
  }
  const ring::SessionFile& session = view->session();
  // One that brings its scribe may come to bring none, but hardly soon.
  if (session.version != 0 && session.external == 0 && session.state == ring::kRunning)
    look_again_[directory] = monotonic_now() + kOthersNs;
  if (session.version == 0 || view->owner() != geteuid() || !is_wanted(session)) return;
  if (view->state() == State::kOrphan) {
    std::string log;
    if (session.log_path[0] == '\0' && options_.attach.log_of) log = options_.attach.log_of(session);
    const auto done = recover(directory, log, options_.attach.file_mode, nullptr, !options_.attach.sync.never);
    const StatusCode code = done.ok() ? StatusCode::kOk : done.status().code();
    if (code != StatusCode::kOk && code != StatusCode::kNotFound && code != StatusCode::kFailedPrecondition)
      say_once(directory, done.status().message());
    return;
  }
  if (session.state != ring::kRunning || (!options_.only.empty() && options_.only != directory)) return;
  auto attached = AttachedSession::attach(directory, options_.attach);
  if (attached.ok()) {
    said_.erase(directory);
    pool_.add(std::move(attached).value());
  } else if (view->is_drained()) {
    const std::uint32_t other = session.consumer_pid;
    if (other == 0) return;  // its owner, which has not given the rings up yet, or somebody who has just come
    if (!options_.only.empty()) return;
    say_once(directory, "process " + std::to_string(other) + " drains the session of process " +
                            std::to_string(session.pid) + "; this scribe takes over when that one ends");
  } else if (attached.status().code() != StatusCode::kNotFound &&
             attached.status().code() != StatusCode::kFailedPrecondition) {
    say_once(directory, attached.status().message());
  }
}

void ExternalScribe::find() {
  last_find_ = monotonic_now();
  doorbells_.open();
  const std::vector<std::string> directories = find_staging(Whose::kOwn, options_.roots);
  for (const std::string& directory : directories) {
    if (pool_.contains(directory)) continue;
    const auto later = look_again_.find(directory);
    if (later == look_again_.end() || monotonic_now() >= later->second) consider(directory);
  }
  const auto is_gone = [&](const auto& known) {
    return !std::binary_search(directories.begin(), directories.end(), known.first);
  };
  std::erase_if(said_, is_gone);
  std::erase_if(look_again_, is_gone);
}

bool ExternalScribe::pass(bool force) {
  const bool moved = pool_.pass(force);
  for (const std::string& directory : pool_.take_again()) consider(directory);
  return moved;
}

bool ExternalScribe::was_idle() {
  if (options_.end_when_idle_ns == 0) return false;
  const std::int64_t now = monotonic_now();
  if (!pool_.sessions().empty()) {
    idle_since_ = 0;
  } else if (idle_since_ == 0) {
    idle_since_ = now;
  } else if (now - idle_since_ >= options_.end_when_idle_ns) {
    find();  // the last one, for who began just now may rely on us
    return pool_.sessions().empty();
  }
  return false;
}

void ExternalScribe::run(const std::function<bool()>& stop) {
  while (!stop()) {
    const std::int64_t now = monotonic_now();
    if (doorbells_.take_new_sessions() || last_find_ == 0 || now - last_find_ >= options_.find_gap_ns) find();
    if (options_.take_rotation && options_.take_rotation()) pool_.rotate();
    if (pass(false)) {
      last_work_ = monotonic_now();
    } else if (was_idle()) {
      break;
    } else if (monotonic_now() - last_work_ > kSpinNs) {
      sleep();
    }
  }
  pool_.end_helpers();
  (void)pass(true);
  pool_.clear();
}

// Producers that can wake nobody are looked for: often while they log, and less often the longer they have been silent.
std::int64_t ExternalScribe::longest_wait(const std::vector<AttachedSession*>& sessions) const {
  std::int64_t longest = kLongestWaitNs;
  for (const AttachedSession* session : sessions) {
    if (!session->is_mute()) continue;
    if (session->has_pending()) return kShortestForMuteNs;
    longest = std::clamp((monotonic_now() - last_work_) / 4, kShortestForMuteNs, kLongestWaitNs);
  }
  return longest;
}

// Until a producer calls, or something may be due.
void ExternalScribe::sleep() {
  if (pool_.is_helped()) return pool_.wait_for_helpers(kShortestWaitNs);
  // Before the last look: who calls after it changes these.
  std::vector<FutexWord> words = doorbells_.words();
  const std::vector<AttachedSession*> sessions = pool_.sessions();
  for (AttachedSession* session : sessions) {
    if (!session->rings_doorbell()) words.push_back({session->sleep_word(), 1});
    __atomic_store_n(session->sleep_word(), 1u, __ATOMIC_RELAXED);
  }
  // Pairs with the fence in Core::wake: either it sees the word, or we see its tail or its request.
  fence<__ATOMIC_SEQ_CST>();
  const bool needed = std::any_of(sessions.begin(), sessions.end(), [](const AttachedSession* session) {
    return session->asked() || session->stopped() || session->nearly_full();
  });
  const std::int64_t longest = longest_wait(sessions);
  if (!needed) futex_wait_any(words, longest, std::min(longest, kShortestWaitNs));
  for (AttachedSession* session : sessions) __atomic_store_n(session->sleep_word(), 0u, __ATOMIC_RELAXED);
}

}  // namespace steno::live
