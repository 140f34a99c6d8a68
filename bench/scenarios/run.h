// The scenarios. Each runs one logger, from its start to its end, in the calling process, which should do nothing else:
// CPU time and page faults are the process's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/logger.h"

namespace steno::bench {

// `messages`, divided among threads that log as fast as they can. Then these numbers, in this order:
enum Work {
  kCallsPerSecond,   // million messages, until all calls have returned
  kOnFilePerSecond,  // million messages, until all are on file
  kCpu,              // ns a message, of all threads of the process
  kCallersCpu,       // ns a message, of the threads that log
  kMinorFaults,      // of the process, from before the logger starts until it has stopped
  kMajorFaults,
  kMissing,  // messages that are not in the file afterwards
  kWorkNumbers
};
std::vector<double> work(Logger& logger, const std::string& path, unsigned threads, std::size_t messages);

// Distributions, in us, in this order:
enum Times { kP50, kP99, kP999, kP9999, kMax, kMean, kDeviation, kTimesNumbers };

// Does the same as work(), with each call timed by itself.
std::vector<double> latency(Logger& logger, const std::string& path, unsigned threads, std::size_t messages);

// Messages are due at fixed intervals, `per_second` of all threads together, and each counts from the moment when it
// was due until its call has returned: whoever is late, for whatever reason, is late for the next one as well. One
// thread waits for the moment by looking at the clock, several sleep.
std::vector<double> response(Logger& logger, const std::string& path, unsigned threads, double per_second,
                             std::size_t messages);

// `messages`, which the queues have room for, divided among threads, once to warm up and then up to five times;
// thousand calls a second of a thread, the median.
std::vector<double> peak(Logger& logger, const std::string& path, unsigned threads, std::size_t messages);

}  // namespace steno::bench
