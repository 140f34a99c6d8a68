#include "reader/clock_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/nanoseconds.h"

namespace steno::reader {

using format::ClockPoint;
using U128 = unsigned __int128;
using I128 = __int128;

namespace {

std::int64_t saturate(I128 v) {
  return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : static_cast<std::int64_t>(v);
}

}  // namespace

inline std::int64_t ClockMap::Line::at(std::uint64_t ticks) const {
  if (ticks < ticks0) {  // before the first point; rates only
    const std::uint64_t d = ticks0 - ticks;
    const U128 low = U128{d} * rate_fraction;
    const U128 q =
        U128{d} * rate_whole + static_cast<std::uint64_t>(low >> 64) + (static_cast<std::uint64_t>(low) != 0);
    return saturate(I128{wall0} - static_cast<I128>(q));
  }
  const std::uint64_t d = ticks - ticks0;
  const U128 fraction = U128{d} * rate_fraction;
  const auto rest = static_cast<std::uint64_t>(fraction);
  U128 q = U128{d} * rate_whole + static_cast<std::uint64_t>(fraction >> 64);
  // The rate is rounded down by less than 2^-64, so q is right unless less than d is missing for the next; then it is
  // one too small or not, and the remainder tells.
  if (d_ticks != 0 && (rest + d < rest || falling)) {
    U128 remainder = U128{d} * d_wall - q * d_ticks;
    if (remainder >= d_ticks) {
      ++q;
      remainder -= d_ticks;
    }
    if (falling) return saturate(I128{wall0} - static_cast<I128>(q) - (remainder != 0));
  }
  std::int64_t wall;
  if (q >> 63 == 0 && !__builtin_add_overflow(wall0, static_cast<std::int64_t>(q), &wall)) return wall;
  return saturate(I128{wall0} + static_cast<I128>(q));
}

inline bool ClockMap::Line::is_usual() const {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  return !falling && rate_whole < (1u << 20) && wall0 > -kFar && wall0 < kFar;
}

inline bool ClockMap::Line::usual_at(std::uint64_t ticks, std::int64_t* wall) const {
  const std::uint64_t d = ticks - ticks0;  // large if they are before
  const U128 fraction = U128{d} * rate_fraction;
  const auto rest = static_cast<std::uint64_t>(fraction);
  const std::uint64_t q = d * rate_whole + static_cast<std::uint64_t>(fraction >> 64);
  *wall = static_cast<std::int64_t>(static_cast<std::uint64_t>(wall0) + q);
  return d >> 40 == 0 && (d_ticks == 0 || rest + d >= rest);
}

ClockMap::ClockMap() : lines_(std::make_shared<const std::vector<Line>>(1)) {}

ClockMap::ClockMap(std::vector<ClockPoint> points, double fallback_ns_per_tick) {
  const auto before = [](const ClockPoint& a, const ClockPoint& b) { return a.ticks < b.ticks; };
  if (!std::is_sorted(points.begin(), points.end(), before)) {
    std::stable_sort(points.begin(), points.end(), before);
  }
  std::vector<Line> lines;
  lines.push_back(line_from(points.front(), fallback_ns_per_tick));
  lines.back().begin = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (points[i].ticks == points[i + 1].ticks) continue;  // two points at a step: the later one begins the next line
    const bool stepped = (points[i + 1].flags & ClockPoint::kStepped) != 0;
    lines.push_back(stepped ? line_from(points[i], fallback_ns_per_tick) : line_between(points[i], points[i + 1]));
    // Where between them a step came is unknown: the point after it says how far off the line may be until then.
    lines.back().uncertainty = std::max(points[i].uncertainty_ns, points[i + 1].uncertainty_ns);
  }
  lines.push_back(line_from(points.back(), fallback_ns_per_tick));
  keep(std::move(lines));
}

void ClockMap::keep(std::vector<Line> lines) {
  monotone_ = find_floors(&lines);
  lines_ = std::make_shared<const std::vector<Line>>(std::move(lines));
}

ClockMap ClockMap::moved(std::int64_t ns) const {
  std::vector<Line> lines = *lines_;
  for (Line& line : lines) {
    line.wall0 = saturated_sum(line.wall0, ns);
    line.floor = INT64_MIN;
  }
  ClockMap result;
  result.keep(std::move(lines));
  return result;
}

