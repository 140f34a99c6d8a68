// The scribe: drains the rings of one session into its file (ring.md §4.2, file.md), and shows its sinks what it
// drains.
//
// A *pass* looks at all tails, and if something is due walks the new records, writes them as blocks, and only then
// releases the rings. Passes run in the scribe's own thread, or in whoever calls poll() and flush(); pass_mutex_ keeps
// them apart.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "drain/drain.h"
#include "drain/effort_control.h"
#include "drain/flight_recorder.h"
#include "format/end_block.h"
#include "logfile/output_file.h"
#include "logfile/rotator.h"
#include "logfile/session_writer.h"
#include "logfile/sync_schedule.h"
#include "runtime/core.h"
#include "scribe/control.h"
#include "scribe/service.h"
#include "scribe/warnings.h"
#include "sink/feed.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::scribe {

// The ids of the own process.
class CoreIds final : public drain::IdSource {
 public:
  explicit CoreIds(runtime::Core& core) : core_(core) {}
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override;
  std::uint32_t sites_end() override;
  bool find_logger(std::uint32_t id, std::string* name) override;

 private:
  runtime::Core& core_;
};

class Scribe final : public Service {
 public:
  // `core` must be buffering; it stays this scribe's until stop().
  Scribe(runtime::Core& core, const Options& options);
  ~Scribe() override;

  // Opens the file, writes the session block, lets the core run and starts the thread. On failure nothing has happened.
  Status start() override;
  // Any thread. Returns when everything logged before is in the file, or why it cannot be.
  Status flush() override;
  Status rotate() override;
  Status dump_recorder() override;
  // One pass. Returns whether anything was written.
  bool poll() override;
  // poll() that writes all there is, unless a pass is under way: for producers that wait.
  bool help() override;
  // Writes everything, the end block, and closes. Producers are back to buffering afterwards.
  Status stop() override;
  // In a forked child, in place of stop(): lets go of everything. The parent writes on.
  void abandon() override;
  bool stopped() const { return stopping_.load(std::memory_order_acquire); }
  Stats stats() const override;

 private:
  enum class Due { kNothing, kLater, kNow };
  // One that was renamed, and the session that ended in it.
  struct OldFile {
    logfile::OutputFile file;
    std::uint64_t session_id = 0;
  };
  static constexpr std::size_t kMostOldFiles = 4;
  static constexpr std::int64_t kQuietWaitNs = 100'000'000;  // the longest wait while something may be due soon

  void run();
  // Gives the calling thread the CPU and the priority of the options; warns of what the system refuses.
  void place_thread();
  void wait(Due due, bool wrote);
  void look_again(std::int64_t now);
  void do_chores(std::int64_t now);
  bool pass(bool force);
  bool pass_over_rings(bool force);
  bool records_aside() const { return core_options_.recorder_below != Level::kTrace; }
  bool is_recorder(std::uint32_t ring) { return &core_.ring(ring) == core_.recorder(); }
  // Whether what is in a ring waits for something to happen.
  bool holds_back(std::uint32_t ring) { return records_aside() && is_recorder(ring); }
  drain::RingSpan span_of(const runtime::Ring& ring);
  drain::FlightRecorder flight_recorder();
  void take_aside(runtime::Ring& ring, const wire::RingOwner& owner, std::uint64_t position);
  void note_trigger();
  bool dump_if_due();
  bool dump(std::string_view reason);
  void forget_recorded();
  bool has_file() const { return !options_.path.empty(); }
  std::int64_t block_at_most_ns() const;
  Status open_sinks();
  void close_sinks();
  bool serve_control();
  void show_sinks();
  void set_sink_levels();
  std::vector<sink::Feed::SinkState> sinks();
  void show_sinks_if_due();
  void adopt_rings();
  Due look(bool force);
  void choose_effort();
  void note_look();
  void note_lag(std::int64_t ns);
  void tidy(std::int64_t now);
  bool write_blocks();
  Status write_walked();
  Status write_out(const format::BlockInput* input);
  Status write_out(logfile::OutputFile& file, const format::BlockInput* input);
  void release(runtime::Ring& ring);
  void release_all();
  Status open_file();
  Status rotate_before_start();
  void rotate_if_due(bool followed);
  Status rotate_file();
  void rotate_if_large();
  bool has_records() const { return file_.end() > blank_end_; }
  bool follow_path();  // true: the path named another file, or ours was truncated
  bool follow_truncation();
  Status go_on_in_new_file();
  void end_in_old_file(logfile::OutputFile old);
  void keep_old_file(OldFile old);
  void retry_old_files();
  void rewind();
  void begin_file();
  void update_clock(bool force);
  Status write_session_block();
  void finish_announced();
  void report_losses();
  Status write_own_record(runtime::Ring& ring, const drain::OwnRecord& record);
  std::uint64_t unreleased_bytes() const;
  format::EndBlock end_block() const;
  Status write_end_block(logfile::OutputFile& file);
  void keep_clock() const;
  std::uint64_t ticks_now() const;
  void sync(bool all);
  void check_warnings();
  void warn(const std::string& what) const { scribe::warn(options_, what); }
  logfile::Rotator::Warn warns() const {
    return [this](const std::string& what) { warn(what); };
  }
  void note_write(const Status& status);
  void note_bytes();

