// Keeps the lines of a busy log readable: of each statement at most so many a second, then one that counts the rest.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "reader/dictionary.h"

namespace steno::lines {

// On a terminal, unless somebody sets another number: lines a second of a statement.
inline constexpr std::uint64_t kMostOnTerminal = 50;

// Seconds are those of the records' times, so that the same records are always counted alike. A record that comes late,
// of the second before, counts as one of the current second. Not thread-safe.
class RateLimit {
 public:
  // `most`: lines a second of a statement; 0: any number.
  explicit RateLimit(std::uint64_t most) : most_(most) {}

  bool limits() const { return most_ != 0; }
  // Returns whether a record of this time, in ns, is printed. If a second begins with it, `*counted` gets what is to be
  // printed before it (counted() of the last second).
  bool takes(const reader::Site& site, std::int64_t time, std::string* counted);
  // Lines that say how many records were left out, "… 412 more like this in 1 s: cache.cc:88 'miss {key}'", the most
  // first; then nothing is left out yet. Empty: none was.
  std::string counted();
  // Returns whether records were left out that counted() has not named yet.
  bool holds() const { return left_out_; }

 private:
  struct Statement {
    std::string name;
    std::uint64_t records = 0;
  };
  std::uint64_t most_;
  std::int64_t second_ = INT64_MIN;
  bool left_out_ = false;
  std::unordered_map<std::uint64_t, Statement> statements_;
};

}  // namespace steno::lines
