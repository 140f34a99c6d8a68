// The scribe: drains the rings of one session into its file (ring.md §4.2, file.md), and shows its sinks what it
// drains.
//
// A *pass* reads all tails. If something is due, it walks the new records, writes them as blocks, and only then
// releases the rings. Passes run in the scribe's own thread, or in the thread that calls poll() or flush(); pass_mutex_
// lets one run at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "control/serve.h"
#include "drain/drain.h"
#include "drain/effort_control.h"
#include "drain/flight_recorder.h"
#include "format/end_block.h"
#include "logfile/session_log.h"
#include "logfile/session_writer.h"
#include "runtime/core.h"
#include "scribe/service.h"
#include "scribe/warnings.h"
#include "sink/feed.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::scribe {

// Sites and loggers of this process.
class CoreIds final : public drain::IdSource {
 public:
  explicit CoreIds(runtime::Core& core) : core_(core) {}
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override;
  std::uint32_t sites_end() override;
  bool find_logger(std::uint32_t id, std::string* name) override;

 private:
  runtime::Core& core_;
};

class Scribe final : public Service, private logfile::LogOwner {
 public:
  // `core` must be in the state kBuffering; nobody else may drain it until stop().
  Scribe(runtime::Core& core, const Options& options);
  ~Scribe() override;

  // Opens the file, writes the session block, lets the core run and starts the thread. On failure the core is as
  // before.
  Status start() override;
  // Any thread. Returns when everything logged before the call is in the file, or with the reason why it cannot be.
  Status flush() override;
  Status rotate() override;
  Status dump_recorder() override;
  // One pass. Returns whether anything was written.
  bool poll() override;
  // Called by producers that wait for room: writes all there is, unless another pass is under way.
  bool help() override;
  // Writes everything and the end block, and closes the file. Afterwards producers buffer again.
  Status stop() override;
  // In a forked child, instead of stop(): closes descriptors and forgets the thread. The parent continues to write.
  void abandon() override;
  bool stopped() const { return stopping_.load(std::memory_order_acquire); }
  Stats stats() const override;

 private:
  enum class Due { kNothing, kLater, kNow };
  static constexpr std::int64_t kQuietWaitNs = 100'000'000;  // the longest wait while a block may be due soon

  void run();
  // Gives the calling thread the CPU and the priority that the options ask for; warns if the system refuses.
  void place_thread();
  void wait(Due due, bool wrote);
  void look_again(std::int64_t now);
  void note_news();
  bool may_rest(std::int64_t now) const;
  bool is_quiet() const;
  void rest(std::int64_t now);
  void do_chores(std::int64_t now);
  void keep_locks();
  void do_chores_if_due(std::int64_t now);
  // Whatever happens: without memory it writes nothing, and the next pass tries again.
  bool pass(bool force);
  bool try_pass(bool force);
  void begin_again();
  void note_exhausted() noexcept;
  // Why not all that was logged before the last pass is on file; ok: it is.
  Status unwritten() const;
  void look_around();
  Status end_file();
  bool pass_over_rings(bool force);
  bool records_aside() const { return core_options_.recorder_below != Level::kTrace; }
  bool is_recorder(std::uint32_t ring) const { return &core_.rings().at(ring) == core_.recorder(); }
  // Returns whether the ring is the flight recorder's, which is only written when it is triggered.
  bool holds_back(std::uint32_t ring) const { return records_aside() && is_recorder(ring); }
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
  void rotate_if_due(bool followed);
  // Answers to its SessionLog.
  std::uint64_t session_id() const override { return core_.session().session_id; }
  bool write_all() override;
  void take_back() override { rewind(); }
  Status end_in(logfile::OutputFile& old) override { return write_end_block(old); }
  void go_on() override;
  void rewind();
  void begin_file();
  void update_clock(bool force);
  Status write_session_block();
  void finish_announced();
  void report_losses();
  void report_handlers();
  void report_handlers_if_due();
  void report_discards(std::uint64_t records, std::string_view reason);
  void report_unreadable(std::uint32_t ring);
  void write_without_ring(const drain::OwnRecord& record);
  Status write_own_record(runtime::Ring& ring, const drain::OwnRecord& record);
  std::uint64_t unreleased_bytes() const;
  Status left_in_memory() const;
  format::EndBlock end_block() const;
  Status write_end_block(logfile::OutputFile& file);
  void keep_clock() const;
  std::uint64_t ticks_now() const;
  void check_warnings();
  void warn(const std::string& what) const { scribe::warn(options_, what); }
  void note_write(const Status& status);
  void note_bytes();

