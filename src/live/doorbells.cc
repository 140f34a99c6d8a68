#include "live/doorbells.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "staging/directory.h"
#include "staging/find_staging.h"
#include "staging/vacancy.h"

namespace steno::live {

Doorbells::~Doorbells() {
  for (const auto& [root, bell] : bells_) {
    staging::close_doorbell(bell.page);
    if (bell.fd >= 0) close(bell.fd);
  }
}

void Doorbells::open() {
  for (const std::string& root : roots_) {
    auto known = bells_.find(root);
    if (known == bells_.end()) {
      staging::Doorbell* const page = staging::open_doorbell(root);
      if (page == nullptr) continue;
      // Sessions that began before are found by the look that follows.
      known = bells_.emplace(root, Bell{page, -1, staging::sessions(page)}).first;
    }
    staging::attend_doorbell(root, &known->second.fd);
  }
}

Doorbells::NewSessions Doorbells::take_new_sessions() {
  NewSessions found;
  for (auto& [root, bell] : bells_) {
    const std::uint32_t sessions = staging::sessions(bell.page);
    const std::uint32_t known = std::exchange(bell.sessions, sessions);
    if (sessions - known > staging::kArrivals) {
      found.unnamed = true;
      continue;
    }
    for (std::uint32_t number = known + 1; number != sessions + 1; ++number) {
      staging::Arrival arrival{};
      if (staging::load_arrival(bell.page, number, &arrival)) {
        found.directories.push_back(staging::user_directory(root) + "/" +
                                    staging::staging_name(arrival.pid, arrival.nonce));
      } else {
        found.unnamed = true;
      }
    }
  }
  return found;
}

staging::Doorbell* Doorbells::beside(const std::string& directory, std::uint64_t* nonce) const {
  const std::size_t slash = directory.rfind('/');
  const std::string name = directory.substr(slash + 1);
  if (slash == std::string::npos || !staging::is_staging_name(name)) return nullptr;
  *nonce = std::strtoull(name.c_str() + name.find('-') + 1, nullptr, 16);
  for (const auto& [root, bell] : bells_) {
    if (directory.compare(0, slash, staging::user_directory(root)) == 0) return bell.page;
  }
  return nullptr;
}

bool Doorbells::is_offered(const std::string& directory) const {
  std::uint64_t nonce = 0;
  const staging::Doorbell* const page = beside(directory, &nonce);
  return page != nullptr && staging::is_offered(page, nonce);
}

void Doorbells::withdraw(const std::string& directory) {
  std::uint64_t nonce = 0;
  if (staging::Doorbell* const page = beside(directory, &nonce)) staging::withdraw_vacancy(page, nonce);
}

// Removes offers that lead nowhere, and those that nobody fills any more.
void Doorbells::tidy_offers() {
  for (auto& [root, bell] : bells_) {
    bell.reserved = staging::free_stuck_vacancies(bell.page, bell.reserved);
    for (const staging::Vacancy& slot : bell.page->vacancies) {
      const std::uint64_t nonce = __atomic_load_n(&slot.nonce, __ATOMIC_ACQUIRE);
      if (nonce <= 1) continue;
      const std::string name = staging::staging_name(__atomic_load_n(&slot.pid, __ATOMIC_RELAXED), nonce);
      const std::string directory = staging::user_directory(root) + "/" + name;
      if (access(directory.c_str(), F_OK) != 0 && errno == ENOENT) staging::withdraw_vacancy(bell.page, nonce);
    }
  }
}

std::vector<FutexWord> Doorbells::words() const {
  std::vector<FutexWord> words;
  for (const auto& [root, bell] : bells_) words.push_back({&bell.page->calls, staging::calls(bell.page)});
  return words;
}

}  // namespace steno::live
