#include "query/statistics/time_line.h"

#include <algorithm>

#include "base/nanoseconds.h"
#include "query/statistics/time_steps.h"
#include "text/number.h"

namespace steno::query {
namespace {

constexpr std::int64_t kWholeMinute = 60 * kNsPerSecond;
constexpr std::int64_t kWholeHour = 60 * kWholeMinute;
constexpr std::int64_t kWholeDay = 24 * kWholeHour;
constexpr std::int64_t kRoundSteps[] = {
    kNsPerSecond, 2 * kNsPerSecond, 5 * kNsPerSecond, 10 * kNsPerSecond, 15 * kNsPerSecond, 30 * kNsPerSecond,
    kWholeMinute, 2 * kWholeMinute, 5 * kWholeMinute, 10 * kWholeMinute, 15 * kWholeMinute, 30 * kWholeMinute,
    kWholeHour,   2 * kWholeHour,   3 * kWholeHour,   6 * kWholeHour,    12 * kWholeHour};

// The shortest round step that is not below `least`.
text::Int128 round_step(text::Int128 least) {
  for (text::Int128 step = 1; step < kNsPerSecond; step *= 10) {
    for (const int of : {1, 2, 5}) {
      if (step * of >= least && step * of < kNsPerSecond) return step * of;
    }
  }
  for (const std::int64_t step : kRoundSteps) {
    if (step >= least) return step;
  }
  for (text::Int128 step = kWholeDay;; step *= 10) {
    for (const int of : {1, 2, 5}) {
      if (step * of >= least) return step * of;
    }
  }
}

}  // namespace

TimeLine make_time_line(const TimeSpan& span, std::size_t most_steps) {
  const text::Int128 length = text::Int128{span.last} - span.first + 1;
  const text::Int128 most = static_cast<text::Int128>(std::max<std::size_t>(most_steps, 1));
  TimeLine line;
  line.step = static_cast<std::int64_t>(std::min<text::Int128>(round_step((length + most - 1) / most), INT64_MAX));
  line.from = TimeSteps(line.step).step_of(span.first);
  const text::Int128 steps = (text::Int128{span.last} - line.from) / line.step + 1;
  line.steps.resize(static_cast<std::size_t>(steps));
  return line;
}

void count_on(const Subject& subject, TimeLine* line) {
  PartWalk walk(subject);
  std::vector<TimeLine> counts(walk.workers(), *line);
  for (TimeLine& one : counts) std::fill(one.steps.begin(), one.steps.end(), decltype(line->steps)::value_type{});
  const auto step_of = [&](std::int64_t time) -> std::size_t {
    if (time < line->from) return SIZE_MAX;
    return (static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(line->from)) /
           static_cast<std::uint64_t>(line->step);
  };
  const auto place_of = [](const reader::Site& site) {
    return site.known() ? static_cast<std::size_t>(site.info().level) : kLevelPlaces - 1;
  };
  const auto is_counted = [&](const BlockRef& ref) {
    const reader::LogFile& file = *subject.logs->files()[ref.file];
    const reader::BlockEntry& entry = file.blocks()[ref.block];
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (!file.wall_bounds(entry, &first, &last) || step_of(first) != step_of(last)) return false;
    const auto verdict = [&](const reader::Site& site) {
      return site_verdict(subject.statement, subject.predicate, file, entry, site);
    };
    const std::size_t step = step_of(first);
    if (subject.meter != nullptr) subject.meter->check();
    return count_by_sites(file, entry, verdict, [&](const reader::Site& site, std::uint32_t records) {
      if (step < line->steps.size()) line->steps[step][place_of(site)] += records;
    });
  };
  std::vector<BlockRef> rest(walk.blocks().begin(), walk.blocks().end());
  std::erase_if(rest, is_counted);
  walk.run(rest, [&](unsigned number, const Part& part) {
    auto& steps = counts[number].steps;
    const std::size_t place = place_of(*part.view->groups()[part.group].site);
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (part.view->wall_bounds(&first, &last) && step_of(first) == step_of(last)) {
      if (step_of(first) < steps.size()) steps[step_of(first)][place] += part.kept;
      return;
    }
    const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
    for (std::uint32_t row = 0; row < walls.size(); ++row) {
      if (!part.is_kept(row)) continue;
      const std::size_t step = step_of(walls[row]);
      if (step < steps.size()) ++steps[step][place];
    }
  });
  for (const TimeLine& one : counts) {
    for (std::size_t s = 0; s < one.steps.size(); ++s) {
      for (std::size_t place = 0; place < kLevelPlaces; ++place) line->steps[s][place] += one.steps[s][place];
    }
  }
  line->failures = walk.failures();
}

}  // namespace steno::query
