#include "live/external_scribe.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/fence.h"
#include "base/futex.h"
#include "live/recover.h"
#include "sink/sink_set.h"
#include "staging/find_staging.h"

namespace steno::live {
namespace {

constexpr std::int64_t kSpinNs = 200'000;                // how long to look on after work, where that pays
constexpr std::int64_t kShortestWaitNs = 200'000;        // where not all words can be waited for
constexpr std::int64_t kListingShare = 200;              // of the time, one in so many goes into listings at most
constexpr std::int64_t kLongestFindGapNs = 300'000'000;  // that this leads to
constexpr std::int64_t kRecoveryNs = 5'000'000;          // of orphans between two passes
constexpr std::int64_t kTidyGapNs = 1'000'000'000;
constexpr std::int64_t kLongestWaitNs = 50'000'000;
constexpr std::int64_t kFirstStarvedNs = 10'000'000;  // between two tries without memory
constexpr std::int64_t kLongestStarvedNs = 500'000'000;
constexpr std::int64_t kShortestForSinksNs = 20'000;
constexpr std::int64_t kShortestForMuteNs = 1'000'000;  // where producers cannot wake us

bool is_there(const std::string& directory) {
  struct stat st {};
  return lstat(directory.c_str(), &st) == 0;
}

}  // namespace

ExternalScribe::ExternalScribe(ExternalScribeOptions options)
    : options_(std::move(options)), doorbells_(staging::all_roots(options_.roots)), pool_(options_.threads) {
  options_.attach.packer = &packer_;
  // A scribe that looks for one session only does not come by staging that others leave.
  options_.attach.keeps_vacant = options_.only.empty() && options_.keep_vacant_ns > 0;
}

bool ExternalScribe::is_wanted(const ring::SessionFile& session, bool orphan) const {
  const auto is_named = [&] {
    return std::any_of(options_.paths.begin(), options_.paths.end(),
                       [&](const std::string& path) { return staging::logs_into(session, path); });
  };
  if (session.external == 0) return orphan && (options_.all || is_named());
  if (session.log_path[0] == '\0') return options_.attach.log_of != nullptr;
  if (options_.all) return true;
  // One that was named by us, or by a scribe before us.
  if (options_.attach.log_of && staging::logs_into(session, options_.attach.log_of(session))) return true;
  return is_named();
}

void ExternalScribe::say_once(const std::string& directory, const std::string& what) {
  std::string& last = last_notices_[directory];
  if (last == what) return;
  last = what;
  options_.attach.warn(what);
}

void ExternalScribe::consider(const std::string& directory, Recovery recovery) {
  if (const std::optional<Left> why = take(directory, recovery)) {
    known_.leave(directory, *why, monotonic_now());
  } else {
    known_.forget(directory);
  }
}

std::optional<Left> ExternalScribe::take(const std::string& directory, Recovery recovery) {
  using Extent = staging::ForeignStaging::Extent;
  auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead, Extent::kSession);
  if (!view.ok()) {
    if (staging::is_unreadable(view.status())) say_once(directory, view.status().message());
    if (view.status().code() == StatusCode::kNotFound) return std::nullopt;
    return view.status().code() == StatusCode::kIoError ? Left::kRefused : Left::kDead;
  }
  const ring::SessionFile& session = view->session();
  const bool orphan = view->state() != staging::State::kLive;
  if (session.version == 0 || view->owner() != geteuid() || !is_wanted(session, orphan))
    return orphan ? Left::kDead : Left::kElsewhere;
  const bool vacant = orphan && session.vacant != 0 && recovery != Recovery::kItsTurn;
  if (vacant && may_stay(directory, session.session_id)) return Left::kVacant;
  if (orphan && recovery == Recovery::kInTurn) {
    orphans_.insert(directory);
    return Left::kTaken;
  }
  if (orphan) return recover_left(directory, session);
  if (!options_.only.empty() && options_.only != directory) return Left::kElsewhere;
  if (session.state != ring::kRunning) return Left::kTaken;
  auto attached = AttachedSession::attach(directory, options_.attach);
  if (attached.ok()) {
    last_notices_.erase(directory);
    pool_.add(std::move(attached).value());
    return std::nullopt;
  }
  if (view->is_drained()) {
    const std::uint32_t other = session.consumer_pid;
    // 0: the owner, which still holds the rings, or a scribe that has just started.
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
  // Shown once, though the file may refuse it.
  const bool show = options_.attach.sinks && shown_.try_emplace(directory).first->second != session.session_id;
  const auto done = recover(directory, log, options_.attach.file_mode, nullptr, !options_.attach.sync.never,
                            show ? options_.attach.sinks() : nullptr, options_.attach.packer);
  if (show) shown_[directory] = session.session_id;
  const StatusCode code = done.ok() ? StatusCode::kOk : done.status().code();
  // It may also be the log's directory that is not found.
  if (code == StatusCode::kOk || !is_there(directory)) return std::nullopt;
  if (code == StatusCode::kFailedPrecondition) return Left::kTaken;
  say_once(directory, done.status().message());
  return Left::kRefused;
}

void ExternalScribe::recover_some() {
  const std::int64_t begin = monotonic_now();
  while (!orphans_.empty() && monotonic_now() - begin < kRecoveryNs) {
    const std::string directory = std::move(orphans_.extract(orphans_.begin()).value());
    consider(directory, Recovery::kItsTurn);
  }
}

// Staging that is not offered now may be about to be, or to be taken over.
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
  for (const std::string& directory : staging::find_staging(staging::Whose::kOwn, options_.roots)) {
    if (!doorbells_.is_offered(directory) && !vacant_.contains(directory)) continue;
    const auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead,
                                                    staging::ForeignStaging::Extent::kSession);
    if (!view.ok() || view->state() != staging::State::kOrphan || view->session().vacant == 0) continue;
    if (view->owner() != geteuid() || !is_wanted(view->session(), true)) continue;
    doorbells_.withdraw(directory);
    (void)recover(directory);
  }
}

