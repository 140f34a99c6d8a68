#include "live/external_scribe.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/fence.h"
#include "base/futex.h"
#include "live/find_staging.h"
#include "live/recover.h"

namespace steno::live {
namespace {

constexpr std::int64_t kSpinNs = 200'000;                  // how long to look on after work
constexpr std::int64_t kShortestWaitNs = 200'000;          // where not all words can be waited for
constexpr std::int64_t kListingShare = 20;                 // of the time, one in so many goes into listings at most
constexpr std::int64_t kLongestFindGapNs = 1'000'000'000;  // that this leads to
constexpr std::int64_t kTidyGapNs = 1'000'000'000;
constexpr std::int64_t kLongestWaitNs = 50'000'000;
constexpr std::int64_t kShortestForMuteNs = 1'000'000;  // where producers cannot wake us

bool is_there(const std::string& directory) {
  struct stat st {};
  return lstat(directory.c_str(), &st) == 0;
}

}  // namespace

ExternalScribe::ExternalScribe(ExternalScribeOptions options)
    : options_(std::move(options)), doorbells_(all_roots(options_.roots)), pool_(options_.threads) {
  // Who looks for one session only does not come by what others leave.
  options_.attach.keeps_vacant = options_.only.empty() && options_.keep_vacant_ns > 0;
}

bool ExternalScribe::is_wanted(const ring::SessionFile& session, bool orphan) const {
  const auto is_named = [&] {
    return std::any_of(options_.paths.begin(), options_.paths.end(),
                       [&](const std::string& path) { return logs_into(session, path); });
  };
  if (session.external == 0) return orphan && (options_.all || is_named());
  if (session.log_path[0] == '\0') return options_.attach.log_of != nullptr;
  if (options_.all) return true;
  // One that was named by us, or by a scribe before us.
  if (options_.attach.log_of && logs_into(session, options_.attach.log_of(session))) return true;
  return is_named();
}

void ExternalScribe::say_once(const std::string& directory, const std::string& what) {
  std::string& last = said_[directory];
  if (last == what) return;
  last = what;
  options_.attach.warn(what);
}

void ExternalScribe::consider(const std::string& directory) {
  if (const std::optional<Left> why = take(directory)) {
    known_.leave(directory, *why, monotonic_now());
  } else {
    known_.forget(directory);
  }
}

std::optional<Left> ExternalScribe::take(const std::string& directory) {
  using Extent = StagingView::Extent;
  auto view = StagingView::open(directory, StagingView::Access::kRead, Extent::kSession);
  if (!view.ok()) {
    if (is_unreadable(view.status())) say_once(directory, view.status().message());
    if (view.status().code() == StatusCode::kNotFound) return std::nullopt;
    return view.status().code() == StatusCode::kIoError ? Left::kRefused : Left::kDead;
  }
  const ring::SessionFile& session = view->session();
  const bool orphan = view->state() != State::kLive;
  if (session.version == 0 || view->owner() != geteuid() || !is_wanted(session, orphan))
    return orphan ? Left::kDead : Left::kElsewhere;
  if (orphan && session.vacant != 0 && may_stay(directory, session.session_id)) return Left::kVacant;
  if (orphan) return recover_left(directory, session);
  if (!options_.only.empty() && options_.only != directory) return Left::kElsewhere;
  if (session.state != ring::kRunning) return Left::kTaken;
  auto attached = AttachedSession::attach(directory, options_.attach);
  if (attached.ok()) {
    said_.erase(directory);
    pool_.add(std::move(attached).value());
    return std::nullopt;
  }
  if (view->is_drained()) {
    const std::uint32_t other = session.consumer_pid;
    // 0: its owner, which has the rings yet, or somebody who has just come.
    if (other == 0 || !options_.only.empty()) return Left::kTaken;
    say_once(directory, "process " + std::to_string(other) + " drains the session of process " +
                            std::to_string(session.pid) + "; this scribe takes over when that one ends");
    return Left::kTaken;
  }
  if (!is_there(directory)) return std::nullopt;
  if (attached.status().code() == StatusCode::kFailedPrecondition) return Left::kTaken;
  say_once(directory, attached.status().message());
  return Left::kRefused;
}

std::optional<Left> ExternalScribe::recover_left(const std::string& directory, const ring::SessionFile& session) {
  std::string log;
  if (session.log_path[0] == '\0' && options_.attach.log_of) log = options_.attach.log_of(session);
  const auto done = recover(directory, log, options_.attach.file_mode, nullptr, !options_.attach.sync.never);
  const StatusCode code = done.ok() ? StatusCode::kOk : done.status().code();
  // It may also be the log's directory that is not found.
  if (code == StatusCode::kOk || !is_there(directory)) return std::nullopt;
  if (code == StatusCode::kFailedPrecondition) return Left::kTaken;
  say_once(directory, done.status().message());
  return Left::kRefused;
}

// What is not offered now may be about to be, or to be taken over.
bool ExternalScribe::may_stay(const std::string& directory, std::uint64_t session_id) {
  const std::int64_t now = monotonic_now();
  VacantStaging& vacant = vacant_[directory];
  if (vacant.session_id != session_id) {
    vacant = {session_id, now};
    return options_.keep_vacant_ns > 0;
  }
  if (now - vacant.since < options_.keep_vacant_ns && doorbells_.is_offered(directory)) return true;
  doorbells_.withdraw(directory);
  vacant_.erase(directory);
  return false;
}

// Another scribe may look after those of other logs.
void ExternalScribe::remove_vacant() {
  if (!options_.attach.keeps_vacant) return;
  for (const std::string& directory : find_staging(Whose::kOwn, options_.roots)) {
    if (!doorbells_.is_offered(directory) && !vacant_.contains(directory)) continue;
    const auto view = StagingView::open(directory, StagingView::Access::kRead, StagingView::Extent::kSession);
    if (!view.ok() || view->state() != State::kOrphan || view->session().vacant == 0) continue;
    if (view->owner() != geteuid() || !is_wanted(view->session(), true)) continue;
    doorbells_.withdraw(directory);
    (void)recover(directory);
  }
}

// All staging there is. What is known is opened only when that is due.
void ExternalScribe::find() {
  const std::int64_t begin = monotonic_now();
  doorbells_.open();
  const std::vector<std::string> directories = find_staging(Whose::kOwn, options_.roots);
  known_.keep_only(directories);
  std::erase_if(
      said_, [&](const auto& said) { return !std::binary_search(directories.begin(), directories.end(), said.first); });
  std::erase_if(vacant_, [&](const auto& vacant) {
    return !std::binary_search(directories.begin(), directories.end(), vacant.first);
  });
  const std::int64_t now = monotonic_now();
  if (now >= next_tidying_) {
    doorbells_.tidy_offers();
    next_tidying_ = now + kTidyGapNs;
  }
  next_find_ = now + std::max(options_.find_gap_ns, std::min(kListingShare * (now - begin), kLongestFindGapNs));
  for (const std::string& directory : directories) {
    if (!pool_.contains(directory) && known_.is_due(directory, now)) consider(directory);
  }
}

// Sessions that have called: no look at others, unless some did not say where they are.
void ExternalScribe::find_arrivals() {
  const Doorbells::NewSessions arrivals = doorbells_.take_new_sessions();
  for (const std::string& directory : arrivals.directories) {
    if (!pool_.contains(directory)) consider(directory);
  }
  if (!arrivals.unnamed) return;
  known_.expect_sessions();
  find();
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
    known_.expect_sessions();
    find();  // the last one, for who began just now may rely on us
    return pool_.sessions().empty();
  }
  return false;
}

void ExternalScribe::run(const std::function<bool()>& stop) {
  while (!stop()) {
    find_arrivals();
    if (monotonic_now() >= next_find_) find();
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
  for (AttachedSession* session : pool_.sessions()) session->keep_no_vacant();  // nobody would look after it
  (void)pass(true);
  pool_.clear();
  remove_vacant();
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
