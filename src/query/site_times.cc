#include "query/site_times.h"

#include <algorithm>

#include "query/block_view.h"

namespace steno::query {
namespace {

// Bounds of a statement's first and last time, told by the blocks that have it.
struct Bounds {
  std::int64_t first_at_most = INT64_MAX;
  std::int64_t last_at_least = INT64_MIN;
};

// Bounds of a block's times; everything where the clock was set.
void block_times(const BlockView& view, std::int64_t* first, std::int64_t* last) {
  if (view.wall_bounds(first, last)) return;
  *first = INT64_MIN;
  *last = INT64_MAX;
}

}  // namespace

std::unordered_map<std::uint64_t, SiteTimes> find_site_times(const reader::LogFile& file, WorkMeter* meter) {
  std::unordered_map<std::uint64_t, Bounds> bounds;
  if (meter != nullptr) meter->add_total(2 * reader::records_on_file(file));
  BlockView view;
  for (const reader::BlockEntry& entry : file.blocks()) {
    if (meter != nullptr) meter->add_done(entry.records);
    if (!view.open(file, entry).ok()) continue;
    std::int64_t first = 0;
    std::int64_t last = 0;
    block_times(view, &first, &last);
    for (const ViewGroup& group : view.groups()) {
      Bounds& of = bounds[identity_of(*group.site)];
      of.first_at_most = std::min(of.first_at_most, last);
      of.last_at_least = std::max(of.last_at_least, first);
    }
  }
  std::unordered_map<std::uint64_t, SiteTimes> times;
  for (const reader::BlockEntry& entry : file.blocks()) {
    if (meter != nullptr) meter->add_done(entry.records);
    if (!view.open(file, entry).ok()) continue;
    std::int64_t first = 0;
    std::int64_t last = 0;
    block_times(view, &first, &last);
    for (std::size_t g = 0; g < view.groups().size(); ++g) {
      const std::uint64_t id = identity_of(*view.groups()[g].site);
      const Bounds& of = bounds[id];
      if (first > of.first_at_most && last < of.last_at_least) continue;
      SiteTimes& time = times[id];
      for (const std::int64_t wall : view.walls_of(g)) {
        time.first = std::min(time.first, wall);
        time.last = std::max(time.last, wall);
      }
    }
  }
  return times;
}

}  // namespace steno::query