  runtime::Core& core_;
  const Options options_;
  const runtime::CoreOptions core_options_;  // the core forgets them at the end
  const pid_t pid_;
  Control control_;
  logfile::OutputFile file_;
  logfile::Rotator rotator_;
  logfile::SyncSchedule sync_;
  std::uint64_t blank_end_ = 0;  // of file_: where it ends if it has no records
  // Renamed while they could not be written, as long as their end blocks are not out; the oldest first.
  std::vector<OldFile> old_files_;
  std::int64_t last_old_try_ = 0;
  std::uint64_t dump_end_ = 0;  // position in the flight recorder's ring: what lies before it is to be written
  bool dump_due_ = false;       // it was asked for before this pass's look, or an earlier one's
  bool triggered_ = false;      // a record of the level that has the flight recorder written was drained
  CoreIds ids_;
  drain::Drain drain_;
  std::unique_ptr<sink::Feed> feed_;  // nullptr: there are no sinks
  std::uint64_t sink_changes_ = 0;    // of Levels, that it has seen
  bool feed_all_ = false;             // at the next pass
  std::int64_t looked_at_ = 0;        // before tails_ were loaded, and by the session's clock:
  std::uint64_t looked_ticks_ = 0;
  drain::EffortControl effort_control_;
  bool dated_ = false;                     // a clock point of this scribe's is in staging
  std::vector<drain::DrainedRing> rings_;  // as Core::ring(): written to here; the header follows
  std::vector<std::uint64_t> tails_;       // by ring, of this pass
  // Of the block under way. (Kept: a handler that interrupted malloc may wait for the room that we make.)
  std::vector<std::pair<runtime::Ring*, drain::RingCursor>> covered_;
  ByteBuffer out_;
  logfile::SessionWriter session_writer_;

  std::mutex pass_mutex_;
  std::int64_t pending_since_ = 0;  // monotonic ns; 0: nothing is pending
  std::uint64_t pending_bytes_ = 0;
  std::int64_t last_clock_check_ = 0;
  std::int64_t last_tidy_ = 0;
  std::int64_t last_chores_ = 0;
  std::int64_t last_path_check_ = 0;
  bool lost_path_ = false;  // a warning that the path cannot be opened anew is out
  std::int64_t last_work_ = 0;
  std::int64_t previous_work_ = 0;
  bool failing_ = false;   // a warning about the file is out
  bool dropping_ = false;  // and one that records are dropped
  std::int64_t last_help_ = 0;

  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> flush_requested_{0};
  std::atomic<bool> rotate_asked_{false};  // before flush_requested_
  std::atomic<bool> dump_asked_{false};    // likewise
  std::mutex flush_mutex_;
  std::condition_variable flush_changed_;
  std::uint64_t flush_done_ = 0;
  Status flush_status_;
  Status rotate_status_;  // of the last one that was asked for

  std::atomic<std::uint64_t> records_{0};
  std::atomic<std::uint64_t> blocks_{0};
  std::atomic<std::uint64_t> quick_blocks_{0};
  std::atomic<std::uint64_t> most_backlog_bytes_{0};
  std::atomic<std::uint64_t> lag_ns_{0};
  std::atomic<std::uint64_t> longest_lag_ns_{0};
  std::uint64_t closed_bytes_ = 0;  // in files before this one
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> cpu_ns_{0};
};

}  // namespace steno::scribe
