// One sink: its queue, the thread that empties it, and what that thread prints with.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/session_block.h"
#include "lines/line_format.h"
#include "lines/rate_limit.h"
#include "reader/log_file.h"
#include "sink/records.h"
#include "sink/target.h"
#include "sink/time_order.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

// The result of one look at the rings of a session.
struct Look {
  std::uint64_t source = 0;                            // the number of the session
  std::int64_t at = 0;                                 // when, monotonic ns
  std::uint64_t ticks = 0;                             // the same moment by the session's clock
  bool whole = true;                                   // false: other parts of the same look follow,
  std::uint64_t settled = 0;                           // whose records are not older than this, in ticks
  bool last = false;                                   // print all at once: do not wait for older ones
  bool rotate = false;                                 // rotate files afterwards
  std::shared_ptr<const format::SessionBlock> begins;  // set in the session's first look
  bool ends = false;                                   // this is the session's last look
  std::shared_ptr<const Declarations> declarations;
  std::shared_ptr<const Records> records;
};

// Records younger than this are held back until the next look, because older ones of other threads may come with it.
inline constexpr std::int64_t kHoldNs = 100'000;

// Its thread may block in the target for ever, so it is never joined; it shares the ownership of this object.
//
// Several sessions may share it. Lines of each are in the order of time; what was found of one stands before what is
// found of another later.
//
// Thread safety: open() or start() is called first. Looks of one session are pushed by one thread at a time; all else
// is for any.
class SinkThread : public std::enable_shared_from_this<SinkThread> {
 public:
  // `most_wait_ns`: how long push(), wait_written() and close() wait for the target.
  SinkThread(const SinkOptions& options, std::int64_t most_wait_ns);

  // Opens the target and starts the thread.
  Status open(unsigned file_mode);
  // Does what open() does, on a target of the caller's.
  Status start(std::unique_ptr<Target> target);
  bool is_prompt() const { return target_->is_terminal(); }

  // Returns whether the queue has room for records; waits for some if the sink's options allow that. If it has none,
  // leave the records out and give push() their number.
  bool has_room();
  void push(Look look, std::uint64_t skipped);
  // Returns whether the sink prints records of that level and logger. Any thread.
  bool wants(Level level, std::string_view logger) const;
  // The name that rules for levels use, and the level in force: that of a rule, else of the options. Any thread.
  const std::string& rule_name() const { return rule_name_; }
  Level level() const { return level_.load(std::memory_order_relaxed); }
  void set_level(std::optional<Level> level) {
    level_.store(level.value_or(options_.level), std::memory_order_relaxed);
  }

  // Returns when all that was pushed before has been handed to the target. False: it took too long.
  bool wait_written();
  // The thread ends when it has handed all that was pushed before to the target; what is pushed later is dropped.
  void begin_close();
  // Does what begin_close() does, and waits until the thread has closed the target and ended. Lines that the target
  // does not take in time are lost.
  void close();
  // Does what Target::abandon() does.
  void abandon();
  // The first warning that was not returned; empty: there is none. Of those that nobody takes, the first few are kept.
  std::string take_warning();

 private:
  struct Message {
    Look look;
    std::uint64_t skipped = 0;  // records that were left out before it
    std::size_t bytes = 0;
  };

  // A session, and what is printed of it.
  struct Source {
    explicit Source(const format::SessionBlock& info);

    reader::Ordinals ordinals;
    reader::Session session;
    std::uint64_t offset = 0;  // of the latest declarations, as if they were in a file
    TimeOrder order;
    std::unique_ptr<lines::LineFormat> format;
  };

  // Lines that are written together.
  struct Batch {
    ByteBuffer text;
    std::uint64_t records = 0;
    // For targets that take lines one by one: each line without its text, and where its text ends.
    std::vector<Line> lines;
    std::vector<std::size_t> ends;

    void clear() {
      text.clear();
      records = 0;
      lines.clear();
      ends.clear();
    }
  };

  void run();
  void process(const Message& message);
  bool holds_some() const;
  void print_held();
  void begin_source(const Look& look);
  void end_source(std::uint64_t source);
  void rotate();
  static void declare(Source& source, const Declarations& declarations);
  void print(std::span<const reader::Slice> slices);
  void append(std::span<const reader::Slice> slices, Batch& batch);
  void append_lines(reader::Slice slice, Batch& batch);
  void append_limited(const reader::Slice& slice, Batch& batch);
  void count_held_back();
  void count_held_back_if_due();
  void write_batch();
  void prepare();
  bool write_notice();
  bool write(Batch& batch);
  void note_skipped(std::uint64_t records);
  void note_loss(Loss loss);
  void note_failure(std::string reason);
  void note_warnings();
  void add_warning(std::string warning);
  bool wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done);

  const SinkOptions options_;
  const std::string rule_name_;
  std::atomic<Level> level_;
  const std::int64_t most_wait_ns_;
  std::unique_ptr<Target> target_;  // used by the sink's thread only, once that runs
  std::string name_;                // the target's

  // Used by the sink's thread only.
  bool terminal_ = false;
  lines::RateLimit limit_{0};
  std::int64_t held_since_ = 0;  // when limit_ first held back a record that no line counts yet; 0: there is none
  std::uint64_t missed_ = 0;     // records for which there was no memory, and which no notice counts yet
  std::unordered_map<std::uint64_t, std::unique_ptr<Source>> sources_;
  Source* source_ = nullptr;  // whose look is being processed
  Batch batch_;
  Batch notice_;
  std::uint64_t skipped_ = 0;  // since the last notice
  std::string reason_;         // why they were skipped
  std::uint64_t ticks_ = 0;    // of the latest look
  bool failing_ = false;       // warned that the target cannot be written

  std::mutex mutex_;  // guards all below
  std::condition_variable pushed_;
  std::condition_variable taken_;
  std::deque<Message> queue_;
  std::size_t bytes_ = 0;             // in the queue, the message that is being printed included
  bool full_ = false;                 // the queue was full, and is not half empty yet
  bool gave_up_ = false;              // has_room() waited in vain since then, and does not wait again
  bool warned_full_ = false;          // that lines are skipped
  std::uint64_t skipped_before_ = 0;  // records left out since the last message in the queue
  std::uint64_t pushes_ = 0;
  std::uint64_t done_ = 0;  // how many of the pushes have been processed
  bool closing_ = false;
  bool ended_ = false;                // the thread has closed the target
  bool abandoned_ = false;            // close() gave up: nothing is written any more
  std::deque<std::string> warnings_;  // that take_warning() has not returned
};

}  // namespace steno::sink
