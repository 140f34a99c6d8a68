// On which CPU the scribe's thread runs, and with which priority: Options::scribe_cpu and scribe_nice.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr int kLeastNice = -20;
constexpr int kMostNice = 19;

}  // namespace

void Scribe::place_thread() {
  if (options_.scribe_cpu >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(static_cast<std::size_t>(options_.scribe_cpu), &cpus);
    if (pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus) != 0) {
      warn("cannot pin the scribe to CPU " + std::to_string(options_.scribe_cpu));
    }
  }
  if (options_.scribe_nice != 0) {
    // To Linux, process 0 is the calling thread.
    const int nice = std::clamp(getpriority(PRIO_PROCESS, 0) + options_.scribe_nice, kLeastNice, kMostNice);
    if (setpriority(PRIO_PROCESS, 0, nice) != 0) {
      warn("cannot give the scribe the nice value " + std::to_string(nice) + ": " + std::strerror(errno));
    }
  }
}

}  // namespace steno::scribe
