#include "live/doorbells.h"

#include <unistd.h>

#include <utility>

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
      known = bells_.emplace(root, Bell{page}).first;
    }
    ring::attend_doorbell(root, &known->second.fd);
  }
}

bool Doorbells::take_new_sessions() {
  std::uint32_t sessions = 0;
  for (const auto& [root, bell] : bells_) sessions += ring::sessions(bell.page);
  return std::exchange(sessions_, sessions) != sessions;
}

std::vector<FutexWord> Doorbells::words() const {
  std::vector<FutexWord> words;
  for (const auto& [root, bell] : bells_) words.push_back({&bell.page->calls, ring::calls(bell.page)});
  return words;
}

}  // namespace steno::live
