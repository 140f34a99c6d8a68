// Kills checkers at random moments, recovers what they leave in one of many ways, and says what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "arena.h"

namespace steno::crash {

using Problem = std::optional<std::string>;  // what went wrong

struct KillerReport {
  std::uint64_t kills = 0;       // of checkers
  std::uint64_t recoveries = 0;  // that came to their end
  std::uint64_t recoveries_killed = 0;
  std::uint64_t unstarted = 0;  // checkers that died before start() had returned
  std::uint64_t rotations = 0;
  std::uint64_t reopened = 0;  // of these, noticed before the kill
  std::uint64_t restarts = 0;
  std::uint64_t calls = 0;      // log calls that had returned
  std::uint64_t dropped = 0;    // of these, told by the log; all others are in it
  double longest_recovery = 0;  // seconds
};

// One log over many deaths; a fresh one now and then. All that happens follows from the seed, but for the moments.
class Killer {
 public:
  Killer(Arena& arena, std::string checker_program);

  // One death and what comes of it. `seed`: of this round alone.
  Problem round(std::uint64_t seed);
  // Recovers whatever is left, and holds the log against all that was logged.
  Problem finish();
  const KillerReport& report() const { return report_; }
  // Returns a description of the last round, for whoever has to repeat it.
  const std::string& story() const { return story_; }

 private:
  using Random = std::mt19937_64;
  struct Victim {
    std::uint64_t run = 0;
    pid_t pid = -1;
    bool in_session = false;  // when it was killed, for certain
    Counts counts;
  };

  Problem kill_one(Random& random, bool late);
  Problem look_after(Random& random);
  Problem recover();
  Problem recover_twice_at_once();
  void kill_recoveries(Random& random);
  Problem check_end(const End& end, const std::string& who);
  Problem hold(Ledger& ledger, const std::string& where);
  Problem check_by_cat(const std::string& where);
  Problem check_recovered();
  Problem check_verify(bool drops);
  void bury(Victim& victim);
  void start_afresh();

  Arena& arena_;
  const std::string program_;
  std::vector<Victim> victims_;  // of the present log
  std::uint64_t last_run_ = 0;
  std::uint64_t calls_in_log_ = 0;
  std::uint64_t dropped_in_log_ = 0;
  std::string story_;
  KillerReport report_;
};

// Returns a seed for tests: STENO_CRASH_SEED if that is set, else another one each time.
std::uint64_t first_seed();

}  // namespace steno::crash
