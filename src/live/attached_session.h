// One session of another process that brings no scribe, drained into a log as it goes (ring.md §1.2).
//
//   auto session = AttachedSession::attach(directory, options);
//   while ((*session)->pass(force) == AttachedSession::Outcome::kGoesOn) { ... }
//
// It can be destroyed, or the process killed, at any moment: another scribe can then continue with the session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "drain/effort_control.h"
#include "live/file_drain.h"
#include "live/file_requests.h"
#include "live/staging_drain.h"
#include "logfile/session_log.h"
#include "logfile/session_packer.h"
#include "ring/session_access.h"
#include "staging/foreign_staging.h"
#include "steno/status.h"

namespace steno::sink {
class SinkSet;
}

namespace steno::live {

class StagingFeed;

struct AttachOptions {
  // Names the log of a session that names none itself; "": such a session is refused.
  std::function<std::string(const ring::SessionFile&)> log_of;
  unsigned file_mode = 0600;                       // of logs that are made
  std::int64_t flush_interval_ns = 1'000'000'000;  // the longest a record waits for its block
  int zstd_level = 0;                              // as Options::zstd_level
  logfile::SyncPolicy sync;
  bool keep_up = true;        // as Options::keep_up
  bool keeps_vacant = false;  // somebody looks after staging that is left to the next process (ring.md §1.6)
  std::function<void(const std::string&)> warn;
  logfile::SessionPacker* packer = nullptr;  // of short sessions; nullptr: they are written as others are
  Rotation rotation = {};                    // checked; on_start is not for it
  // The sinks that sessions are shown to, as of now; nullptr, or no function: none. Asked at each pass, by several
  // threads.
  std::function<std::shared_ptr<sink::SinkSet>()> sinks = {};
  std::shared_ptr<sink::SinkSet> current_sinks() const { return sinks ? sinks() : nullptr; }
};

// Not thread-safe.
class AttachedSession final : private logfile::LogOwner {
 public:
  // kFailedPrecondition: its process is dead, it has no session that needs a scribe, or somebody else drains it. Else
  // as ForeignStaging::open() and OutputFile::open(). `options` must outlive the result.
  static Result<std::unique_ptr<AttachedSession>> attach(const std::string& directory, const AttachOptions& options);
  AttachedSession(const AttachedSession&) = delete;
  AttachedSession& operator=(const AttachedSession&) = delete;
  ~AttachedSession();

  enum class Outcome {
    kGoesOn,
    kEnded,  // its end is on file
    kAgain,  // it is to be attached anew, for what it finds then
  };
  // Writes what is due, or all there is (`force`), and ends what has ended.
  Outcome pass(bool force);
  // The next pass closes the file, if it has records, and continues in a new one. Where that fails, it goes on in this
  // one, and last_rotation() says why.
  void rotate_next() { rotate_next_ = true; }
  const Status& last_rotation() const { return last_rotation_; }
  // The requests to it, for the caller to carry out and answer.
  FileRequests& requests() { return asked_; }
  // The next pass writes all there is, and first looks whether the path has come to name another file.
  void write_all_next() { write_all_next_ = true; }

  // Its owner removes the rest, for nobody will look after it.
  void keep_no_vacant() { ring::set_keeps_vacant(*view_.shared_session(), false); }

  // How long until sinks are to be shown what is new, in ns.
  std::int64_t show_due_in(std::int64_t now) const;

  // Returns whether the session's file does not take what there is; options.warn has been told.
  bool is_refused() const { return refusing_; }
  // Returns whether a pass would find something; a few loads a ring.
  bool moved() const { return drain_->moved(); }
  // Returns whether a ring has so much that it is to be written at once, and can be.
  bool nearly_full() const { return !file_.stuck() && drain_->nearly_full(); }
  // The word by which producers wake the consumer: set to 1 before a last check of moved() and a wait (ring.md §4.2).
  void set_sleeping(bool sleeping) { ring::set_sleeping(*view_.shared_session(), sleeping); }
  std::uint32_t* sleep_word() { return &view_.shared_session()->scribe_sleeping; }
  bool asked() const;
  // How long what it was asked to write waits for its end, in ns.
  std::int64_t grace_left(std::int64_t now) const;
  // Returns whether the process has stopped the session in order, and the rest can be written.
  bool may_end() const { return !file_.stuck() && stopped(); }
  // Returns whether producers ring the user's doorbell where they find 1 in sleep_word() (ring.md §1.4).
  bool rings_doorbell() const { return view_.session().doorbell != 0; }
  // Returns whether producers can only increment the doorbell's `calls`, and wake nobody.
  bool is_mute() const { return view_.session().doorbell == 2; }
  // Returns whether there are records that wait for a block to be due.
  bool has_pending() const { return pending_since_ != 0; }

  const std::string& directory() const { return view_.directory(); }
  const std::string& path() const { return file_.path(); }
  std::uint32_t pid() const { return view_.session().pid; }
  std::uint64_t records() const { return drain_->records(); }

 private:
  AttachedSession(staging::ForeignStaging view, const AttachOptions& options);
  Status open_log();
  bool name_log(const std::string& path);
  Status begin();
  bool stopped() const { return ring::is_stopped(*view_.shared_session()); }
  bool has_work(std::int64_t now) const;
  bool is_due(std::int64_t now) const;
  Outcome write_due(bool force);
  void choose_effort();
  void follow_sinks();
  void show(bool last);
  void write_blocks();
  void dump_recorder_if_due();
  Outcome pass_over_rings(bool force, std::int64_t now);
  bool may_end_at_once() const;
  Outcome end_of(bool dead, bool at_once);
  bool follow_truncation();
  Status rotate();
  // Answers to its SessionLog.
  std::uint64_t session_id() const override { return view_.session().session_id; }
  bool write_all() override;
  void take_back() override { into_->take_back(); }
  Status end_in(logfile::OutputFile& old) override {
    if (!dead_) update_clock(true);  // where its line ends, that of the next file begins
    return into_->end_in(old);
  }
  void go_on() override;
  void note_look(std::int64_t now);
  void note_refusal(const Status& status);
  bool is_dead(std::int64_t now);
  void update_clock(bool force);
  std::uint32_t writes_asked() const;

  staging::ForeignStaging view_;
  FileRequests asked_;
  const AttachOptions& options_;
  logfile::SessionLog log_;
  logfile::OutputFile& file_ = log_.file();
  std::unique_ptr<StagingDrain> drain_;
  std::unique_ptr<FileDrain> into_;
  std::shared_ptr<sink::SinkSet> sinks_;
  std::unique_ptr<StagingFeed> feed_;  // nullptr: there are no sinks
  drain::EffortControl effort_control_;
  std::uint32_t requests_seen_ = 0;
  bool write_all_next_ = false;
  bool rotate_next_ = false;
  Status last_rotation_;
  std::uint32_t dumps_asked_ = 0;  // before this pass's look, or an earlier one's
  std::uint32_t dumps_begun_ = 0;
  bool dumping_ = false;            // not all is on file yet
  std::int64_t pending_since_ = 0;  // monotonic ns; 0: nothing waits
  std::int64_t last_life_check_ = 0;
  std::int64_t last_noted_look_ = 0;
  std::int64_t last_clock_check_ = 0;
  std::int64_t attached_at_ = monotonic_now();
  bool dead_ = false;
  bool refusing_ = false;  // a warning about the file is out
  bool broken_ = false;    // the end could not be written as a whole
};

}  // namespace steno::live
