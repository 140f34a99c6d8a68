// A log as it is written: what is new since the last look, in the order of time.
//
//   Follower follower(path);
//   LogSet logs;
//   follower.open(&logs);                 // all there is now; print what is wanted of it
//   while (...) follower.poll(print);     // then what comes
//
// Looks at the rings themselves, so a record is seen as soon as its call has returned, whether its process runs, hangs
// or is dead; at the file for what was released meanwhile; follows rotation, truncation and restarts.
//
// Order: a record that one look finds is printed by the next one, along with whatever the next one finds that is
// earlier. So it is exact among records that are published within the time between two looks of their time stamp; one
// whose thread was held up longer between reading the clock and publishing comes late, when it is seen.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "live/staging_view.h"
#include "reader/log_set.h"
#include "reader/merge.h"
#include "steno/status.h"

namespace steno::api {

// Not thread-safe. Memory: what one look finds, and the dictionaries.
class Follower {
 public:
  enum class Order {
    kTime,
    kNone,  // each thread in its own order only, and at once: for those who count
  };
  explicit Follower(std::string path, Order order = Order::kTime) : path_(std::move(path)), order_(order) {}
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Adds all there is to `logs`; poll() tells what comes behind it. kNotFound: nothing there yet; poll() waits for it.
  Status open(reader::LogSet* logs, std::vector<std::string>* problems);

  // Records begin to end - 1 of the slice are new. False: stop.
  using Print = std::function<bool(const reader::Slice&)>;
  // One look. Returns whether there was anything, or is something to come at the next look: then look again soon.
  // Order::kNone: whether the file may have more already. Cost when there is nothing: a few loads, and a system call.
  bool poll(const Print& print);

  // The staging directories of the processes that log into the file, as of the last look.
  std::vector<std::string> staging() const;

 private:
  struct Watched {
    live::StagingView view;
    std::vector<std::uint64_t> tails;  // at the last look
  };
  using SeenByRing = std::map<std::uint32_t, std::uint64_t>;

  void look_for_staging(bool now);
  bool staging_moved();
  bool file_moved();
  void open_file();
  void read_file(ByteBuffer* bytes, std::uint64_t* end);
  void keep_preamble(std::span<const std::uint8_t> bytes);
  void note_seen(const reader::LogFile& file);
  void note_hints(const reader::LogFile& file);
  void follow_sessions(const reader::LogFile& file);
  bool print_new(reader::LogSet& logs, const Print& print);

  const std::string path_;
  const Order order_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t offset_ = 0;   // of the file: all before it is printed
  std::uint64_t read_to_ = 0;  // seen by the last look
  std::uint64_t file_size_ = 0;
  ByteBuffer preamble_;  // session, dictionary and clock blocks before offset_
  std::vector<Watched> watched_;
  std::vector<live::Hint> hints_;  // where sessions say their staging is
  std::int64_t last_search_ = 0;
  std::map<std::uint64_t, SeenByRing> seen_;  // by session: the number behind the last one printed
  // By staging: the session that ended there last, and how many records each ring gave it. What it had not written then
  // is the next session's, with numbers from 0 (ring.md §4.2).
  struct Ended {
    std::uint64_t session_id = 0;
    SeenByRing totals;
  };
  std::map<std::string, Ended> ended_;
  std::int64_t cutoff_ = INT64_MIN;  // the latest key of the last look
  bool held_ = false;                // records beyond it wait for the next look
};

}  // namespace steno::api
