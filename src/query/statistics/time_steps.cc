#include "query/statistics/time_steps.h"

#include <algorithm>
#include <ctime>

#include "base/nanoseconds.h"

namespace steno::query {
namespace {

constexpr std::int64_t kWeek = 7 * kNsPerDay;
constexpr std::int64_t kMonday = 4 * kNsPerDay;  // the first since the epoch

// In seconds, how far local clocks are ahead of UTC.
std::int64_t ahead_at(std::int64_t second) {
  const auto time = static_cast<std::time_t>(second);
  std::tm parts{};
  return ::localtime_r(&time, &parts) != nullptr ? parts.tm_gmtoff : 0;
}

}  // namespace

TimeSteps::TimeSteps(std::int64_t width)
    : width_(width), origin_(width % kWeek == 0 ? kMonday : 0), offsets_{{INT64_MIN, 0}} {}

// Clocks are looked at once a day; a day with a change is searched for the second.
TimeSteps TimeSteps::local(std::int64_t width, const TimeSpan& span) {
  TimeSteps steps(width);
  std::int64_t at = second_of(saturated_sum(span.first, -2 * kNsPerDay));
  const std::int64_t end = second_of(saturated_sum(span.last, 2 * kNsPerDay));
  steps.offsets_ = {{INT64_MIN, ahead_at(at) * kNsPerSecond}};
  for (constexpr std::int64_t kStep = kNsPerDay / kNsPerSecond; at < end; at += kStep) {
    const std::int64_t ahead = ahead_at(at + kStep);
    if (ahead * kNsPerSecond == steps.offsets_.back().ahead) continue;
    std::int64_t before = at;
    std::int64_t after = at + kStep;
    while (after - before > 1) {
      const std::int64_t middle = before + (after - before) / 2;
      (ahead_at(middle) == ahead ? after : before) = middle;
    }
    steps.offsets_.push_back({after * kNsPerSecond, ahead * kNsPerSecond});
  }
  return steps;
}

std::size_t TimeSteps::offset_at(std::int64_t time) const {
  const auto later = std::upper_bound(offsets_.begin(), offsets_.end(), time,
                                      [](std::int64_t t, const Offset& offset) { return t < offset.from; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(later - offsets_.begin() - 1, 0));
}

std::int64_t TimeSteps::floor_of(std::int64_t time) const {
  const std::int64_t since = saturated_sum(time, -origin_);
  const std::int64_t rest = since % width_ < 0 ? since % width_ + width_ : since % width_;
  return saturated_sum(time, -rest);
}

std::int64_t TimeSteps::step_of(std::int64_t time) const {
  const std::size_t i = offset_at(time);
  const Offset& now = offsets_[i];
  const std::int64_t shown = floor_of(saturated_sum(time, now.ahead));
  const std::int64_t step = saturated_sum(shown, -now.ahead);
  if (i == 0 || step >= now.from) return step;
  // It began before the clocks changed; or just then, if they never showed its beginning.
  return std::min(saturated_sum(shown, -offsets_[i - 1].ahead), now.from);
}

std::int64_t TimeSteps::next_of(std::int64_t step) const {
  for (std::size_t i = offset_at(step);; ++i) {
    const Offset& now = offsets_[i];
    const std::int64_t from = std::max(step, now.from);
    const std::int64_t next =
        saturated_sum(saturated_sum(floor_of(saturated_sum(from, now.ahead)), width_), -now.ahead);
    if (i + 1 == offsets_.size() || next < offsets_[i + 1].from) return next;
    if (step_of(offsets_[i + 1].from) > step) return offsets_[i + 1].from;
  }
}

std::uint64_t TimeSteps::count(const TimeSpan& span) const {
  const std::uint64_t length = static_cast<std::uint64_t>(span.last) - static_cast<std::uint64_t>(step_of(span.first));
  return length / static_cast<std::uint64_t>(width_) + 1 + offsets_.size();
}

}  // namespace steno::query