// Looks at all staging. Known directories are opened only when that is due. Live processes are attached first: there
// may be hundreds of orphans, and a process that waits for a scribe warns after a second.
void ExternalScribe::find() {
  const std::int64_t begin = monotonic_now();
  doorbells_.open();
  const std::vector<std::string> directories = staging::find_staging(staging::Whose::kOwn, options_.roots);
  known_.keep_only(directories);
  const auto is_gone = [&](const auto& of) {
    return !std::binary_search(directories.begin(), directories.end(), of.first);
  };
  std::erase_if(last_notices_, is_gone);
  std::erase_if(shown_, is_gone);
  std::erase_if(vacant_, is_gone);
  const std::int64_t now = monotonic_now();
  if (now >= next_tidying_) {
    doorbells_.tidy_offers();
    next_tidying_ = now + kTidyGapNs;
  }
  next_find_ = now + std::max(options_.find_gap_ns, std::min(kListingShare * (now - begin), kLongestFindGapNs));
  for (const std::string& directory : directories) {
    if (!pool_.contains(directory) && known_.is_due(directory, now)) consider(directory, Recovery::kInTurn);
  }
}

// Handles sessions that rang. Does not look at others, unless some did not announce their directory.
void ExternalScribe::find_arrivals() {
  const Doorbells::NewSessions arrivals = doorbells_.take_new_sessions();
  for (const std::string& directory : arrivals.directories) {
    if (!pool_.contains(directory)) consider(directory, Recovery::kInTurn);
  }
  if (!arrivals.unnamed) return;
  known_.expect_sessions();
  find();
}

bool ExternalScribe::pass(bool force) {
  const bool moved = pool_.pass(force);
  for (const std::string& directory : pool_.take_again()) consider(directory, Recovery::kNow);
  return moved;
}

bool ExternalScribe::was_idle() {
  if (options_.end_when_idle_ns == 0) return false;
  const std::int64_t now = monotonic_now();
  if (!pool_.sessions().empty() || !orphans_.empty()) {
    idle_since_ = 0;
  } else if (idle_since_ == 0) {
    idle_since_ = now;
  } else if (now - idle_since_ >= options_.end_when_idle_ns) {
    known_.expect_sessions();
    find();  // the last one, for who began just now may rely on us
    return pool_.sessions().empty() && orphans_.empty();
  }
  return false;
}

void ExternalScribe::rotate() {
  pool_.rotate();
  if (const auto sinks = options_.attach.current_sinks()) sinks->rotate();
}

// A request to one session is carried out for all that log into its file: the requester need not ask each.
void ExternalScribe::serve_requests() {
  using Request = FileRequests::Request;
  if (!pool_.take_asked()) return;
  find_arrivals();
  while (!orphans_.empty()) recover_some();
  const DrainPool::Pause pause(pool_);
  std::map<std::string, Request> wanted;  // by path
  std::set<std::string> asked;            // directories: the pass may end sessions
  for (AttachedSession* session : pool_.sessions()) {
    const Request request = session->requests().take();
    if (request == Request::kNone) continue;
    wanted[session->path()] = std::max(wanted[session->path()], request);
    asked.insert(session->directory());
  }
  bool rotates = false;
  for (AttachedSession* session : pool_.sessions()) {
    const auto request = wanted.find(session->path());
    if (request == wanted.end()) continue;
    session->write_all_next();
    if (request->second == Request::kRotate) session->rotate_next();
    rotates = rotates || request->second == Request::kRotate;
  }
  if (const auto sinks = options_.attach.current_sinks(); rotates && sinks) sinks->rotate();
  (void)pool_.pass(false);
  const std::vector<AttachedSession*> sessions = pool_.sessions();
  std::map<std::string, Status> outcomes;  // by path
  for (const AttachedSession* session : sessions) {
    Status& outcome = outcomes[session->path()];
    if (wanted[session->path()] == Request::kRotate && outcome.ok()) outcome = session->last_rotation();
    if (session->is_refused()) outcome = {StatusCode::kIoError, session->path() + " cannot be written now"};
  }
  for (AttachedSession* session : sessions) {
    if (asked.contains(session->directory())) session->requests().answer(outcomes[session->path()]);
  }
}

