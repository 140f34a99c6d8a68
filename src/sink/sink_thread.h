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
#include <vector>

#include "format/session_block.h"
#include "lines/line_format.h"
#include "reader/log_file.h"
#include "sink/records.h"
#include "sink/target.h"
#include "sink/time_order.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

// What one look at the rings found.
struct Look {
  std::int64_t at = 0;      // monotonic ns
  std::uint64_t ticks = 0;  // at that moment
  bool whole = true;        // false: more of the same look follows
  bool last = false;        // nothing is to be held back for what comes
  bool rotate = false;      // files go on in new ones after it
  std::shared_ptr<const Declarations> declarations;
  std::shared_ptr<const Records> records;
};

// Records younger than this wait for the next look, for older ones of other threads may come.
inline constexpr std::int64_t kHoldNs = 100'000;

// Its thread may be stuck in its target for ever, so it is never joined: it owns a share of this.
//
// Thread safety: open() is called first, and push() and close() by one thread; the others by any.
class SinkThread : public std::enable_shared_from_this<SinkThread> {
 public:
  // `most_wait_ns`: how long push(), wait_written() and close() wait for the target.
  SinkThread(const SinkOptions& options, const format::SessionBlock& session, std::int64_t most_wait_ns);

  // Fails with a sentence.
  Status open(unsigned file_mode);
  bool is_prompt() const { return target_->is_terminal(); }

  // Whether records would find room; where the sink may wait, after waiting for it. If not, push() is to count them as
  // skipped.
  bool has_room();
  void push(Look look, std::uint64_t skipped);
  // Whether the sink is to print records of that level and logger. Any thread.
  bool wants(Level level, std::string_view logger) const;
  // What rules call it, and what they say; none: its options' level. Any thread.
  const std::string& rule_name() const { return rule_name_; }
  Level level() const { return level_.load(std::memory_order_relaxed); }
  void set_level(std::optional<Level> level) {
    level_.store(level.value_or(options_.level), std::memory_order_relaxed);
  }

  // Returns when all that was pushed before has been handed to the target. False: it takes too long.
  bool wait_written();
  // The same, and the thread ends and lets go of the target. What that does not take in time is given up.
  void close();
  // What is wrong with it; empty: nothing new.
  std::string take_warning();

 private:
  struct Message {
    Look look;
    std::uint64_t skipped = 0;  // before it
    std::size_t bytes = 0;
  };

  // Lines that are written together.
  struct Batch {
    ByteBuffer text;
    std::uint64_t records = 0;
    // For targets that want them one by one: where the text of each ends, and all else about it.
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
  void declare(const Declarations& declarations);
  void print(std::span<const reader::Slice> slices);
  void append(std::span<const reader::Slice> slices, Batch& batch);
  void append_lines(reader::Slice slice, Batch& batch);
  void write_batch();
  void prepare();
  bool write_notice();
  std::uint64_t write(Batch& batch);
  void note_loss(Loss loss);
  void note_failure(std::string reason);
  void note_warning();
  bool wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done);

  const SinkOptions options_;
  const std::string rule_name_;
  std::atomic<Level> level_;
  const std::int64_t most_wait_ns_;
  std::unique_ptr<Target> target_;  // the thread's own, once it runs
  std::string name_;                // the target's

  // The thread's own.
  reader::Ordinals ordinals_;
  reader::Session session_;
  std::uint64_t offset_ = 0;  // of the latest declarations, as if they were in a file
  TimeOrder order_;
  std::unique_ptr<lines::LineFormat> format_;
  Batch batch_;
  Batch notice_;
  std::uint64_t skipped_ = 0;  // since the last notice
  std::string reason_;         // for that
  std::uint64_t ticks_ = 0;    // of the latest look
  bool failing_ = false;

  std::mutex mutex_;  // of all below
  std::condition_variable pushed_;
  std::condition_variable taken_;
  std::deque<Message> queue_;
  std::size_t bytes_ = 0;     // in the queue, and of the message that is being printed
  bool full_ = false;         // until half of the queue is free again
  bool gave_up_ = false;      // waiting for it, until then
  bool said_full_ = false;    // warned of it
  std::uint64_t unsaid_ = 0;  // records skipped since the last message
  std::uint64_t pushes_ = 0;
  std::uint64_t done_ = 0;  // of these
  bool closing_ = false;
  bool ended_ = false;      // the thread is at its end
  bool abandoned_ = false;  // nothing is written any more
  std::string warning_;
};

}  // namespace steno::sink
