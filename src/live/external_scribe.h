// The scribe of sessions that bring none: finds them, drains them, ends them, and recovers those whose process died
// while nobody drained (ring.md §1.2, §5). It looks at sessions of the calling user alone. For a log that it is given
// by name, it also recovers what a process left that brought its scribe: processes that log there leave that to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "live/attached_session.h"
#include "live/doorbells.h"
#include "live/drain_pool.h"
#include "live/known_staging.h"
#include "steno/status.h"

namespace steno::live {

struct ExternalScribeOptions {
  // Which sessions: those that log to one of these paths, or (`all`) to any; and those that name no log, where
  // attach.log_of does.
  std::vector<std::string> paths;
  bool all = false;
  // "": any. Else of sessions that live only the one in this directory, which nobody else is expected to drain.
  std::string only;
  AttachOptions attach;  // its functions may be called by several threads at once
  // That drain at most, 1 or more. Others than the one that calls run() are there only while that has too much to do.
  unsigned threads = 1;
  std::vector<std::string> roots;  // where staging may be besides the usual places
  // Between two looks for sessions that have not called: their process knows no doorbell, or is dead. Longer where
  // there is so much staging that a look takes long.
  std::int64_t find_gap_ns = 50'000'000;
  // How long staging that a process has left stays, for the next that logs to the same file (ring.md §1.6); what is
  // left is removed at the end.
  std::int64_t keep_vacant_ns = 10'000'000'000;
  // How long there has been no session until it ends by itself; 0: it does not.
  std::int64_t end_when_idle_ns = 0;
  // Returns whether all logs are to be rotated now; called again and again. nullptr: never.
  std::function<bool()> take_rotation = {};
};

// Not thread-safe. Memory: some MiB a session that is attached.
class ExternalScribe {
 public:
  explicit ExternalScribe(ExternalScribeOptions options);

  // Drains until `stop` returns true or it has been idle for long; then drains the rest and detaches from all sessions.
  // False: something that is wanted could not be written, and stays where it is. A warning has said why.
  bool run(const std::function<bool()>& stop);

 private:
  // Makes a pass over all sessions, once. Returns whether anything moved.
  bool pass(bool force);
  // Returns whether there has been nothing for so long that the scribe is to end.
  bool was_idle();
  void find();
  void find_arrivals();
  // When to recover an orphan, which takes long compared with a pass over live sessions: at once, when its turn comes,
  // or now because its turn has come.
  enum class Recovery { kNow, kInTurn, kItsTurn };
  void consider(const std::string& directory, Recovery recovery);
  // Opens it, attaches or recovers it. Why it is left alone, if it is.
  std::optional<Left> take(const std::string& directory, Recovery recovery);
  std::optional<Left> recover_left(const std::string& directory, const ring::SessionFile& session);
  // Recovers waiting orphans: at least one, if there is one, and as many as fit into a few milliseconds.
  void recover_some();
  // Returns whether vacant staging is to stay for now.
  bool may_stay(const std::string& directory, std::uint64_t session_id);
  void remove_vacant();
  // Its work between two looks whether it is to stop. False: it is to end, since nothing has happened for long.
  bool look_around();
  // Memory has failed somewhere: waits for a while, which grows.
  void starve();
  void rotate();
  void serve_requests();
  void pass_on_warnings();
  void sleep();
  std::int64_t longest_wait(const std::vector<AttachedSession*>& sessions) const;
  bool is_wanted(const ring::SessionFile& session, bool orphan) const;
  void say_once(const std::string& directory, const std::string& what);

  ExternalScribeOptions options_;
  logfile::SessionPacker packer_;
  Doorbells doorbells_;
  DrainPool pool_;
  KnownStaging known_;
  std::map<std::string, std::string> last_notices_;  // by directory: the last notice about it
  std::map<std::string, std::uint64_t> shown_;  // by directory: the session that sinks were shown when it was recovered
  struct VacantStaging {
    std::uint64_t session_id = 0;  // the last there
    std::int64_t since = 0;
  };
  std::map<std::string, VacantStaging> vacant_;  // by directory
  std::set<std::string> orphans_;                // directories that wait to be recovered
  std::int64_t next_tidying_ = 0;
  std::int64_t next_find_ = 0;
  std::int64_t last_work_ = 0;
  // True: the next work is likely to come so soon that it is cheaper to look on than to sleep: the last sleep before
  // work was shorter than that, and all work since has come in time. Where producers share a core with us they log only
  // while we sleep.
  bool spinning_pays_ = false;
  std::int64_t slept_ns_ = 0;        // before this pass
  std::int64_t idle_since_ = 0;      // 0: there are sessions
  std::int64_t starved_gap_ns_ = 0;  // 0: memory did not fail last
};

}  // namespace steno::live
