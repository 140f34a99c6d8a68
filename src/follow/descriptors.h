// How many files may be kept open.
#pragma once

#include <sys/resource.h>

namespace steno::follow {

// Returns whether a descriptor is among the lower `percent` of those that the process may have. The kernel assigns the
// lowest free one, so closing higher ones leaves the rest to the other parts of the process.
inline bool is_to_spare(int fd, unsigned percent) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  return static_cast<rlim_t>(fd) < limit.rlim_cur / 100 * percent + limit.rlim_cur % 100 * percent / 100;
}

}  // namespace steno::follow