  runtime::Core& core_;
  const Options options_;
  const runtime::CoreOptions core_options_;  // a copy: the core resets its own when the session ends
  const pid_t pid_;
  control::Server control_;
  logfile::SessionLog log_;
  logfile::OutputFile& file_ = log_.file();
  std::uint64_t dump_end_ = 0;  // position in the flight recorder's ring up to which it is to be written
  bool dump_due_ = false;       // a dump was requested before the tails of this pass were read
  bool triggered_ = false;      // a record at or above the flight recorder's trigger level was drained
  CoreIds ids_;
  drain::Drain drain_;
  std::shared_ptr<sink::SinkSet> sinks_;  // nullptr: there are none
  std::unique_ptr<sink::Feed> feed_;      // likewise
  std::uint64_t sink_changes_ = 0;        // Levels::sink_changes() that feed_ has been given
  bool feed_all_ = false;                 // the next pass holds nothing back from the sinks
  std::int64_t looked_at_ = 0;            // monotonic time just before tails_ were loaded,
  std::uint64_t looked_ticks_ = 0;        // and the same moment by the session's clock
  drain::EffortControl effort_control_;
  bool dated_ = false;                     // this scribe has published a clock point in staging
  std::vector<drain::DrainedRing> rings_;  // by index, as RingPool::at(): drained up to here, ahead of the last release
  std::optional<drain::DrainedRing> absent_ring_;  // of a session that got no ring at all, for what it must report
  std::vector<std::uint64_t> tails_;               // by ring, as loaded by this pass
  // Rings that the current block has records of. A member, so that its memory is kept: a signal handler that
  // interrupted malloc may be waiting for the room that this pass makes.
  std::vector<std::pair<runtime::Ring*, drain::RingCursor>> covered_;
  ByteBuffer out_;
  logfile::SessionWriter session_writer_;

  std::mutex pass_mutex_;
  std::int64_t pending_since_ = 0;  // monotonic ns; 0: nothing is pending
  std::uint64_t pending_bytes_ = 0;
  std::int64_t last_clock_check_ = 0;
  std::int64_t last_tidy_ = 0;
  std::int64_t last_chores_ = 0;
  std::uint64_t seen_bytes_ = 0;   // all that had been logged at the last look
  std::int64_t last_news_ = 0;     // monotonic time of the last look that saw more
  std::uint64_t quiet_since_ = 0;  // ticks; the scribe has rested since, and has not looked at the clock yet
  std::int64_t last_work_ = 0;
  std::int64_t previous_work_ = 0;
  std::uint64_t unreadable_bytes_ = 0;  // of rings, that were skipped since the last report
  bool failing_ = false;                // warned that the file cannot be written
  bool lost_locks_ = false;             // warned that others may take the process for dead
  bool begins_again_ = false;           // the last pass was left by an exception
  std::int64_t handlers_reported_ = monotonic_now();
  bool dropping_ = false;  // warned that records are dropped
  std::int64_t last_help_ = 0;
  std::int64_t starved_gap_ns_ = 0;  // between two tries without memory; grows

  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> flush_requested_{0};
  std::atomic<bool> rotate_asked_{false};  // stored before flush_requested_ is counted up
  std::atomic<bool> dump_asked_{false};    // likewise
  std::mutex flush_mutex_;
  std::condition_variable flush_changed_;
  std::uint64_t flush_done_ = 0;
  Status flush_status_;
  Status rotate_status_;  // of the last rotation that was requested

  std::atomic<std::uint64_t> records_{0};
  std::atomic<std::uint64_t> blocks_{0};
  std::atomic<std::uint64_t> quick_blocks_{0};
  std::atomic<std::uint64_t> most_backlog_bytes_{0};
  std::atomic<std::uint64_t> lag_ns_{0};
  std::atomic<std::uint64_t> longest_lag_ns_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> cpu_ns_{0};
};

}  // namespace steno::scribe
