// One shift for each host, from what is known of pairs of hosts: those that share a host, directly or over others, must
// fit together.
#pragma once

#include <string>
#include <vector>

#include "query/statistics/clock_shifts.h"
#include "text/number.h"

namespace steno::query {

// A host's clock is ahead of that of its group's first host by so many ns.
struct HostShift {
  std::string host;
  text::Int128 ahead = 0;
};

// Hosts that pairs join.
struct ClockGroup {
  std::vector<std::string> hosts;  // in order, but a reference first; the clock of the first counts as right
  std::vector<HostShift> shifts;   // those that are to be moved, each once, in the order of the hosts
  bool fits = true;                // false: no shifts bring all pairs into order together; then there are none
};

// By which shifts the records of all pairs come into order. A host that can stay as it is does; else its shift is the
// middle of what the pairs and the shifts of the hosts before it leave; where these bound it on one side, the least.
// Two hosts whose own pairs contradict each other are not joined. In the order of the groups' first hosts by name.
// `reference`: the first one of its group; the others have theirs. Cost: about hosts times pairs of hosts.
std::vector<ClockGroup> group_clocks(const std::vector<ClockShift>& shifts, const std::string& reference = {});

}  // namespace steno::query
