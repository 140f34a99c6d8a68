#include "live/known_staging.h"

#include <algorithm>

namespace steno::live {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;

struct Gaps {
  std::int64_t first;
  std::int64_t longest;
};
constexpr Gaps gaps(Left why) {
  switch (why) {
    case Left::kTaken:
      return {25 * kMillisecondNs, 400 * kMillisecondNs};
    case Left::kRefused:
      return {25 * kMillisecondNs, 2'000 * kMillisecondNs};
    case Left::kElsewhere:
      return {500 * kMillisecondNs, 2'000 * kMillisecondNs};
    case Left::kVacant:
      return {250 * kMillisecondNs, 1'000 * kMillisecondNs};
    case Left::kDead:
      break;
  }
  return {1'000 * kMillisecondNs, 10'000 * kMillisecondNs};
}

}  // namespace

std::int64_t KnownStaging::longest(Left why) {
  return gaps(why).longest;
}

void KnownStaging::leave(const std::string& directory, Left why, std::int64_t now) {
  const auto [at, is_new] = known_.try_emplace(directory);
  Known& known = at->second;
  const bool as_before = !is_new && known.why == why;
  known.gap = as_before ? std::min(2 * known.gap, gaps(why).longest) : gaps(why).first;
  known.why = why;
  known.due = now + known.gap;
}

bool KnownStaging::is_due(const std::string& directory, std::int64_t now) const {
  const auto at = known_.find(directory);
  return at == known_.end() || now >= at->second.due;
}

bool KnownStaging::has(Left why) const {
  return std::any_of(known_.begin(), known_.end(), [why](const auto& known) { return known.second.why == why; });
}

void KnownStaging::expect_sessions() {
  for (auto& [directory, known] : known_) {
    if (known.why != Left::kDead) known.due = 0;
  }
}

void KnownStaging::keep_only(const std::vector<std::string>& directories) {
  std::erase_if(known_, [&](const auto& known) {
    return !std::binary_search(directories.begin(), directories.end(), known.first);
  });
}

}  // namespace steno::live
