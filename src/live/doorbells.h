// The calling user's doorbells in all roots (ring.md §1.4): what somebody who drains many sessions waits for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/futex.h"
#include "ring/doorbell.h"

namespace steno::live {

// Not thread-safe.
class Doorbells {
 public:
  explicit Doorbells(std::vector<std::string> roots) : roots_(std::move(roots)) {}
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;
  ~Doorbells();

  // Opens those that are not open, where the user has staging by now, and says that somebody comes. To be called again
  // and again.
  void open();
  // True if sessions have begun since it said so last: they are found by who looks for them now.
  bool take_new_sessions();
  // What is to be waited for: calls from here on.
  std::vector<FutexWord> words() const;

 private:
  struct Bell {
    ring::Doorbell* page = nullptr;
    int fd = -1;  // holds the lock that says that somebody comes
  };

  const std::vector<std::string> roots_;
  std::map<std::string, Bell> bells_;  // by root
  std::uint32_t sessions_ = 0;         // the sum of all
};

}  // namespace steno::live
