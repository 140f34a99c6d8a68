// The counters inside NanoLog that its benchmark program prints, from those of steno. For programs that define
// EXPOSE_PRIVATES before they include NanoLog's header, as that one does; others need none of this.
//
// NANO_LOG counts its calls then. What is counted by cycles is in units of the processor's counter.
#pragma once

#include <chrono>
#include <cstdint>

#include "../nanolog.h"

#undef NANO_LOG
#define NANO_LOG(severity, ...)                                                          \
  do {                                                                                   \
    ++::NanoLogInternal::calls;                                                          \
    STENO_DETAIL_LOG(STENO_DETAIL_PRINTF, STENO_DETAIL_NANOLOG_##severity, __VA_ARGS__); \
  } while (false)

namespace NanoLogInternal {

inline thread_local std::uint64_t calls = 0;

// Reads as a number, each time anew.
template <std::uint64_t (*read)()>
struct Counter {
  operator std::uint64_t() const { return read(); }  // as the number that NanoLog has here
};

// By how many cycles a nanosecond has had since the process began.
class CyclesPerNs {
 public:
  std::uint64_t cycles(std::uint64_t ns) const {
    const auto passed = std::chrono::duration<double, std::nano>(Clock::now() - begin_).count();
    const auto counted = static_cast<double>(steno::detail::read_counter() - counter_);
    return passed <= 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(ns) * counted / passed);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t counter_ = steno::detail::read_counter();
};
inline const CyclesPerNs cycles_per_ns;

inline std::uint64_t calls_of_thread() {
  return calls;
}
inline std::uint64_t records_written() {
  return steno::stats().records;
}
inline std::uint64_t cycles_of_scribe() {
  return cycles_per_ns.cycles(steno::stats().scribe_cpu_ns);
}
inline std::uint64_t stalls() {
  return steno::stats().stalls;
}
inline std::uint64_t cycles_of_longest_stall() {
  return cycles_per_ns.cycles(steno::stats().longest_stall_ns);
}

// Instances are never made.
struct RuntimeLogger {
  struct StagingBuffer {
    Counter<calls_of_thread> numAllocations;  // NANO_LOGs of this thread, those that a level left out too
    Counter<stalls> numTimesProducerBlocked;  // of all threads
    Counter<cycles_of_longest_stall> cyclesProducerBlocked;  // by the longest of them: there is no sum
  };
  struct Singleton {
    Counter<records_written> logsProcessed;       // in the file
    Counter<cycles_of_scribe> cyclesCompressing;  // CPU time of the scribe, writing included
  };
  static constexpr StagingBuffer kStagingBuffer{};
  static constexpr const StagingBuffer* stagingBuffer = &kStagingBuffer;
  static constexpr Singleton nanoLogSingleton{};
};

}  // namespace NanoLogInternal
