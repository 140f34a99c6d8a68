#include "input/session_text.h"

#include <algorithm>

namespace steno::cli {

std::uint32_t clock_uncertainty(const reader::Session& session) {
  if (session.min_clock > session.max_clock) return 0;
  std::uint32_t most =
      std::max(session.clock.uncertainty(session.min_clock), session.clock.uncertainty(session.max_clock));
  for (const format::ClockPoint& point : session.clock_points) {
    if (point.ticks <= session.min_clock || point.ticks >= session.max_clock) continue;
    most = std::max(most, session.clock.uncertainty(point.ticks));
  }
  return most;
}

std::uint32_t clock_uncertainty(const reader::LogFile& file) {
  std::uint32_t most = 0;
  for (const auto& session : file.sessions()) {
    if (session->dated) most = std::max(most, clock_uncertainty(*session));
  }
  return most;
}

bool is_more_than_stated(std::uint32_t uncertainty_ns) {
  return uncertainty_ns == UINT32_MAX;
}

}  // namespace steno::cli
