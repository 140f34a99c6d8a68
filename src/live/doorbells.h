// The calling user's doorbells in all roots (ring.md §1.4). A scribe that drains many sessions waits for these.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/futex.h"
#include "staging/doorbell.h"

namespace steno::live {

// Not thread-safe.
class Doorbells {
 public:
  explicit Doorbells(std::vector<std::string> roots) : roots_(std::move(roots)) {}
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;
  ~Doorbells();

  // Opens doorbells that are not open yet, in roots where the user now has staging, and announces that a scribe
  // listens. Must be called repeatedly.
  void open();
  struct NewSessions {
    std::vector<std::string> directories;  // where they are
    bool unnamed = false;                  // there are others, found by who looks for them now
  };
  // Which sessions have begun since the last call.
  NewSessions take_new_sessions();
  // Returns whether a staging directory is offered to the next process (ring.md §1.6); withdraw() ends the offer.
  bool is_offered(const std::string& directory) const;
  void withdraw(const std::string& directory);
  // Frees what offers of the dead have left. Once a second at most.
  void tidy_offers();
  // The words to wait on: for calls from here on.
  std::vector<FutexWord> words() const;

 private:
  struct Bell {
    staging::Doorbell* page = nullptr;
    int fd = -1;                 // holds the lock that says that somebody comes
    std::uint32_t sessions = 0;  // that are known to have begun
    std::uint64_t reserved = 0;  // slots of offers, at the last look
  };

  // The doorbell beside a staging directory, and the nonce in its name; nullptr: it is not open, or there is no such
  // name.
  staging::Doorbell* beside(const std::string& directory, std::uint64_t* nonce) const;

  const std::vector<std::string> roots_;
  std::map<std::string, Bell> bells_;  // by root
};

}  // namespace steno::live
