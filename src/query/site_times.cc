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

// Bounds of a block's times; everything where the clock was set.
void block_times(const BlockView& view, std::int64_t* first, std::int64_t* last) {
  if (view.wall_bounds(first, last)) return;
  *first = INT64_MIN;
  *last = INT64_MAX;
}

// Calls look(worker, view, first, last) for each block that can be read, by several threads.
template <class Look>
void for_each_view(const reader::LogFile& file, std::vector<BlockView>& views, WorkMeter* meter, Look look) {
  if (meter != nullptr) meter->add_total(reader::records_on_file(file));
  in_parallel(file.blocks().size(), 8, static_cast<unsigned>(views.size()),
              [&](unsigned worker, std::size_t begin, std::size_t end) {
                for (std::size_t b = begin; b < end; ++b) {
                  const reader::BlockEntry& entry = file.blocks()[b];
                  if (meter != nullptr) meter->add_done(entry.records);
                  BlockView& view = views[worker];
                  if (!view.open(file, entry).ok()) continue;
                  std::int64_t first = 0;
                  std::int64_t last = 0;
                  block_times(view, &first, &last);
                  look(worker, view, first, last);
                }
              });
}

void widen(SiteTimes* time, const SiteTimes& by) {
  time->first = std::min(time->first, by.first);
  time->last = std::max(time->last, by.last);
}

}  // namespace

std::unordered_map<std::uint64_t, SiteTimes> find_site_times(const reader::LogFile& file, WorkMeter* meter) {
  std::vector<BlockView> views(thread_count());
  std::vector<std::unordered_map<std::uint64_t, Bounds>> bounds(views.size());  // by worker, then all in the first
  for_each_view(file, views, meter, [&](unsigned worker, BlockView& view, std::int64_t first, std::int64_t last) {
    for (const ViewGroup& group : view.groups()) {
      Bounds& of = bounds[worker][identity_of(*group.site)];
      of.first_at_most = std::min(of.first_at_most, last);
      of.last_at_least = std::max(of.last_at_least, first);
    }
  });
  for (std::size_t worker = 1; worker < bounds.size(); ++worker) {
    for (const auto& [site, more] : bounds[worker]) {
      Bounds& of = bounds[0][site];
      of.first_at_most = std::min(of.first_at_most, more.first_at_most);
      of.last_at_least = std::max(of.last_at_least, more.last_at_least);
    }
  }
  std::vector<std::unordered_map<std::uint64_t, SiteTimes>> times(views.size());
  for_each_view(file, views, meter, [&](unsigned worker, BlockView& view, std::int64_t first, std::int64_t last) {
    for (std::size_t g = 0; g < view.groups().size(); ++g) {
      const std::uint64_t site = identity_of(*view.groups()[g].site);
      const auto of = bounds[0].find(site);
      if (of == bounds[0].end() || (first > of->second.first_at_most && last < of->second.last_at_least)) continue;
      for (const std::int64_t wall : view.walls_of(g)) widen(&times[worker][site], {wall, wall});
    }
  });
  for (std::size_t worker = 1; worker < times.size(); ++worker) {
    for (const auto& [site, time] : times[worker]) widen(&times[0][site], time);
  }
  return std::move(times[0]);
}

}  // namespace steno::query
