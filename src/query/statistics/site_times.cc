#include "query/statistics/site_times.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "query/block_view.h"

namespace steno::query {
namespace {

// Bounds of a statement's first and last time, from the bounds of the blocks that have it.
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
  // By worker, and site (Site::ordinal()).
  std::vector<std::vector<std::pair<const reader::Site*, Bounds>>> found(views.size());
  for_each_view(file, views, meter, [&](unsigned worker, BlockView& view, std::int64_t first, std::int64_t last) {
    for (const ViewGroup& group : view.groups()) {
      const std::size_t at = group.site->ordinal();
      if (at >= found[worker].size()) found[worker].resize(at + 1);
      auto& [site, of] = found[worker][at];
      site = group.site;
      of.first_at_most = std::min(of.first_at_most, last);
      of.last_at_least = std::max(of.last_at_least, first);
    }
  });
  // A statement may be several sites: of several sessions.
  std::unordered_map<std::uint64_t, Bounds> bounds;
  for (const auto& of_worker : found) {
    for (const auto& [site, more] : of_worker) {
      if (site == nullptr) continue;
      Bounds& of = bounds[identity_of(*site)];
      of.first_at_most = std::min(of.first_at_most, more.first_at_most);
      of.last_at_least = std::max(of.last_at_least, more.last_at_least);
    }
  }
  for (const auto& of_worker : found) {
    if (of_worker.size() > found[0].size()) found[0].resize(of_worker.size());
    for (std::size_t at = 0; at < of_worker.size(); ++at) {
      if (of_worker[at].first == nullptr) continue;
      found[0][at] = {of_worker[at].first, bounds[identity_of(*of_worker[at].first)]};
    }
  }
  const auto& of_site = found[0];
  std::vector<std::unordered_map<std::uint64_t, SiteTimes>> times(views.size());
  for_each_view(file, views, meter, [&](unsigned worker, BlockView& view, std::int64_t first, std::int64_t last) {
    for (std::size_t g = 0; g < view.groups().size(); ++g) {
      const reader::Site& site = *view.groups()[g].site;
      if (site.ordinal() >= of_site.size()) continue;  // the block could not be read before
      const Bounds& of = of_site[site.ordinal()].second;
      if (first > of.first_at_most && last < of.last_at_least) continue;
      const std::span<const std::int64_t> walls = view.walls_of(g);
      if (walls.empty()) continue;
      const auto [least, greatest] = std::minmax_element(walls.begin(), walls.end());
      widen(&times[worker][identity_of(site)], {*least, *greatest});
    }
  });
  for (std::size_t worker = 1; worker < times.size(); ++worker) {
    for (const auto& [site, time] : times[worker]) widen(&times[0][site], time);
  }
  return std::move(times[0]);
}

std::unordered_map<std::uint64_t, SiteTimes> find_site_times(reader::Files files, WorkMeter* meter) {
  std::unordered_map<std::uint64_t, SiteTimes> times;
  for (const auto& file : files) {
    for (const auto& [site, time] : find_site_times(*file, meter)) widen(&times[site], time);
  }
  return times;
}

}  // namespace steno::query
