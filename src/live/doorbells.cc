#include "live/doorbells.h"

#include <unistd.h>

#include <utility>

#include "ring/staging.h"

namespace steno::live {

Doorbells::~Doorbells() {
  for (const auto& [root, bell] : bells_) {
    ring::close_doorbell(bell.page);
    if (bell.fd >= 0) close(bell.fd);
  }
}

void Doorbells::open() {
  for (const std::string& root : roots_) {
    auto known = bells_.find(root);
    if (known == bells_.end()) {
      ring::Doorbell* const page = ring::open_doorbell(root);
      if (page == nullptr) continue;
      // Who began before is found by the look that follows.
      known = bells_.emplace(root, Bell{page, -1, ring::sessions(page)}).first;
    }
    ring::attend_doorbell(root, &known->second.fd);
  }
}

Doorbells::NewSessions Doorbells::take_new_sessions() {
  NewSessions found;
  for (auto& [root, bell] : bells_) {
    const std::uint32_t sessions = ring::sessions(bell.page);
    const std::uint32_t known = std::exchange(bell.sessions, sessions);
    if (sessions - known > ring::kArrivals) {
      found.unnamed = true;
      continue;
    }
    for (std::uint32_t number = known + 1; number != sessions + 1; ++number) {
      ring::Arrival arrival{};
      if (ring::load_arrival(bell.page, number, &arrival)) {
        found.directories.push_back(ring::user_directory(root) + "/" + ring::staging_name(arrival.pid, arrival.nonce));
      } else {
        found.unnamed = true;
      }
    }
  }
  return found;
}

std::vector<FutexWord> Doorbells::words() const {
  std::vector<FutexWord> words;
  for (const auto& [root, bell] : bells_) words.push_back({&bell.page->calls, ring::calls(bell.page)});
  return words;
}

}  // namespace steno::live
