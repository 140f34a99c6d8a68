// A log as it is written: what is new since the last look, in the order of time.
//
//   Follower follower(path);
//   LogSet logs;
//   follower.open(&logs);                 // all existing records; print the selected ones
//   while (...) {
//     follower.poll(print);               // then what comes
//     sleep(follower.pause());
//   }
//
// Looks at the rings themselves, so a record is seen as soon as its call has returned, whether its process runs, hangs
// or is dead; at the file for what was released meanwhile; follows rotation, truncation and restarts.
//
// Order: a look gives what is kHoldNs old or older, by the time stamps, of what it finds; the next one, kHoldNs later
// at most, gives the rest. So it is exact among records that are published within kHoldNs of their time stamp; one
// whose thread was held up longer between reading the clock and publishing comes when it is seen. Where time stamps are
// not those of the machine's clocks (Clock::kUser, a wall clock that was set back), what one look finds is given by the
// first look that comes kHoldNs after it.
//
// Delay: a look comes pause() after the last one, and gives a record at the latest when it is kHoldNs + pause() old,
// and what the look itself and the printing take. A record of a process that began to log since comes up to kSearchNs
// later; where there are no rings to look at (another machine's log), when the file has it and up to kFileNs later.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "follow/file_tail.h"
#include "live/staging_tail.h"
#include "reader/log_set.h"
#include "reader/merge.h"
#include "steno/status.h"

namespace steno::follow {

// Not thread-safe. Memory: the records of the last kHoldNs, and the dictionaries of the sessions that have not ended;
// after falling behind, FileTail::kMostAtOnce and as much as the rings hold.
class Follower {
 public:
  static constexpr std::int64_t kHoldNs = 100'000;
  static constexpr std::int64_t kSearchNs = 100'000'000;  // how often to look for new processes
  static constexpr std::int64_t kFileNs = 10'000'000;     // how often to look at the file

  enum class Order {
    kTime,
    kNone,  // each thread in its own order only, and at once: for those who count
  };
  // `most_at_once`: of the file, for tests.
  explicit Follower(const std::string& path, Order order = Order::kTime,
                    std::uint64_t most_at_once = FileTail::kMostAtOnce)
      : path_(path), order_(order), file_(path, most_at_once) {}
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Adds all existing records to `logs`; poll() returns later ones, and shows secrets if `logs` do. kNotFound: the file
  // does not exist yet, or is empty; poll() waits for it.
  Status open(reader::LogSet* logs, std::vector<std::string>* problems);

  // Records begin to end - 1 of the slice are new. False: stop.
  using Print = std::function<bool(const reader::Slice&)>;
  // One look. Returns whether the file may have more already. Costs, when there is nothing: a few loads a ring.
  bool poll(const Print& print);
  // How long to sleep until the next look, in ns: until what is held is old enough, else a millisecond.
  std::int64_t pause() const;
  // Returns whether records that were found wait to be given.
  bool holds() const { return !found_.empty(); }
  // How many sessions it remembers: those that records may still come of.
  std::size_t sessions() const { return seen_.size(); }

  // Returns whether the file had something that could not be read, and was passed over.
  bool passed_over() const { return passed_over_ || file_.passed_over(); }

  const std::string& path() const { return path_; }
  // The staging directories of the processes that log into the file, as of the last look.
  std::vector<std::string> staging() const;
  // Returns whether one of these processes lives.
  bool is_written() const;

 private:
  using SeenByRing = std::map<std::uint32_t, std::uint64_t>;
  // The result of one look.
  struct Found {
    std::int64_t began = 0;           // the look, by monotonic_now()
    std::int64_t latest = INT64_MIN;  // no key of its records is later
    ByteBuffer file;
    struct Rings {
      std::uint64_t session_id = 0;
      ByteBuffer blocks;
    };
    std::vector<Rings> rings;
  };

  // One moment, by all clocks.
  struct Now {
    std::int64_t monotonic;
    std::int64_t wall;
    std::uint64_t ticks;
    static Now read();
  };
  // The records that print_until() left.
  struct Held {
    bool any = false;
    std::int64_t least = INT64_MAX;   // of the keys
    std::int64_t latest = INT64_MIN;  // of all keys, printed ones included
  };

  void note_seen(const reader::LogFile& file);
  bool is_ours(const staging::ForeignStaging& view, const std::vector<staging::Hint>& hints) const;
  void search(std::int64_t now);
  void forget_ended(std::int64_t before);
  bool look_at_rings(Found* found);
  bool look_at_dead(Found* found);
  void look_at_file(Found* found);
  void take(const FileTail::Event& event);
  void begin_session(std::uint64_t session_id, const std::string& staging);
  std::vector<reader::Extra> extras();
  std::int64_t cutoff(const reader::LogFile& file, const Now& now) const;
  void print_found(const Now& now, const Print& print);
  Held print_until(std::int64_t cutoff, const reader::LogSet& logs, const Print& print);

  const std::string path_;
  const Order order_;
  reader::Secrets secrets_ = reader::Secrets::kRedacted;
  FileTail file_;
  std::vector<std::unique_ptr<live::StagingTail>> stagings_;
  std::set<std::uint64_t> dead_;  // sessions of processes whose death has been seen
  std::int64_t last_search_ = 0;
  std::int64_t last_file_ = 0;
  std::int64_t cost_ = 0;                     // of the last look
  bool passed_over_ = false;                  // blocks whose content cannot be used
  bool behind_ = false;                       // there is more in the file; what the rings had waits for it
  std::deque<Found> found_;                   // not all of it is printed
  std::map<std::uint64_t, SeenByRing> seen_;  // by session: the number after the last one printed
  std::set<std::uint64_t> ended_before_;      // of these, those that had ended at the last search
  // By staging: the session that ended there last, and how many records each ring gave it. The records that it had not
  // written then are the next session's, with numbers from 0 (ring.md §4.2).
  struct Ended {
    std::uint64_t session_id = 0;
    SeenByRing totals;
  };
  std::map<std::string, Ended> ended_;
};

}  // namespace steno::follow