void ExternalScribe::pass_on_warnings() {
  if (const auto sinks = options_.attach.current_sinks()) sinks->take_warnings(options_.attach.warn);
}

bool ExternalScribe::look_around() {
  find_arrivals();
  if (monotonic_now() >= next_find_) find();
  recover_some();
  if (options_.take_rotation && options_.take_rotation()) rotate();
  serve_requests();
  pass_on_warnings();
  if (pass(false)) {
    last_work_ = monotonic_now();
    spinning_pays_ = spinning_pays_ || std::exchange(slept_ns_, kSpinNs) < kSpinNs;
  } else if (was_idle()) {
    return false;
  } else if (const std::int64_t now = monotonic_now();
             orphans_.empty() && (!spinning_pays_ || now - last_work_ > kSpinNs)) {
    spinning_pays_ = false;
    sleep();
    slept_ns_ = monotonic_now() - now;
  }
  return true;
}

// Everything stays in the rings meanwhile, as with a full disk.
void ExternalScribe::starve() {
  if (starved_gap_ns_ == 0) {
    try {
      options_.attach.warn("no memory to write logs; records stay in memory until there is some");
    } catch (const std::exception&) {
      // Not even for that.
    }
  }
  starved_gap_ns_ = std::clamp(2 * starved_gap_ns_, kFirstStarvedNs, kLongestStarvedNs);
  std::this_thread::sleep_for(std::chrono::nanoseconds(starved_gap_ns_));
}

bool ExternalScribe::run(const std::function<bool()>& stop) {
  while (!stop()) {
    bool starved = false;
    try {
      if (!look_around()) break;
    } catch (const std::exception&) {  // no session is lost by it: what is not known is found again
      starved = true;
    }
    if (pool_.take_starved() || starved) {
      starve();
    } else {
      starved_gap_ns_ = 0;
    }
  }
  while (!orphans_.empty()) recover_some();
  pool_.end_helpers();
  for (AttachedSession* session : pool_.sessions()) session->keep_no_vacant();  // nobody would look after it
  (void)pass(true);
  const std::vector<AttachedSession*> sessions = pool_.sessions();
  const bool refused =
      known_.has(Left::kRefused) || std::any_of(sessions.begin(), sessions.end(),
                                                [](const AttachedSession* session) { return session->is_refused(); });
  pool_.clear();
  remove_vacant();
  return !refused;
}

// Producers that can wake nobody are looked for: often while they log, and less often the longer they have been silent.
std::int64_t ExternalScribe::longest_wait(const std::vector<AttachedSession*>& sessions) const {
  std::int64_t longest = kLongestWaitNs;
  for (const AttachedSession* session : sessions) {
    if (!session->is_mute()) continue;
    if (session->has_pending()) {
      longest = kShortestForMuteNs;
      break;
    }
    longest = std::clamp((monotonic_now() - last_work_) / 4, kShortestForMuteNs, kLongestWaitNs);
  }
  const std::int64_t now = monotonic_now();
  for (const AttachedSession* session : sessions)
    longest = std::clamp(session->show_due_in(now), kShortestForSinksNs, longest);
  for (const AttachedSession* session : sessions) {
    if (const std::int64_t grace = session->grace_left(now); grace != 0) longest = std::min(longest, grace);
  }
  return longest;
}

// Until a producer calls, or something may be due.
void ExternalScribe::sleep() {
  if (pool_.is_helped()) return pool_.wait_for_helpers(kShortestWaitNs);
  // Read before the last look, because later calls change them.
  std::vector<FutexWord> words = doorbells_.words();
  const std::vector<AttachedSession*> sessions = pool_.sessions();
  for (AttachedSession* session : sessions) {
    if (!session->rings_doorbell()) words.push_back({session->sleep_word(), 1});
    session->set_sleeping(true);
  }
  // Pairs with the fence in ScribeCall::wake: either it sees the word, or we see its tail or its request.
  fence<__ATOMIC_SEQ_CST>();
  const bool needed = std::any_of(sessions.begin(), sessions.end(), [](const AttachedSession* session) {
    return session->asked() || session->may_end() || session->nearly_full();
  });
  const std::int64_t longest = longest_wait(sessions);
  if (!needed) futex_wait_any(words, longest, std::min(longest, kShortestWaitNs));
  for (AttachedSession* session : sessions) session->set_sleeping(false);
}

}  // namespace steno::live
