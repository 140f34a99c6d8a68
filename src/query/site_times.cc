#include "query/site_times.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "query/block_view.h"

namespace steno::query {
namespace {

// Bounds of a statement's first and last time, told by the blocks that have it.
struct Bounds {
  std::int64_t first_at_most = INT64_MAX;
  std::int64_t last_at_least = INT64_MIN;
};

// A block, in short: bounds of its times, everything where the clock was set, and the statement of each group.
struct Summary {
  std::int64_t first = INT64_MIN;
  std::int64_t last = INT64_MAX;
  std::vector<std::uint64_t> sites;
};

Summary summary_of(const BlockView& view) {
  Summary summary;
  if (!view.wall_bounds(&summary.first, &summary.last)) {
    summary.first = INT64_MIN;
    summary.last = INT64_MAX;
  }
  for (const ViewGroup& group : view.groups()) summary.sites.push_back(identity_of(*group.site));
  return summary;
}

}  // namespace

std::unordered_map<std::uint64_t, SiteTimes> find_site_times(const reader::LogFile& file, WorkMeter* meter) {
  const std::vector<reader::BlockEntry>& blocks = file.blocks();
  std::vector<Summary> summaries(blocks.size());
  if (meter != nullptr) meter->add_total(2 * reader::records_on_file(file));
  const unsigned threads = thread_count();
  std::vector<BlockView> views(threads);
  in_parallel(blocks.size(), 8, threads, [&](unsigned worker, std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (views[worker].open(file, blocks[b]).ok()) summaries[b] = summary_of(views[worker]);
      if (meter != nullptr) meter->add_done(blocks[b].records);
    }
  });
  std::unordered_map<std::uint64_t, Bounds> bounds;
  for (const Summary& block : summaries) {
    for (const std::uint64_t site : block.sites) {
      Bounds& of = bounds[site];
      of.first_at_most = std::min(of.first_at_most, block.last);
      of.last_at_least = std::max(of.last_at_least, block.first);
    }
  }
  std::unordered_map<std::uint64_t, SiteTimes> times;
  BlockView& view = views[0];
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (meter != nullptr) meter->add_done(blocks[b].records);
    const Summary& block = summaries[b];
    const auto matters = [&](std::uint64_t site) {
      const Bounds& of = bounds[site];
      return block.first <= of.first_at_most || block.last >= of.last_at_least;
    };
    if (std::none_of(block.sites.begin(), block.sites.end(), matters) || !view.open(file, blocks[b]).ok()) continue;
    for (std::size_t g = 0; g < block.sites.size(); ++g) {
      if (!matters(block.sites[g])) continue;
      SiteTimes& time = times[block.sites[g]];
      for (const std::int64_t wall : view.walls_of(g)) {
        time.first = std::min(time.first, wall);
        time.last = std::max(time.last, wall);
      }
    }
  }
  return times;
}

}  // namespace steno::query