ClockMap::Line ClockMap::line_from(const ClockPoint& point, double fallback_ns_per_tick) {
  double rate = format::plausible_rate(point.ns_per_tick) ? point.ns_per_tick : fallback_ns_per_tick;
  if (!format::plausible_rate(rate)) rate = 1;
  Line line;
  line.begin = line.ticks0 = point.ticks;
  line.wall0 = point.wall_ns;
  line.uncertainty = point.uncertainty_ns;
  const double whole = std::floor(rate);
  line.rate_whole = static_cast<std::uint64_t>(whole);
  line.rate_fraction = static_cast<std::uint64_t>(std::ldexp(rate - whole, 64));  // < 2^64: rate - whole has 53 bits
  return line;
}

ClockMap::Line ClockMap::line_between(const ClockPoint& from, const ClockPoint& to) {
  Line line;
  line.begin = line.ticks0 = from.ticks;
  line.wall0 = from.wall_ns;
  line.d_ticks = to.ticks - from.ticks;
  line.falling = to.wall_ns < from.wall_ns;
  line.d_wall = line.falling ? static_cast<std::uint64_t>(from.wall_ns) - static_cast<std::uint64_t>(to.wall_ns)
                             : static_cast<std::uint64_t>(to.wall_ns) - static_cast<std::uint64_t>(from.wall_ns);
  line.rate_whole = line.d_wall / line.d_ticks;
  line.rate_fraction = static_cast<std::uint64_t>((U128{line.d_wall % line.d_ticks} << 64) / line.d_ticks);
  return line;
}

// Sets the floors of merge keys. True: no line falls, and none begins below the one before.
bool ClockMap::find_floors(std::vector<Line>* lines) {
  bool monotone = true;
  std::int64_t highest = INT64_MIN;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    Line& line = (*lines)[i];
    const bool is_last = i + 1 == lines->size();
    const std::uint64_t end = is_last ? UINT64_MAX : (*lines)[i + 1].begin;
    if (line.begin == end && !is_last) continue;  // empty
    const std::int64_t first = line.at(line.begin);
    line.floor = line.falling ? std::max(highest, first) : highest;
    monotone = monotone && first >= highest && !line.falling;
    highest = std::max({highest, first, line.at(end - (is_last ? 0 : 1))});
  }
  return monotone;
}

// The last line that begins at or before `ticks`.
std::size_t ClockMap::find(std::uint64_t ticks, std::size_t hint) const {
  const std::vector<Line>& lines = *lines_;
  if (lines[hint].begin <= ticks && (hint + 1 == lines.size() || ticks < lines[hint + 1].begin)) return hint;
  const auto after = [](std::uint64_t t, const Line& line) { return t < line.begin; };
  return static_cast<std::size_t>(std::upper_bound(lines.begin(), lines.end(), ticks, after) - lines.begin()) - 1;
}

std::int64_t ClockMap::wall(std::uint64_t ticks) const {
  return (*lines_)[find(ticks, 0)].at(ticks);
}

std::int64_t ClockMap::merge_key(std::uint64_t ticks) const {
  const Line& line = (*lines_)[find(ticks, 0)];
  return std::max(line.at(ticks), line.floor);
}

template <bool kKeys>
void ClockMap::convert(std::span<const std::uint64_t> ticks, std::int64_t* out) const {
  const std::vector<Line>& lines = *lines_;
  std::size_t i = 0;
  std::size_t hint = 0;
  while (i < ticks.size()) {
    hint = find(ticks[i], hint);
    const Line line = lines[hint];
    const std::uint64_t last = hint + 1 < lines.size() ? lines[hint + 1].begin - 1 : UINT64_MAX;
    const bool usual = line.is_usual();
    for (; i < ticks.size() && ticks[i] >= line.begin && ticks[i] <= last; ++i) {
      std::int64_t wall = 0;
      if (!usual || !line.usual_at(ticks[i], &wall)) wall = line.at(ticks[i]);
      out[i] = kKeys ? std::max(wall, line.floor) : wall;
    }
  }
}

void ClockMap::walls(std::span<const std::uint64_t> ticks, std::int64_t* out) const {
  convert<false>(ticks, out);
}
void ClockMap::merge_keys(std::span<const std::uint64_t> ticks, std::int64_t* out) const {
  convert<true>(ticks, out);
}

}  // namespace steno::reader
