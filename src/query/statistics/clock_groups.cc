#include "query/statistics/clock_groups.h"

#include <algorithm>
#include <deque>
#include <map>

namespace steno::query {
namespace {

using text::Int128;

constexpr Int128 kUnbounded = Int128{1} << 100;  // more than any sum of distances

// A system of difference constraints: for each pair of hosts "ahead(b) <= ahead(a) + most". What the hosts that have
// been placed leave for another one are the shortest ways from them to it, and from it to them. Any place within these
// bounds leaves places for the rest, if there are any at all.
class Placement {
 public:
  explicit Placement(std::size_t hosts) : ahead_(hosts), bounds_{Bounds(hosts), Bounds(hosts)} {}

  void add(std::size_t a, std::size_t b, Int128 most) {
    bounds_[kMost].ways[a].push_back({b, most});
    bounds_[kLeast].ways[b].push_back({a, most});
  }

  // False: the constraints contradict each other.
  bool place(std::size_t host) {
    const Int128 least = -bounds_[kLeast].ends[host];
    const Int128 most = bounds_[kMost].ends[host];
    const Int128 place = least <= 0 && most >= 0 ? 0
                         : most == kUnbounded    ? least
                         : least == -kUnbounded  ? most
                                                 : least + (most - least) / 2;
    ahead_[host] = place;
    return spread(kMost, host, place) && spread(kLeast, host, -place);
  }
  Int128 ahead(std::size_t host) const { return ahead_[host]; }

 private:
  enum Side { kMost, kLeast };
  struct Way {
    std::size_t to;
    Int128 length;
  };
  // The bounds on one side, which are lengths of shortest ways: those of the least that hosts are ahead by have the
  // other sign.
  struct Bounds {
    explicit Bounds(std::size_t hosts) : ends(hosts, kUnbounded), ways(hosts), waits(hosts, false) {}
    std::vector<Int128> ends;
    std::vector<std::vector<Way>> ways;
    std::vector<bool> waits;  // for its ways to be looked at again
  };

  bool spread(Side side, std::size_t from, Int128 end) {
    Bounds& bounds = bounds_[side];
    const Bounds& others = bounds_[side == kMost ? kLeast : kMost];
    std::deque<std::size_t> waiting;
    const auto lower = [&](std::size_t host, Int128 length) {
      if (length >= bounds.ends[host]) return;
      bounds.ends[host] = length;
      if (!bounds.waits[host]) waiting.push_back(host);
      bounds.waits[host] = true;
    };
    lower(from, end);
    const std::size_t hosts = bounds.ends.size();
    // A way that passes no host twice becomes no shorter after as many rounds; one that does is a contradiction.
    for (std::size_t left = hosts * hosts + 1; !waiting.empty(); --left) {
      const std::size_t host = waiting.front();
      waiting.pop_front();
      bounds.waits[host] = false;
      if (left == 0 || bounds.ends[host] + others.ends[host] < 0) return false;
      for (const Way& way : bounds.ways[host]) lower(way.to, bounds.ends[host] + way.length);
    }
    return true;
  }

  std::vector<Int128> ahead_;
  Bounds bounds_[2];
};

ClockGroup place_group(const std::vector<const ClockShift*>& shifts, const std::string& reference) {
  ClockGroup group;
  for (const ClockShift* shift : shifts) {
    group.hosts.push_back(shift->reference);
    group.hosts.push_back(shift->host);
  }
  std::sort(group.hosts.begin(), group.hosts.end());
  group.hosts.erase(std::unique(group.hosts.begin(), group.hosts.end()), group.hosts.end());
  const auto index_of = [&](const std::string& host) {
    return static_cast<std::size_t>(std::lower_bound(group.hosts.begin(), group.hosts.end(), host) -
                                    group.hosts.begin());
  };
  Placement placement(group.hosts.size());
  for (const ClockShift* shift : shifts) {
    const std::size_t from = index_of(shift->reference);
    const std::size_t to = index_of(shift->host);
    if (shift->forth != 0) placement.add(from, to, shift->most);
    if (shift->back != 0) placement.add(to, from, -Int128{shift->least});
  }
  const auto first = std::find(group.hosts.begin(), group.hosts.end(), reference);
  if (first != group.hosts.end()) {
    group.fits = placement.place(static_cast<std::size_t>(first - group.hosts.begin()));
  }
  for (std::size_t i = 0; i < group.hosts.size() && group.fits; ++i) {
    if (group.hosts[i] != reference) group.fits = placement.place(i);
  }
  for (std::size_t i = 0; i < group.hosts.size() && group.fits; ++i) {
    if (placement.ahead(i) != 0) group.shifts.push_back({group.hosts[i], placement.ahead(i)});
  }
  if (first != group.hosts.end()) std::rotate(group.hosts.begin(), first, first + 1);
  return group;
}

}  // namespace

std::vector<ClockGroup> group_clocks(const std::vector<ClockShift>& shifts, const std::string& reference) {
  std::map<std::string, std::string> leaders;  // of hosts; at last the first of their group
  const auto leader_of = [&](std::string host) {
    for (auto found = leaders.find(host); found != leaders.end() && found->second != host; found = leaders.find(host)) {
      host = found->second;
    }
    return host;
  };
  for (const ClockShift& shift : shifts) {
    if (shift.contradicts()) continue;
    const std::string one = leader_of(shift.reference);
    const std::string other = leader_of(shift.host);
    leaders[one] = leaders[other] = std::min(one, other);
  }
  std::map<std::string, std::vector<const ClockShift*>> groups;
  for (const ClockShift& shift : shifts) {
    if (!shift.contradicts()) groups[leader_of(shift.host)].push_back(&shift);
  }
  std::vector<ClockGroup> placed;
  for (const auto& [leader, joined] : groups) placed.push_back(place_group(joined, reference));
  return placed;
}

}  // namespace steno::query
