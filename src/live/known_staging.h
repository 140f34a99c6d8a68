// Staging that a scribe has looked at and left alone: it need not be opened again at each look.
//
// Staging may change without a sign from outside: a lock is given up, a log that refused takes records again, a process
// that logs elsewhere begins another session. So no staging is left alone for ever. A directory that was found as
// before is looked at half as often the next time, down to a limit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace steno::live {

// Why it was left alone.
enum class Left {
  kTaken,      // it is wanted, but somebody else has it, or it has not begun yet
  kRefused,    // it is wanted, but could not be drained or recovered
  kElsewhere,  // its process lives, and wants another scribe or none
  kVacant,     // it is left to the next process that wants it
  kDead,       // nobody calls for it: its process is dead and logged elsewhere, or it cannot be read
};

// Not thread-safe. Times are monotonic, in ns.
class KnownStaging {
 public:
  // The longest that a directory is left alone.
  static std::int64_t longest(Left why);

  void leave(const std::string& directory, Left why, std::int64_t now);
  void forget(const std::string& directory) { known_.erase(directory); }
  // Returns whether the directory is to be looked at: it is new, or was left alone long enough.
  bool is_due(const std::string& directory, std::int64_t now) const;
  // Returns whether any directory was left alone for this reason.
  bool has(Left why) const;
  // From here on all are due but those whose process is dead.
  void expect_sessions();
  // Forgets what is not in `directories`, which are in order.
  void keep_only(const std::vector<std::string>& directories);

 private:
  struct Known {
    Left why = Left::kTaken;
    std::int64_t gap = 0;
    std::int64_t due = 0;
  };
  std::map<std::string, Known> known_;  // by directory
};

}  // namespace steno::live
